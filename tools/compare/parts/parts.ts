/** All inputs of a comparison, in the order in which they run. */
import type { Part } from '../part.ts'
import { broken } from './broken.ts'
import { configCases } from './config-cases.ts'
import { examples } from './examples.ts'
import { soapCases } from './soap-cases.ts'
import { sqlCases } from './sql-cases.ts'

export const parts: readonly Part[] = [examples, soapCases, configCases, broken, sqlCases]
