/**
 * The text of one DSL file and its place in the tree -> one endpoint, and warnings for the operator. Every error
 * stops the start: the message names file, line and field. Reads no files (endpoints.ts does); the fields themselves
 * belong to dsl-schema.ts, the template language to soap/request/template.ts.
 */
import {
  byLine,
  type Environment,
  joinProblems,
  locate,
  type Mapping,
  nearest,
  type Parsed,
  type Places,
  type Problem,
  readYamlIn,
  tellUnknown,
  textOf,
  toFieldName,
} from '@services/config-file'
import { StartupFailure } from '../../errors.ts'
import type { Endpoint, EndpointLimits, Template } from '../../model.ts'
import { parsePathTemplate, toParameterPath } from '../../path-template.ts'
import { soapVersions } from '../../soap-versions.ts'
import { allCallerHeaders, callerHeadersIn } from '../../soap/request/caller-headers.ts'
import { parseTemplate } from '../../soap/request/template.ts'
import { TemplateSyntaxError } from '../../soap/request/template-errors.ts'
import { isGenerated } from '../../wsdl/dsl/marker.ts'
import { tellStranger } from '../config/client-identity.ts'
import { toChoices } from './choices.ts'
import { declarationProblems } from './declared-params.ts'
import { fieldNames, type Kind, kinds, parseRest, parseSoap, type RestFile, type SoapFile } from './dsl-schema.ts'
import { readHeaderEdits } from './header-edits.ts'
import { operationProblems } from './operations.ts'
import { envelopeProblem } from './envelope.ts'
import { slipsIn, soapWarnings, unusedParams } from './soap-warnings.ts'
import { tellFound, tellTemplate } from './template-lines.ts'

/** Where the file is: its path for messages, and the two segments of the URL. */
export interface DslFile {
  readonly file: string
  readonly group: string
  readonly service: string
  /** Names that the configuration has for clients; without them that of the file is not looked for. */
  readonly clients?: readonly string[] | undefined
}

export interface ReadDsl {
  /** Of a file with `openapi` the pattern of its endpoints: without methods and paths. */
  readonly endpoint: Endpoint
  /** The description that has them, as the file names it, and the line where it does. */
  readonly openapi?: { readonly name: string; readonly line: number }
  /** One WARN each. */
  readonly warnings: readonly string[]
  /** The same, about an envelope that cannot become what it is meant to be. */
  readonly templateWarnings: readonly string[]
  /** The same, about an envelope that is no message; one at most. */
  readonly envelopeWarnings: readonly string[]
  /** One INFO each. */
  readonly notices: readonly string[]
}

interface ParsedDslFile extends DslFile {
  readonly text: string
  readonly data: Mapping
  readonly places: Places
}

/** `env` has the variables that headers may come from. */
export function readDsl(text: string, file: DslFile, env: Environment = {}): ReadDsl {
  const data = readYamlIn(file.file, text, (message) => new StartupFailure('invalid_dsl', message))
  const dsl = { ...file, text, data, places: locate(text) }
  const kind = readKind(dsl)
  switch (kind) {
    case 'soap':
      return readSoap(dsl)
    case 'rest':
      return readRest(dsl, env)
  }
}

/** Files that are older than the second kind do not say theirs. */
function readKind(dsl: ParsedDslFile): Kind {
  const { kind: given = null } = dsl.data
  if (given === null) {
    const target = keyFor('target', dsl)
    if (target === undefined || keyFor('envelope', dsl) !== undefined) return 'soap'
    const message = 'a file with a target and no envelope needs the line kind: rest'
    return refuse(dsl, { path: [target], message }, ...strangers(dsl))
  }
  const kind = textOf(given)
  const path = ['kind']
  if (kind === undefined) return refuse(dsl, { path, message: 'found no text, expected soap or rest' })
  const known = kinds.find((name) => name === kind)
  if (known !== undefined) return known
  const meant = nearest(kind, kinds)
  const remedy = meant === undefined ? '' : `; did you mean ${meant}?`
  const message = `found ${JSON.stringify(kind.slice(0, 64))}, expected soap or rest${remedy}`
  return refuse(dsl, { path, message })
}

const allFields: readonly string[] = [...new Set(kinds.flatMap((kind) => fieldNames[kind]))]

