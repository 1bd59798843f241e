/**
 * The endpoints that the descriptions of REST services have, as a start would read them. Loaded only where a DSL file
 * names one.
 */
import type { Environment } from '@services/config-file'
import { importDescriptions } from '../../boot/openapi/import.ts'
import type { Facts } from './facts.ts'
import { gatherKeystores } from './keystore-facts.ts'

/** Facts about the other endpoints come in, facts about all of them go out; a client may be needed by these alone. */
export function withDescriptions(facts: Facts, env: Environment): Facts {
  const { config, dsl } = facts
  const { endpoints, problems, descriptionWarnings } = importDescriptions(dsl, dsl.path)
  return {
    ...facts,
    dsl: { ...dsl, endpoints, problems, descriptionWarnings },
    keystores: gatherKeystores(config, endpoints, env),
  }
}
