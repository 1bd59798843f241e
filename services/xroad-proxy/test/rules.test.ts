import { testRules } from '@services/testing'
import { rules } from './rules.ts'

// Ids stand in brackets at the end of a title, one or several: D3.4, S-xml.2, X26.
testRules({
  rules,
  folder: import.meta.dirname,
  inBrackets: /(?<=\[(?:[DSX][\w.-]* )*)((?:D\d|S-|X\d)[\w.-]*)(?=(?: [DSX][\w.-]*)*\])/g,
})
