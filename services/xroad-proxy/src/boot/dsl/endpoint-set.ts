/**
 * Endpoints as they are found: no two files for one path. Paths that differ only in the names of their parameters are
 * one.
 */
import type { Endpoint } from '../../model.ts'
import { parsePathTemplate, shapeOf } from '../../path-template.ts'

/** Why an endpoint is left out: the end of a sentence that begins with its file. */
export interface Conflict {
  readonly message: string
  /** With another one of the same file. */
  readonly isOwn: boolean
}

export class EndpointSet {
  readonly all: Endpoint[] = []
  readonly #byPath = new Map<string, Endpoint[]>()

  /** One file may have several endpoints at a path, with a method each. */
  add(endpoint: Endpoint): Conflict | undefined {
    const { group, service, path, file, methods } = endpoint
    // No name of a file holds a slash.
    const url = `/${group}/${service}${path}`
    const shape = path.includes('{') ? `/${group}/${service}${shapeOf(parsePathTemplate(path))}` : url
    const others = this.#byPath.get(shape) ?? []
    const stranger = others.find((other) => other.file !== file)
    if (stranger !== undefined) {
      return { message: `gives the same endpoint ${url} as ${stranger.file}; rename or remove one`, isOwn: false }
    }
    const twin = others.find((other) => other.path !== path || other.methods.some((method) => methods.includes(method)))
    if (twin !== undefined) {
      return { message: `has ${methods.join(', ')} ${path}, which is the same path as ${twin.path}`, isOwn: true }
    }
    this.#byPath.set(shape, [...others, endpoint])
    this.all.push(endpoint)
    return undefined
  }
}
