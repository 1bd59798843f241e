/**
 * Request target -> endpoint, and project or header -> datasource name. Works on maps that boot has made;
 * nothing of a request reaches the file system.
 */
import { nearName } from '@services/config-file/nearest'
import { cutText } from '@services/observe'
import { endpointKey, foldCase } from '../endpoint-key.ts'
import { Failure } from '../errors.ts'
import type { Endpoint } from '../model.ts'
import { datasourcesByProject, type ProjectRules } from '../project-datasource.ts'

export interface Target {
  /** Percent-decoded; undefined when an escape is not UTF-8, and then no file can be meant. */
  readonly path: string | undefined
  /** The path for messages: decoded as far as that is possible. */
  readonly shown: string
  /** What is after the `?`, as sent. */
  readonly query: string
}

export interface Route {
  readonly endpoint: Endpoint
  readonly batch: boolean
}

/** What has a URL. */
export interface Published {
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** The service's own pages, by path. */
  readonly pages: ReadonlyMap<string, unknown>
}

export interface DatasourceRules extends ProjectRules {
  readonly allowHeader: boolean
}

/** Gives the datasource name for a project and the value of the `X-Datasource` header, or throws. */
export type DatasourceChooser = (project: string, header: string | undefined) => string

const batchSuffix = '/batch'
const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i

/** Splits a request target, also one in the absolute form that proxies use. */
export function readTarget(target: string): Target {
  const local = target.startsWith('/') ? target : target.replace(schemeAndHost, '')
  const mark = local.indexOf('?')
  const raw = mark < 0 ? local : local.slice(0, mark)
  const path = decode(raw)
  return { path, shown: path ?? raw, query: mark < 0 ? '' : local.slice(mark + 1) }
}

/** The file that a request means, if there is one; a file is found before a batch of the file above it. */
export function findEndpoint(
  endpoints: ReadonlyMap<string, Endpoint>,
  method: string,
  path: string | undefined,
): Route | undefined {
  if (path === undefined) return undefined
  const key = endpointKey(method === 'HEAD' ? 'GET' : method, path)
  const single = endpoints.get(key)
  if (single !== undefined) return { endpoint: single, batch: false }
  if (method !== 'POST' || !key.endsWith(batchSuffix)) return undefined
  const many = endpoints.get(key.slice(0, -batchSuffix.length))
  return many === undefined ? undefined : { endpoint: many, batch: true }
}

/** Whether the path is that of a batch, if there is a file for it. */
export function isBatchPath(path: string | undefined): boolean {
  return path !== undefined && foldCase(path).endsWith(batchSuffix)
}

/** For a request that means a file of `unloaded`, by keys of endpoints. */
export function unloadedFile(
  unloaded: ReadonlyMap<string, string>,
  method: string,
  path: string | undefined,
): Failure | undefined {
  if (unloaded.size === 0 || path === undefined) return undefined
  const key = endpointKey(method === 'HEAD' ? 'GET' : method, path)
  const isBatch = method === 'POST' && key.endsWith(batchSuffix)
  const problem = unloaded.get(key) ?? (isBatch ? unloaded.get(key.slice(0, -batchSuffix.length)) : undefined)
  return problem === undefined ? undefined : new Failure('file_unloaded', problem)
}

/**
 * The end of a sentence about a path that has no file: the one that was probably meant. `/api/demo/permits`, `/permits`
 * and `/demo/GET/permits.sql` mean `/demo/permits`.
 */
export function nearestPath(published: Published, method: string, path: string | undefined): string {
  if (path === undefined || path.length > maxNearLength) return ''
  const known = foundPaths.get(published.endpoints) ?? new Map<string, string>()
  foundPaths.set(published.endpoints, known)
  const question = `${method} ${path}`
  const found = known.get(question) ?? findNearest(published, method, path)
  if (known.size < maxFoundPaths) known.set(question, found)
  return found
}

