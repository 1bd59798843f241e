import { join } from 'node:path'
import { testRules } from '@services/testing'
import { rules } from '../rules.ts'

// `[D5.1]`, `[S-rows.2]`, `[S16]`, `[N1.2]` and `[O1.1]`.
testRules({ rules, folder: join(import.meta.dirname, '..'), inBrackets: /\[((?:D\d|S-|S\d|N\d|O\d)[\w.-]*)\]/g })
