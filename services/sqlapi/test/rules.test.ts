import { testRules } from '@services/testing'
import { rules } from './rules.ts'

// `[D5.1]`, `[S-rows.2]` and `[S16]`.
testRules({ rules, folder: import.meta.dirname, inBrackets: /\[((?:D\d|S-|S\d)[\w.-]*)\]/g })
