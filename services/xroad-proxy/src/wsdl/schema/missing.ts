/**
 * Includes and imports that could not be read, and the end of a message about a declaration that may be in them: which
 * file is missing, which line asks for it, and the cure. Does not look for files.
 */
import { includeName } from './vendored.ts'

/** An include or import that could not be read, and the line that asks for it. */
export interface MissingSchema {
  readonly file: string
  readonly line: number
  readonly location: string
  readonly problem: string
  readonly by: 'includes' | 'imports' | 'redefines'
  /** What the file would have brought names of. */
  readonly namespace: string
}

export const notBeside = 'not beside the WSDL'
export const noLocation = 'does not name a file'

/**
 * The end of a message about a missing declaration of this namespace: where it may be. Empty when no file is missing.
 */
export function whereElse(missing: readonly MissingSchema[], namespace?: string): string {
  const fitting = missing.filter((schema) => schema.namespace === namespace)
  const [first, ...others] = fitting.length > 0 ? fitting : missing
  if (first === undefined) return ''
  const more =
    others.length === 0 ? '' : `; ${others.length} more missing: ${others.slice(0, maxNamed).map(nameOf).join(', ')}`
  return `; perhaps in ${describeMissing(first)}${more}`
}

const maxNamed = 3

export function describeMissing(schema: MissingSchema): string {
  return `${nameOf(schema)} (${schema.problem}), which ${schema.file}:${schema.line} ${schema.by}: ${cureOf(schema)}`
}

function nameOf({ location }: MissingSchema): string {
  return location === '' ? 'a file without a location' : location
}

function cureOf({ location, problem, file, by }: MissingSchema): string {
  if (location === '') return 'write its location'
  if (problem !== notBeside) return 'correct it'
  if (/^https?:\/\//i.test(location)) {
    const last = URL.parse(location)?.pathname.split('/').at(-1) ?? ''
    const name = isPlain(last) ? ` as ${last}` : ''
    return `fetch it with xroad-proxy wsdl vendor, or put it beside the WSDL${name}`
  }
  const steps = location.split('/').filter((step) => step !== '.')
  if (steps.every(isPlain))
    return `put the file itself at ${file.slice(0, file.lastIndexOf('/') + 1)}${steps.join('/')}`
  const attribute = by === 'imports' && file.endsWith('.wsdl') ? 'location' : 'schemaLocation'
  return `put it beside the WSDL and write its name alone as the ${attribute}`
}

function isPlain(step: string): boolean {
  return includeName.test(step) && step !== '.' && step !== '..'
}
