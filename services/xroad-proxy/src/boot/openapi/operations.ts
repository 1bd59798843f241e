/** The operations of a bundle, in the order of the file, and those that cannot be passed on, with the reason. Pure. */
import { type Data, isMapping, type Mapping, type Path } from '@services/config-file'
import { parsePathTemplate, PathTemplateError } from '../../path-template.ts'
import type { Bundle } from './bundle.ts'

export interface Operation {
  /** As it is in a URL, parameters in braces. */
  readonly path: string
  /** Upper case. */
  readonly method: string
  /** Of OpenAPI, with what it has from its path and its document. */
  readonly fields: Mapping
}

/** Of a path item; no proxy passes on TRACE. */
const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

export interface Operations {
  readonly operations: readonly Operation[]
  /** What has no endpoint, or another address than it says: a sentence each, with file and line. */
  readonly warnings: readonly string[]
}

/** Of one description and one kind. */
export const maxWarnings = 20

export function readOperations(bundle: Bundle): Operations {
  const { data } = bundle
  const operations: Operation[] = []
  const warnings: string[] = []
  let more = 0
  const tell = (path: Path, message: string): void => {
    if (warnings.length >= maxWarnings) {
      more++
      return
    }
    const { file, line } = bundle.locate(path)
    warnings.push(`${file}:${line}: ${path.slice(1).join(' ')}: ${message}`)
  }
  for (const [path, item] of Object.entries(mappingOf(data['paths']))) {
    if (!isMapping(item) || !path.startsWith('/')) continue
    const problem = pathProblem(path)
    if (problem !== undefined) {
      tell(['paths', path], `${problem}; the path has no endpoint`)
      continue
    }
    if (isMapping(item['trace'])) tell(['paths', path, 'trace'], 'TRACE is passed on by no proxy; it has no endpoint')
    for (const name of methods) {
      const operation = item[name]
      if (!isMapping(operation)) continue
      if (operation['servers'] !== undefined || item['servers'] !== undefined) {
        tell(
          ['paths', path, name],
          'names servers of its own, and the call goes to the one that the Security Server has for the service',
        )
      }
      const parameters = merged(listOf(item['parameters']), listOf(operation['parameters']))
      const security = operation['security'] ?? data['security'] ?? []
      operations.push({
        path: toUrlPath(path),
        method: name.toUpperCase(),
        fields: { ...operation, parameters, security },
      })
    }
  }
  if (more > 0) warnings.push(`${bundle.locate([]).file}: and ${more} more like these`)
  return { operations, warnings }
}

/** Those of the operation replace those of the path. */
function merged(ofPath: readonly Mapping[], own: readonly Mapping[]): readonly Mapping[] {
  const keyOf = ({ in: place, name }: Mapping): string => JSON.stringify([place, name])
  const keys = new Set(own.map(keyOf))
  return [...ofPath.filter((parameter) => !keys.has(keyOf(parameter))), ...own]
}

function mappingOf(data: Data | undefined): Mapping {
  return isMapping(data) ? data : {}
}

function listOf(data: Data | undefined): readonly Mapping[] {
  return Array.isArray(data) ? (data as readonly Data[]).filter(isMapping) : []
}

function pathProblem(path: string): string | undefined {
  if (/[?#]/.test(path)) return 'has a query string or a fragment, which belong into parameters'
  if (/%(?![\da-f]{2})/i.test(path)) return 'has a percent sign without two hexadecimal digits (itself it is %25)'
  try {
    const texts = parsePathTemplate(path).map((segment) =>
      segment.map((piece) => (typeof piece === 'string' ? piece : 'x')).join(''),
    )
    const isAway = texts.some((text) => /^(?:\.|%2e){1,2}(?:;|%3b|$)/i.test(text))
    return isAway ? 'has a segment "." or "..", which would leave the service' : undefined
  } catch (error) {
    if (error instanceof PathTemplateError) return error.message
    throw error
  }
}

/** What no path may hold is percent-encoded; what is encoded stays, and so do the names of parameters. */
function toUrlPath(path: string): string {
  return path.replaceAll(/\{[^{}]*\}|[^\w.~!$&'()*+,;=:@/%-]/gu, (piece) =>
    piece.startsWith('{') ? piece : encodeURIComponent(piece.toWellFormed()),
  )
}
