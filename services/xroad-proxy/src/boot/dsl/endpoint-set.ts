/** Endpoints as they are found: no two files for one path. Paths that differ only in the names of their parameters are one. */
import type { Endpoint } from '../../model.ts'
import { parsePathTemplate, shapeOf } from '../../path-template.ts'

export class EndpointSet {
  readonly all: Endpoint[] = []
  readonly #byPath = new Map<string, Endpoint[]>()

  /** Why it is left out, if it is. One file may have several endpoints at a path, for a method each. */
  add(endpoint: Endpoint): string | undefined {
    const path = pathOf(endpoint)
    // No name of a file holds a slash.
    const shape = endpoint.path.includes('{') ? `/${endpoint.group}/${endpoint.service}${shapeOfPath(endpoint)}` : path
    const others = this.#byPath.get(shape) ?? []
    const stranger = others.find(({ file }) => file !== endpoint.file)
    if (stranger !== undefined) return `gives the same endpoint ${path} as ${stranger.file}; rename or remove one`
    const twice = endpoint.methods.find((method) => others.some(({ methods }) => methods.includes(method)))
    if (twice !== undefined) return `gives the endpoint ${twice} ${path} twice, under other names of parameters`
    this.#byPath.set(shape, [...others, endpoint])
    this.all.push(endpoint)
    return undefined
  }
}

/** As messages name it. */
export function pathOf({ group, service, path }: Endpoint): string {
  return `/${group}/${service}${path}`
}

function shapeOfPath({ path }: Endpoint): string {
  return shapeOf(parsePathTemplate(path))
}
