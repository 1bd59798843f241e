/**
 * Method and path -> one of the service's own pages, or the endpoint of a DSL file. Throws `template_not_found` and
 * `method_not_allowed`, in this order. Pure: reads the map that boot made.
 */
import { docsPaths } from '@services/docs-page'
import { Failure } from '../errors.ts'
import type { Endpoint } from '../model.ts'

/** Paths of the service itself. No file can have them, because a file's path has two segments. */
const ownPaths: ReadonlyMap<string, OwnMatch> = new Map<string, OwnMatch>([
  ['/health', { page: 'health' }],
  ['/api', { page: 'api' }],
  ...docsPaths.map((path): [string, OwnMatch] => [path, { docs: path }]),
])

export type Page = 'health' | 'api'
/** `docs`: the path of the page, or of what it loads. */
type OwnMatch = { readonly page: Page } | { readonly docs: string }

/** `/group/service`, decoded -> endpoint. */
export type Routes = ReadonlyMap<string, Endpoint>

export function toRoutes(endpoints: readonly Endpoint[]): Routes {
  return new Map(endpoints.map((endpoint) => [`/${endpoint.group}/${endpoint.service}`, endpoint]))
}

export type Match = OwnMatch | { readonly endpoint: Endpoint }

export function route(routes: Routes, method: string, target: string): Match {
  const path = toPath(target)
  const own = ownPaths.get(path)
  if (own !== undefined) {
    if (method !== 'GET' && method !== 'HEAD') throw wrongMethod(method, 'GET, HEAD')
    return own
  }
  const endpoint = routes.get(path) ?? routes.get(decodePath(path))
  if (endpoint === undefined) throw new Failure('template_not_found', 'there is no endpoint at this path')
  if (method !== endpoint.method) throw wrongMethod(method, endpoint.method)
  return { endpoint }
}

function wrongMethod(method: string, allow: string): Failure {
  const message = `this path answers ${allow.replace(', ', ' and ')}, not ${method}`
  return new Failure('method_not_allowed', message, { headers: { allow } })
}

/** The path of a request line, without its query; the absolute form of proxies is understood as well. */
export function toPath(target: string): string {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '')
}

/**
 * As names of files beyond ASCII arrive. Segments are decoded one by one, so that an encoded slash stays inside its segment,
 * where no file name has one.
 */
function decodePath(path: string): string {
  if (!path.includes('%')) return ''
  try {
    const segments = path.split('/').map(decodeURIComponent)
    return segments.some((segment) => segment.includes('/')) ? '' : segments.join('/')
  } catch {
    return ''
  }
}