/** The key of a field, or the unknown one that was probably meant for it. */
function keyFor(field: string, { data }: ParsedDslFile): string | undefined {
  if (data[field] !== undefined) return field
  return Object.keys(data).find((key) => !allFields.includes(key) && nearest(key, allFields) === field)
}

/** Unknown keys of a file whose kind is not known. */
function strangers({ data }: ParsedDslFile): Problem[] {
  const absent = allFields.filter((name) => data[name] === undefined)
  const keys = Object.keys(data).filter((key) => !allFields.includes(key))
  return keys.map((key) => ({
    path: [key],
    message: tellUnknown(key, { known: allFields, absent, missing: ['kind'] }),
  }))
}

function readSoap(dsl: ParsedDslFile): ReadDsl {
  const { value, unknown } = settled(dsl, 'soap', parseSoap(dsl.data))
  refuseIfAny(dsl, [...versionProblems(value), ...(value.declared ?? []).flatMap(declarationProblems)], unknown)
  const { template, warnings: templateWarnings } = readTemplate(dsl, value)
  const { group, service, file } = dsl
  const endpoint: Endpoint = Object.freeze({
    kind: 'soap',
    group,
    service,
    path: '',
    methods: Object.freeze([value.method]),
    file,
    title: value.title,
    description: value.description,
    limits: limitsOf(value),
    params: Object.freeze([...new Set(value.params)]),
    choices: toChoices(value.choices),
    declared: value.declared && Object.freeze(value.declared),
    validation: value.validateRequests,
    url: value.service === undefined ? undefined : new URL(value.service).href,
    soapVersion: value.soapVersion,
    soapAction: value.soapAction,
    envelope: template,
    response: value.response,
    attachments: value.attachments,
    isGenerated: isGenerated(dsl.text),
    client: value.client,
    callerHeaders: readCallerHeaders(dsl, value),
  })
  // A variable in an envelope was meant for a placeholder.
  const problems = [...unknown.filter(({ path }) => path[0] !== 'envelope'), ...soapWarnings(value, template)]
  const words = (found: readonly Problem[]): string[] => byLine(found, dsl.places).map((each) => inWords(dsl, each))
  if (endpoint.isGenerated) {
    return { endpoint, warnings: words(problems), templateWarnings, envelopeWarnings: [], notices: [] }
  }
  const slips = tellFound(dsl, value.envelope, (text) => slipsIn(text, value.params))
  const warnings = [...words(problems), ...slips]
  const envelopeWarnings = tellTemplate(dsl, envelopeProblem(value, template))
  return { endpoint, warnings, templateWarnings, envelopeWarnings, notices: words(unusedParams(value)) }
}

function versionProblems({ soapVersion, service }: SoapFile): readonly Problem[] {
  if (soapVersions[soapVersion].isOfXroad || service !== undefined) return []
  const message = `found ${soapVersion} in a file without service: a Security Server takes SOAP 1.1 only; leave it out, or call the service directly`
  return [{ path: ['soap_version'], message }]
}

function readRest(dsl: ParsedDslFile, env: Environment): ReadDsl {
  const { value, unknown } = settled(dsl, 'rest', parseRest(dsl.data), operationProblems(dsl.data))
  const { group, service, file } = dsl
  const { method, methods = method === undefined ? [] : [method], target, openapi } = value
  const { edits, problems: headerProblems } = readHeaderEdits(value.headers ?? { remove: [], set: {} }, env)
  refuseIfAny(dsl, headerProblems, unknown)
  const endpoint: Endpoint = Object.freeze({
    kind: 'rest',
    group,
    service,
    path: toParameterPath(parsePathTemplate(target.path)),
    methods: Object.freeze([...new Set(methods)]),
    file,
    title: value.title,
    description: value.description,
    limits: limitsOf(value),
    target,
    headers: edits,
    allowedQueryParams: value.allowedQueryParams && new Set(value.allowedQueryParams),
    forwardBody: value.forwardBody,
    client: value.client,
  })
  const wrong = byLine([...unknown, ...restWarnings(dsl, target.path)], dsl.places)
  const warnings = wrong.map((problem) => inWords(dsl, problem))
  const read = { endpoint, warnings, templateWarnings: [], envelopeWarnings: [], notices: [] }
  return openapi === undefined ? read : { ...read, openapi: { name: openapi, line: dsl.places.lineOf(['openapi']) } }
}

