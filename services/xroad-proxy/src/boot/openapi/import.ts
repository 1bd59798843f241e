/**
 * DSL files that leave their operations to an OpenAPI description -> endpoints, one for each operation. Loaded only where there is such
 * a file. A broken description costs its own endpoints, and is a warning; two files for one endpoint are a problem.
 */
import type { Endpoint, RestEndpoint } from '../../model.ts'
import { EndpointSet } from '../dsl/endpoint-set.ts'
import type { DescribedFile, Survey } from '../dsl/endpoints.ts'
import { DescriptionError, readDocument } from './documents.ts'
import { readOperations } from './operations.ts'

export function importDescriptions(survey: Survey): Survey {
  const found = new EndpointSet()
  for (const endpoint of survey.endpoints) found.add(endpoint)
  const problems = [...survey.problems]
  const warnings = [...survey.warnings]
  for (const described of survey.described) {
    try {
      const { operations, skipped } = readOperations(readDocument(described.description))
      warnings.push(...skipped)
      for (const { path, method } of operations) {
        const conflict = found.add(toEndpoint(described, path, method))
        const { file } = described.pattern
        if (conflict !== undefined) problems.push({ file, message: `${file}:${described.line}: openapi: ${conflict}` })
      }
    } catch (error) {
      if (!(error instanceof DescriptionError)) throw error
      warnings.push(`${error.message}; ${described.pattern.file} has no endpoints until that is corrected`)
    }
  }
  const endpoints: readonly Endpoint[] = Object.freeze(found.all)
  return { ...survey, endpoints, warnings, problems }
}

function toEndpoint({ pattern }: DescribedFile, path: string, method: string): RestEndpoint {
  return Object.freeze({
    ...pattern,
    path,
    methods: Object.freeze([method]),
    target: Object.freeze({ ...pattern.target, path }),
  })
}
