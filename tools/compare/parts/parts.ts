/** All inputs of a comparison, in the order in which they run. */
import type { Part } from '../part.ts'
import { broken } from './broken.ts'
import { configCases } from './config-cases.ts'
import { examples } from './examples.ts'
import { failures } from './failures.ts'
import { proxyCommands } from './proxy-commands.ts'
import { realTrees } from './real-trees.ts'
import { soapCases } from './soap-cases.ts'
import { sqlapiCommands } from './sqlapi-commands.ts'
import { sqlCases } from './sql-cases.ts'
import { wayBack } from './way-back.ts'
import { wsdls } from './wsdls.ts'

export const parts: readonly Part[] = [
  examples,
  wayBack,
  sqlapiCommands,
  proxyCommands,
  configCases,
  soapCases,
  failures,
  wsdls,
  broken,
  sqlCases,
  realTrees,
]