function limitsOf({ timeoutSecs: timeoutSeconds, maxResponseBytes }: SoapFile | RestFile): EndpointLimits {
  return Object.freeze({ timeoutSeconds, maxResponseBytes })
}

function settled<File extends SoapFile | RestFile>(
  dsl: ParsedDslFile,
  kind: Kind,
  parsed: Parsed<File>,
  more: readonly Problem[] = [],
) {
  const unknown = unknownFields(parsed.unknown, kind)
  refuseIfAny(dsl, [...parsed.problems, ...more], unknown)
  const value = parsed.value as File
  refuseIfAny(dsl, strangerProblems(value.client, dsl), unknown)
  return { value, unknown }
}

/** It has to be known who calls. */
function strangerProblems(name: string | undefined, { clients }: ParsedDslFile): readonly Problem[] {
  if (name === undefined || clients === undefined || clients.includes(name)) return []
  return [{ path: ['client'], message: tellStranger(name, clients) }]
}

/**
 * Generated envelopes have places for all where they have an X-Road header: nothing has to be looked for in hundreds of
 * them.
 */
function readCallerHeaders({ text }: ParsedDslFile, { envelope, service }: SoapFile): readonly string[] {
  if (!isGenerated(text)) return callerHeadersIn(envelope)
  return service === undefined ? allCallerHeaders : []
}

function readTemplate(dsl: ParsedDslFile, { envelope, params }: SoapFile): { template: Template; warnings: string[] } {
  const path = ['envelope']
  try {
    // The names of a generated file come out of its own params.
    const known = isGenerated(dsl.text) ? undefined : { params, nearest }
    const { template, warnings } = parseTemplate(envelope, known)
    return { template, warnings: tellTemplate(dsl, warnings) }
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error
    const first = dsl.places.firstLineOf(path)
    const line = first === undefined ? dsl.places.lineOf(path) : first + error.line - 1
    throw new StartupFailure('invalid_dsl', `${dsl.file}:${line}: envelope: ${error.message}`)
  }
}

/** A field of the other kind is not a typing error, unless it is the plural of one of this kind. */
function unknownFields(unknown: readonly Problem[], kind: Kind): Problem[] {
  const other = kind === 'soap' ? 'rest' : 'soap'
  return unknown.map(({ path, message }) => {
    const key = String(path[0])
    const isPlural = fieldNames[kind].includes(key.replace(/s$/, ''))
    const isOfOther = path.length === 1 && fieldNames[other].includes(key) && !isPlural
    return {
      path,
      message: isOfOther ? `has no effect in a file of kind ${kind}, only in one of kind ${other}` : message,
    }
  })
}

function restWarnings({ data }: ParsedDslFile, path: string): Problem[] {
  const [, name] = /\/:(\w+)/.exec(path) ?? []
  const named = name === undefined ? [] : [`:${name} goes out as it is; a parameter is written {${name}}`]
  const url = /^\/?https?:\/\//i.test(path) ? ['a URL goes out as it is; write what follows its host'] : []
  return [
    ...[...named, ...url].map((message) => ({ path: ['target', 'path'], message })),
    ...(data['allowed_query_params'] === null ? [leftEmpty] : []),
  ]
}

const leftEmpty: Problem = {
  path: ['allowed_query_params'],
  message: 'left empty: every query parameter is forwarded; [] forwards none',
}

/** Unknown fields alone are no reason to refuse a file, but may be the cause of another one. */
function refuseIfAny(dsl: ParsedDslFile, problems: readonly Problem[], unknown: readonly Problem[]): void {
  if (problems.length > 0) refuse(dsl, ...problems, ...unknown)
}

function refuse(dsl: ParsedDslFile, ...problems: readonly Problem[]): never {
  throw new StartupFailure(
    'invalid_dsl',
    joinProblems(problems, dsl.places, (problem) => inWords(dsl, problem)),
  )
}

function inWords({ file, places }: ParsedDslFile, { path, message }: Problem): string {
  return `${file}:${places.lineOf(path)}: ${toFieldName(path)}: ${message}`
}
