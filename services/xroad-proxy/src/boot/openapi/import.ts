/**
 * DSL files that leave their operations to an OpenAPI description -> endpoints, one for each operation, and what the
 * description says about them. Loaded only where there is such a file. Others write descriptions, so whatever one holds
 * costs its own endpoints at most, and is a warning. A description that is not there stops the start: a DSL file
 * names it.
 */
import { createHash } from 'node:crypto'
import type { Mapping } from '@services/config-file'
import type { DescribedEndpoint, RestEndpoint } from '../../model.ts'
import { EndpointSet } from '../dsl/endpoint-set.ts'
import type { DescribedFile, Survey } from '../dsl/endpoints.ts'
import { bundle } from './bundle.ts'
import { DescriptionError } from './documents.ts'
import { Library } from './library.ts'
import { toNewerSchema } from './newer-schemas.ts'
import { maxWarnings, type Operations, readOperations } from './operations.ts'
import { validate, versionOf } from './validate.ts'
import { walk } from './walk.ts'

export interface Imported extends Survey {
  /** One WARN each. */
  readonly descriptionWarnings: readonly string[]
  readonly descriptions: ReadonlyMap<RestEndpoint, DescribedEndpoint>
  /** Other texts, another digest. */
  readonly digests: readonly string[]
}

/** `folder` is the tree of DSL files. `tried` gets the paths of all documents that there are, or should be. */
export function importDescriptions(survey: Survey, folder: string, tried: Set<string> = new Set()): Imported {
  const found = new EndpointSet()
  for (const endpoint of survey.endpoints) found.add(endpoint)
  const problems = [...survey.problems]
  const warnings: string[] = []
  const descriptions = new Map<RestEndpoint, DescribedEndpoint>()
  const digests: string[] = []
  for (const described of survey.described) {
    const { pattern, line } = described
    const place = `${pattern.file}:${line}: openapi`
    try {
      const { operations, warnings: told, components, digest } = readDescription(described.description, folder, tried)
      const conflicts: string[] = []
      digests.push(digest)
      warnings.push(...told)
      if (operations.length === 0)
        warnings.push(`${place}: ${described.description} has no operations; there are no endpoints`)
      for (const { path, method, fields } of operations) {
        const endpoint = toEndpoint(described, path, method)
        const conflict = found.add(endpoint)
        if (conflict === undefined) descriptions.set(endpoint, { fields, components })
        else conflicts.push(`${place}: ${described.description} ${conflict.message}; the first one counts`)
      }
      warnings.push(...conflicts.slice(0, maxWarnings))
      const more = conflicts.length - maxWarnings
      if (more > 0) warnings.push(`${place}: and ${more} more like these`)
    } catch (error) {
      if (error instanceof DescriptionError && error.isMissing)
        problems.push({
          file: pattern.file,
          message: `${place}: there is no file ${described.description}; save the description there`,
        })
      else warnings.push(`${problemOf(error, described)}; until then ${pattern.file} has no endpoints`)
    }
  }
  const endpoints = Object.freeze(found.all)
  return { ...survey, endpoints, problems, descriptionWarnings: warnings, descriptions, digests }
}

/** What nobody has thought of is a warning as well. */
function problemOf(error: unknown, { description }: DescribedFile): string {
  if (error instanceof DescriptionError) return error.message
  return `${description}: cannot be read (unexpected ${error instanceof Error ? `${error.name}: ${error.message}` : 'error'})`
}

interface Description extends Operations {
  readonly components: Mapping
  readonly digest: string
}

function readDescription(file: string, folder: string, tried: Set<string>): Description {
  const library = new Library(file, folder, tried)
  const version = versionOf(library.root)
  const whole = bundle(library)
  validate(whole, version)
  const schema = version === '3.0' ? toNewerSchema : undefined
  const keep = {
    reference: (node: Mapping) => (schema === undefined ? node : schema(node)),
    ...(schema === undefined ? {} : { schema }),
  }
  const data = walk(whole.data, 'object', keep) as Mapping
  const hash = createHash('sha256')
  for (const { text } of library.documents) hash.update(text)
  const components = (data['components'] ?? {}) as Mapping
  return { ...readOperations({ ...whole, data }), components, digest: hash.digest('hex') }
}

function toEndpoint({ pattern }: DescribedFile, path: string, method: string): RestEndpoint {
  const target = Object.freeze({ ...pattern.target, path })
  return Object.freeze({ ...pattern, path, methods: Object.freeze([method]), target })
}
