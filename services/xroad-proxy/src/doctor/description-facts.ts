/** The endpoints that the descriptions of REST services have, as a start would read them. Loaded only where a DSL file names one. */
import { importDescriptions } from '../boot/openapi/import.ts'
import type { DslFacts } from './facts.ts'

export function readDescriptions(dsl: DslFacts): DslFacts {
  const { endpoints, problems, descriptionWarnings } = importDescriptions(dsl, dsl.path)
  return { ...dsl, endpoints, problems, descriptionWarnings }
}
