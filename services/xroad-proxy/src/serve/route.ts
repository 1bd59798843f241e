/**
 * Method and path -> one of the service's own pages, or the endpoint of a DSL file with what the path has for its
 * parameters. Throws `template_not_found` and `method_not_allowed`, in this order. Pure: reads the map and the tree
 * that boot made. A path without parameters goes before all that have some.
 */
import { nearest } from '@services/config-file'
import { docsPaths } from '@services/docs-page'
import { Failure } from '../errors.ts'
import type { Endpoint } from '../model.ts'
import { parsePathTemplate } from '../path-template.ts'
import { PathTree } from './paths/path-tree.ts'

/** Paths of the service itself. No file can have them, because a file's path has two segments. */
const ownPaths: ReadonlyMap<string, OwnMatch> = new Map<string, OwnMatch>([
  ['/health', { page: 'health' }],
  ['/api', { page: 'api' }],
  ...docsPaths.map((path): [string, OwnMatch] => [path, { docs: path }]),
])

export type Page = 'health' | 'api'
/** `docs`: the path of the page, or of what it loads. */
type OwnMatch = { readonly page: Page } | { readonly docs: string }

/** What paths lead to, made at boot. */
export interface Routes {
  /** Paths without parameters, decoded. */
  readonly plain: ReadonlyMap<string, PathEntry>
  /** All others; undefined where no file has any. */
  readonly withParameters: PathTree<PathEntry> | undefined
  /** All, as files have them, for the hint of a 404. */
  readonly paths: readonly string[]
}

/** One path: what leads on from it, by method. */
interface PathEntry {
  /** The first one; most have no other. */
  method: string
  readonly first: Leading
  others: Map<string, Leading> | undefined
}

interface Leading {
  readonly endpoint: Endpoint
  /** `group/service`, and the path below it as the file has it. */
  readonly name: string
}

export interface EndpointMatch extends Leading {
  /** What the path has for each parameter, in order, percent-encoded again; without parameters undefined. */
  readonly values?: readonly string[] | undefined
}

export type Match = OwnMatch | EndpointMatch

export function toRoutes(endpoints: readonly Endpoint[]): Routes {
  const plain = new Map<string, PathEntry>()
  const tree = new PathTree<PathEntry>()
  const paths = new Set<string>()
  let hasParameters = false
  for (const endpoint of endpoints) {
    const { group, service, path } = endpoint
    const leading = { endpoint, name: `${group}/${service}${path}` }
    if (path.includes('{')) {
      hasParameters = true
      paths.add(`/${leading.name}`)
      addMethods(
        tree.add([group, service], parsePathTemplate(path), () => newEntry(leading)),
        leading,
      )
    } else {
      const key = `/${group}/${service}${path.includes('%') ? decodePath(path) : path}`
      const entry = plain.get(key) ?? newEntry(leading)
      plain.set(key, entry)
      paths.add(key)
      addMethods(entry, leading)
    }
  }
  return { plain, withParameters: hasParameters ? tree : undefined, paths: [...paths] }
}

function newEntry(first: Leading): PathEntry {
  const [method = ''] = first.endpoint.methods
  return { method, first, others: undefined }
}

/** The loader has refused endpoints that share a method of a path. */
function addMethods(entry: PathEntry, leading: Leading): void {
  for (const method of leading.endpoint.methods) {
    if (method !== entry.method) (entry.others ??= new Map()).set(method, leading)
  }
}

export function route(routes: Routes, method: string, target: string): Match {
  const path = toPath(target)
  const own = ownPaths.get(path)
  if (own !== undefined) {
    if (method !== 'GET' && method !== 'HEAD') throw wrongMethod(method, ['GET', 'HEAD'])
    return own
  }
  const entry = routes.plain.get(path) ?? routes.plain.get(decodePath(path))
  if (entry !== undefined) return leadingOf(entry, method)
  const found = routes.withParameters?.find(path)
  if (found === undefined)
    throw new Failure('template_not_found', `there is no endpoint at this path; ${hintAt(routes, path)}`)
  const { endpoint, name } = leadingOf(found.leaf, method)
  return { endpoint, name, values: found.values }
}

/** Compares a bounded number of paths: the search must not cost a call. */
function hintAt({ paths }: Routes, path: string): string {
  if (path.length > maxSearched.characters || paths.length > maxSearched.endpoints) return listed
  const meant = pathMeant(paths, path.toLowerCase())
  return meant === undefined ? listed : `did you mean ${meant}? /api lists all`
}

function pathMeant(paths: readonly string[], path: string): string | undefined {
  const [, group = '', service] = path.split('/')
  const known = paths.map((each): Known => ({ each, segments: each.toLowerCase().split('/') }))
  if (service === undefined || service === '') {
    const isNear = ({ segments }: Known): boolean => Math.abs((segments[2] ?? '').length - group.length) <= maxDistance
    const near = known.filter(isNear).slice(0, maxSearched.alike)
    const name = nearest(
      group,
      near.map(({ segments }) => segments[2] ?? ''),
    )
    const alike = near.find(({ segments }) => segments[2] === name)
    const named =
      known.find(({ segments }) => segments[2] === group) ?? known.find(({ segments }) => segments[1] === group)
    return (named ?? alike)?.each
  }
  // A segment too many or too few, and a prefix.
  const same = known.find(({ segments }) => segments[1] === group && segments[2] === service)
  const end = paths.find((each) => path.endsWith(each.toLowerCase()))
  if (same !== undefined || end !== undefined) return same?.each ?? end
  const isAlike = ({ each, segments }: Known): boolean =>
    Math.abs(each.length - path.length) <= maxDistance && (segments[1] === group || segments[2] === service)
  const alike = known.filter(isAlike).slice(0, maxSearched.alike)
  return nearest(
    path,
    alike.map(({ each }) => each),
  )
}

interface Known {
  readonly each: string
  readonly segments: readonly string[]
}

const listed = '/api lists those that are there'
const maxSearched = { characters: 64, endpoints: 5000, alike: 100 }
const maxDistance = 3

function leadingOf(entry: PathEntry, method: string): Leading {
  if (method === entry.method) return entry.first
  const leading = entry.others?.get(method)
  if (leading === undefined)
    throw wrongMethod(method, [entry.method, ...(entry.others?.keys() ?? [])], cureOf(entry.first.endpoint, method))
  return leading
}

/** Values in a query string reach no envelope. */
function cureOf(endpoint: Endpoint, method: string): string {
  if (endpoint.kind !== 'soap' || method !== 'GET') return ''
  const [param] = endpoint.params
  return param === undefined ? '' : `; its params go into a JSON body: {${JSON.stringify(param)}: ".."}`
}

function wrongMethod(method: string, allowed: readonly string[], cure = ''): Failure {
  const last = allowed.at(-1) as string
  const named = allowed.length === 1 ? last : `${allowed.slice(0, -1).join(', ')} and ${last}`
  return new Failure('method_not_allowed', `this path answers ${named}, not ${method}${cure}`, {
    headers: { allow: allowed.join(', ') },
  })
}

/** The path of a request line, without its query; the absolute form of proxies is understood as well. */
export function toPath(target: string): string {
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '')
}

/**
 * Decodes names beyond ASCII. Segments are decoded one by one, so that an encoded slash stays inside its segment, where
 * no file name has one.
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
