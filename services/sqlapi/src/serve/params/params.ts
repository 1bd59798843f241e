/**
 * What the client sent -> parameter sets. A body is read in two steps, because handle.ts reports a broken one before an
 * unknown file, and one of the wrong shape after an unknown datasource.
 *
 * Values stay as they were sent; what they become in the database is decided there.
 */
import { nearName } from '@services/config-file/nearest'
import { Failure } from '../../errors.ts'
import { hintOf } from '../../json/hint.ts'
import { type JsonDocument, readDocuments, readJson } from '../../json/read.ts'
import type { JsonText, JsonValue, ParameterSet, RequestHeaders } from '../../model.ts'

/** A body that is JSON, of whatever shape. */
export type BodyDocument = JsonDocument

const noParameters: ParameterSet = new Map()

/**
 * Refuses a body that says it is coded, even if it is not: whatever else reads it may believe the header. Nothing needs
 * no decoding.
 */
export function requireUncoded(body: Buffer, { 'content-encoding': coding = '' }: RequestHeaders): void {
  if (body.length === 0 || coding.split(',').every((each) => /^\s*(?:identity)?\s*$/i.test(each))) return
  const shown = coding.slice(0, maxShownCoding)
  const message = `Request body has Content-Encoding: ${shown}, which is not supported; send it uncompressed`
  throw new Failure('body_coded', message)
}

/** Step one. A client that sends nothing means `null`. The media type only explains what cannot be read. */
export function readBody(body: Buffer, headers: RequestHeaders = {}): BodyDocument {
  if (body.length === 0) return null
  try {
    return readJson(body)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isPage = isForm(body, headers['content-type'])
    throw malformed(error.message + (isPage ? '; the body is a form, send a JSON object' : hintOf(error)))
  }
}

const maxShownCoding = 64

/** Many clients call any body the form of a page, unless they are told otherwise. */
function isForm(body: Buffer, mediaType = ''): boolean {
  if (/^multipart\/form-data\b/i.test(mediaType)) return true
  return /^application\/x-www-form-urlencoded\b/i.test(mediaType) && /^[\w.%+-]+=/.test(body.toString('latin1', 0, 256))
}

/** Step two for a single call. */
export function toParameterSet(document: BodyDocument): ParameterSet {
  if (!(document instanceof Map) && isArray(document)) {
    throw malformed(`${notArray}; for a batch, ${batchForm} to the path that ends in /batch`)
  }
  return toSet(document, 'Request body')
}

const notArray = 'Request body must be a JSON object, not an array'
const batchForm = 'send {"queries": [{..}, {..}]}'

/** Step two for a batch: one set per element of `queries`, in their order. */
export function toBatch(document: BodyDocument): ParameterSet[] {
  if (!(document instanceof Map) && isArray(document)) {
    throw malformed(`${notArray}; put the array into its field 'queries'`)
  }
  const set = toParameterSet(document)
  const queries = set.get('queries')
  if (queries === undefined) throw malformed(`Request body has no field 'queries'; ${batchForm}${otherArray(set)}`)
  if (!isArray(queries)) throw malformed(`'queries' must be an array, not ${describe(queries)}`)
  return readDocuments(queries.text).map((element, index) => toSet(element, `queries[${index}]`))
}

/** A batch whose field has another name. */
function otherArray(set: ParameterSet): string {
  const [key, ...others] = Array.from(set.keys()).filter((each) => isArray(set.get(each)))
  const isMeant = key !== undefined && others.length === 0 && key.length <= maxFolded
  return isMeant ? `; the array in the body is called ${JSON.stringify(key)}` : ''
}

/**
 * Reads what is after the `?`. The last value of a repeated key counts; a key alone has the empty one. Keys that
 * `lists` has get all their values there.
 */
export function readQuery(query: string, lists?: ReadonlyMap<string, string[]>): ParameterSet {
  if (query === '') return noParameters
  const set = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const key = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    set.set(key, value)
    lists?.get(key)?.push(value)
  }
  return set
}

/** Throws for the first set that lacks a parameter, with the first that it lacks in the order of the SQL. */
export function requireParameters(names: readonly string[], sets: readonly ParameterSet[], batch: boolean): void {
  for (const [index, set] of sets.entries()) {
    const missing = findMissing(names, set)
    if (missing === undefined) continue
    const place = batch ? `queries[${index}]` : 'the request'
    const message = `Parameter '${missing}' has no value in ${place}`
    const hint = batch || !isArray(set.get('queries')) ? otherSpelling(missing, names, set) : forBatch
    throw new Failure('parameter_missing', message + hint)
  }
}

const forBatch = "; the field 'queries' belongs to a batch, whose path ends in /batch"

/** Of a key that differs little: callers write the keys of answers or those of columns, and mistype. */
function otherSpelling(missing: string, names: readonly string[], set: ParameterSet): string {
  const wanted = fold(missing)
  const others = Array.from(set.keys()).filter((each) => !names.includes(each))
  const key = others.find((each) => fold(each) === wanted) ?? nearName(missing, others)
  return wanted === '' || key === undefined ? '' : `; found ${JSON.stringify(key)}, which is another name`
}

function fold(name: string): string {
  return name.length > maxFolded ? '' : name.replaceAll(/[\s_-]/g, '').toLowerCase()
}

/** Longer names are hardly misspelled ones. */
const maxFolded = 128

export function findMissing(names: readonly string[], set: ParameterSet): string | undefined {
  return names.find((name) => !set.has(name))
}

/** `place` is where the document is, in messages. */
export function toSet(document: BodyDocument, place: string): ParameterSet {
  if (document instanceof Map) return document
  if (document === null) return noParameters
  throw malformed(`${place} must be a JSON object, not ${describe(document)}`)
}

function isArray(value: JsonValue | undefined): value is JsonText {
  return typeof value === 'object' && value?.kind === 'array'
}

/** The kind of a JSON value with its article, for messages: never the value itself. */
function describe(document: BodyDocument): string {
  if (document === null) return 'null'
  if (document instanceof Map) return 'an object'
  if (typeof document !== 'object') return typeof document === 'string' ? 'a string' : 'a boolean'
  return kinds[document.kind]
}

const kinds = {
  array: 'an array',
  object: 'an object',
  document: 'a document',
  integer: 'a number',
  float: 'a number',
} as const

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw new Failure('query_malformed', 'Query string has a percent escape that does not decode to UTF-8')
  }
}

function malformed(message: string): Failure {
  return new Failure('body_malformed', message)
}
