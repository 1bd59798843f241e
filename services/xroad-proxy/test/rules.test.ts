import { testRules } from '@services/testing'
import { rules } from './rules.ts'

// `[D3.4]`, `[S-xml.2]` and `[X26]`.
testRules({ rules, folder: import.meta.dirname, inBrackets: /\[((?:D\d|S-|X\d)[\w.-]*)\]/g })