/** A search takes longer than the rest of the request, and the same wrong paths come again and again. */
const foundPaths = new WeakMap<Published['endpoints'], Map<string, string>>()
const maxFoundPaths = 1000

function findNearest({ endpoints, pages }: Published, method: string, path: string): string {
  const wanted = path.replace(/\.sql$/i, '').replace(/^(\/[^/]+)\/(?:get|post)\//i, '$1/')
  const meant = nearName(wanted, urlsOf(endpoints, pages, method)) ?? withOtherStart(wanted, endpoints)
  return meant === undefined || meant === path ? '' : `; did you mean ${meant}?`
}

const maxNearLength = 128

function* urlsOf(
  endpoints: ReadonlyMap<string, Endpoint>,
  pages: ReadonlyMap<string, unknown>,
  method: string,
): Generator<string> {
  for (const endpoint of endpoints.values()) {
    yield endpoint.path
    if (method === 'POST' && endpoint.method === 'POST') yield endpoint.path + batchSuffix
  }
  yield* pages.keys()
}

/** The only path that ends as this one does, or with which this one ends. */
function withOtherStart(path: string, endpoints: ReadonlyMap<string, Endpoint>): string | undefined {
  const wanted = foldCase(path)
  const paths = new Set<string>()
  for (const endpoint of endpoints.values()) {
    const known = foldCase(endpoint.path)
    if (wanted.length > 2 && (known.endsWith(wanted) || wanted.endsWith(known))) paths.add(endpoint.path)
    if (paths.size > 1) return undefined
  }
  const [only] = paths
  return only
}

/** `instead` is what `answersInstead` or `nearestPath` says. */
export function missingEndpoint(shown: string, instead = ''): Failure {
  return new Failure('endpoint_missing', `Saved query '${cutText(shown)}' does not exist${instead}`)
}

/** If the path has no file for the request's method: the methods that it has files for, as the end of a sentence. */
export function answersInstead({ endpoints, pages }: Published, method: string, path: string | undefined): string {
  if (path === undefined) return ''
  if (path !== '/' && pages.has(path)) return `; the page answers GET and HEAD, not ${method}`
  const isGet = findEndpoint(endpoints, 'GET', path) !== undefined
  const isPost = findEndpoint(endpoints, 'POST', path) !== undefined
  if (isGet && isPost) return `; the files answer GET, HEAD and POST, not ${method}`
  if (isGet) return `; the file answers GET and HEAD, not ${method}`
  if (isPost) return `; the file answers POST, not ${method}`
  const hasSingle =
    method === 'POST' &&
    foldCase(path).endsWith(batchSuffix) &&
    findEndpoint(endpoints, 'GET', path.slice(0, -batchSuffix.length)) !== undefined
  return hasSingle ? '; the file answers GET, and only a file that answers POST has a batch variant' : ''
}

export function createDatasourceChooser(rules: DatasourceRules): DatasourceChooser {
  const known = new Set(rules.names)
  const datasourceOf = datasourcesByProject(rules)
  return (project, header) => {
    if (rules.allowHeader && header !== undefined) {
      return known.has(header) ? header : refuse(header, 'the header X-Datasource names it', known)
    }
    return datasourceOf(project) ?? refuse(project, projectRemedy, known)
  }
}

const projectRemedy =
  'a project runs on the datasource of its name, on that of its line in project_datasource_map, or on default_datasource'

function refuse(name: string, reason: string, known: ReadonlySet<string>): never {
  const meant = nearName(name, known)
  const more = meant === undefined ? reason : `${reason}; did you mean ${meant}?`
  throw new Failure('datasource_unknown', `Datasource '${cutText(name)}' is not configured; ${more}`)
}

function decode(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

/** The path of a request target for the log, as sent and without its query string, which may hold anything. */
export function pathOf(target: string): string {
  return cutText(target.split('?', 1)[0] as string)
}
