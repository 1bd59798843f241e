/** The operations of an OpenAPI description, in the order of the file, and those that cannot be passed on, with the reason. Pure. */
import { isMapping } from '@services/config-file'
import { parsePathTemplate, PathTemplateError } from '../../path-template.ts'
import { type Document, refuse } from './documents.ts'

export interface DescribedOperation {
  /** As it stands in a URL, parameters in braces. */
  readonly path: string
  /** Upper case. */
  readonly method: string
}

/** Of a path item, but for `trace`, which no proxy passes on. */
const methods: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']

export function readOperations(document: Document): {
  readonly operations: readonly DescribedOperation[]
  /** A sentence each, with file and line. */
  readonly skipped: readonly string[]
} {
  const { paths } = document.data
  if (!isMapping(paths)) return refuse(document, [], 'paths: missing, expected the paths of an OpenAPI description')
  const operations: DescribedOperation[] = []
  const skipped: string[] = []
  for (const [path, item] of Object.entries(paths)) {
    if (!isMapping(item)) continue
    const problem = pathProblem(path)
    if (problem !== undefined) {
      skipped.push(`${document.file}:${document.lineOf(['paths', path])}: ${path}: ${problem}; it has no endpoint`)
      continue
    }
    const known = methods.filter((method) => isMapping(item[method]))
    operations.push(...known.map((method) => ({ path: toUrlPath(path), method: method.toUpperCase() })))
  }
  return { operations, skipped }
}

function pathProblem(path: string): string | undefined {
  try {
    parsePathTemplate(path)
    return undefined
  } catch (error) {
    if (error instanceof PathTemplateError) return error.message
    throw error
  }
}

/** What no path may hold is percent-encoded; what is encoded stays. */
function toUrlPath(path: string): string {
  return path.replaceAll(/[^\w.~!$&'()*+,;=:@/%{}-]/gu, encodeURIComponent)
}
