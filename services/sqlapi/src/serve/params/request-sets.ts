/**
 * The parameters of a request -> the sets that its file runs with. Decides which of its neighbours reads them: lines.ts
 * a batch with a set a line, params.ts JSON and query strings, declared.ts what is for a file that declares its
 * parameters.
 */
import { Failure } from '../../errors.ts'
import type { Endpoint, ParameterSet, Request, Script } from '../../model.ts'
import { isBatchPath, type Route } from '../route.ts'
import { readDeclaredQuery, toDeclaredSets } from './declared.ts'
import { type Lines, readLines } from './lines.ts'
import { type BodyDocument, readQuery, requireParameters, toBatch, toParameterSet } from './params.ts'

/**
 * The body of a batch, where it has a set a line. Also for a path without a file, so that the answer can say that the
 * path is wrong, and not the body.
 */
export function findLines(
  { method, headers, body }: Request,
  found: Route | undefined,
  path: string | undefined,
): Lines | undefined {
  const isBatch = found === undefined ? method === 'POST' && isBatchPath(path) : found.batch
  return isBatch ? readLines(headers['content-type'], body) : undefined
}

/** The sets of a request, from lines, from JSON or, without a document, from the query string of a GET. */
export function readSets(
  lines: Lines | undefined,
  document: BodyDocument | undefined,
  found: Route,
  script: Script,
  query: string,
): readonly ParameterSet[] {
  try {
    return lines === undefined ? toSets(document, found, script, query) : fitLines(lines, found.endpoint, script)
  } catch (error) {
    throw found.endpoint.method === 'POST' ? explainQuery(error, query) : error
  }
}

/** The sets of a body of lines. Throws where one lacks a parameter of the SQL, or where one is not as declared. */
function fitLines(
  { sets, areTexts }: Lines,
  { declarations }: Endpoint,
  { parameters }: Script,
): readonly ParameterSet[] {
  if (declarations !== undefined) {
    return toDeclaredSets(sets, { params: declarations.params, names: parameters }, { batch: true, areTexts })
  }
  requireParameters(parameters, sets, true)
  return sets
}

/** The same for a body of JSON, and for a query string. */
function toSets(
  document: BodyDocument | undefined,
  { endpoint: { declarations }, batch }: Route,
  { parameters }: Script,
  query: string,
): readonly ParameterSet[] {
  if (declarations !== undefined) {
    const wanted = { params: declarations.params, names: parameters }
    if (document === undefined) return [readDeclaredQuery(query, wanted)]
    return toDeclaredSets(setsOf(document, batch), wanted, { batch, areTexts: false })
  }
  const sets = document === undefined ? [readQuery(query)] : setsOf(document, batch)
  requireParameters(parameters, sets, batch)
  return sets
}

/** A value that a caller has put where a POST does not read it. */
function explainQuery(error: unknown, query: string): unknown {
  if (!(error instanceof Failure) || error.reason !== 'parameter_missing' || query === '') return error
  const hint = 'the query string of a POST has no effect, send the values in a JSON object as the body'
  return new Failure(error.reason, `${error.message}; ${hint}`)
}

function setsOf(document: BodyDocument, batch: boolean): readonly ParameterSet[] {
  return batch ? toBatch(document) : [toParameterSet(document)]
}
