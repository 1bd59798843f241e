import { join } from 'node:path'
import { testRules } from '@services/testing'
import { rules } from '../rules.ts'

// Ids stand in brackets at the end of a title, one or several: D3.4, S-xml.2, X26, P1.2, O1.1.
testRules({
  rules,
  folder: join(import.meta.dirname, '..'),
  inBrackets: /(?<=\[(?:[DOPSX][\w.-]* )*)((?:D\d|O\d|P\d|S-|X\d)[\w.-]*)(?=(?: [DOPSX][\w.-]*)*\])/g,
})
