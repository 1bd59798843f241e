/**
 * The body of a SOAP request -> the values for the envelope, in the way that an endpoint has for it: as they come, or
 * held against what a request may hold. Which way is decided at boot; where nothing is checked, a request costs nothing
 * more.
 */
import { misspelt, nearest, toFieldName } from '@services/config-file'
import { Failure, maxProblems, type RequestProblem } from '../../errors.ts'
import type { Events } from '../../events.ts'
import type { RawHeaders, Request, TemplateValues } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import type { Trace } from '../../trace.ts'
import type { RequestCheckInSteps, Validation } from '../../soap/check/check.ts'
import { maxDepth, pickParams, readDocument, readParams } from '../../soap/request/params.ts'
import { codingOf } from './coding.ts'

/** Bytes of a body that is parsed, checked and copied with pauses in between. */
export const largeBody = 64 * 1024

type Around = Pick<Request, 'headers' | 'target'>

/** Throws `invalid_request`. */
export interface RequestReader {
  /** Whether `readForm` wants parts of a form beyond the params of the endpoint. */
  readonly keepsOthers: boolean
  /** The rest of the request only explains what cannot be read, or is not there. */
  readJson(body: Uint8Array, trace: Trace, request: Around): Steps<TemplateValues>
  readForm(values: TemplateValues, trace: Trace): Steps<TemplateValues>
}

export function toReader(params: readonly string[], validation: Validation | undefined, events: Events): RequestReader {
  switch (validation?.mode) {
    case undefined:
      return lenientReader(params, events)
    case 'warn':
      return warningReader(params, validation, events)
    case 'refuse':
      return refusingReader(params, validation)
  }
}

/** Takes any body, but a mistake of all callers of an endpoint must not go out unnoticed. */
function lenientReader(params: readonly string[], events: Events): RequestReader {
  let nextLook = -Infinity
  const quietUntil = { body: -Infinity, keys: -Infinity }
  return {
    keepsOthers: false,
    // oxlint-disable-next-line require-yield -- the body has been counted
    *readJson(body, trace, { headers, target }) {
      const values = readParams(body, params)
      if ((body.length === 0 && !target.includes('?')) || params.every((name) => name in values)) return values
      const now = performance.now()
      if (now < nextLook) return values
      const missing = params.filter((name) => !(name in values))
      const { kind, problems } = unnoticed(body, headers, { params, missing })
      if (problems.length === 0 || now < quietUntil[kind]) {
        nextLook = Math.max(now + lookAgainMs, Math.min(quietUntil.body, quietUntil.keys))
      } else {
        quietUntil[kind] = now + tellAgainMs
        tell(problems, trace, events)
      }
      return values
    },
    // oxlint-disable-next-line require-yield -- there is nothing to do
    *readForm(values) {
      return values
    },
  }
}

const tellAgainMs = 600_000
/** A look reads the body once more, and most requests lack params that they may lack. */
const lookAgainMs = 1000

interface Lacking {
  readonly params: readonly string[]
  readonly missing: readonly string[]
}

/** `body`: it is no JSON object. `keys`: it has wrong ones. */
interface Unnoticed {
  readonly kind: 'body' | 'keys'
  readonly problems: readonly RequestProblem[]
}

const inQuery =
  'found nothing, and the query string has no effect; the values go into a JSON object as the body; the envelope goes out without values'

/** Why a body lacks params, with the cure; no problem if it need not have them. */
function unnoticed(body: Uint8Array, headers: RawHeaders, { params, missing }: Lacking): Unnoticed {
  if (body.length === 0) return { kind: 'body', problems: [{ param: '', problem: inQuery }] }
  if (missing.length < params.length) return { kind: 'keys', problems: misspeltIn(body, params, missing) }
  const document = readDocument(body)
  if (typeof document === 'string') {
    const problem = `${codingOf(headers) ?? document}; it counts as {}, and the envelope goes out without values; validate_requests: refuse answers with 400`
    return { kind: 'body', problems: [{ param: '', problem }] }
  }
  const keys = Object.keys(document)
  if (keys.length === 0) return { kind: 'keys', problems: [] }
  const wanted = params.slice(0, maxCompared.params)
  const near = keys.slice(0, maxCompared.keys).map((key) => nearest(key, wanted))
  const meant = near.find((name) => name !== undefined)
  const known = `${params.slice(0, maxLogged).join(', ')}${params.length > maxLogged ? ', ..' : ''}`
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const problem = `none of its ${keys.length} keys is a param (${known}), and the envelope goes out without values${hint}`
  return { kind: 'keys', problems: [{ param: '', problem }] }
}

/** Keys beside params that are nearly a param which the body lacks. */
function misspeltIn(
  body: Uint8Array,
  params: readonly string[],
  missing: readonly string[],
): readonly RequestProblem[] {
  const document = body.length > largeBody ? '' : readDocument(body)
  if (typeof document === 'string') return []
  const known = new Set(params)
  const others = Object.keys(document).filter((key) => !known.has(key))
  const wanted = missing.slice(0, maxCompared.params)
  return others.slice(0, maxCompared.keys).flatMap((key) => {
    const meant = misspelt(key, wanted)
    if (meant === undefined) return []
    return [
      { param: toFieldName([key]), problem: `no param of this endpoint, so it is dropped; did you mean ${meant}?` },
    ]
  })
}

const maxCompared = { keys: 20, params: 100 }

function tell(problems: readonly RequestProblem[], trace: Trace, events: Events): void {
  if (problems.length === 0) return
  const { endpoint, messageId: id, requestId: request_id, span } = trace
  const traceparent = span?.traceparent
  events.emit('requestInvalid', { endpoint, id, ...toLogged(problems), request_id, traceparent })
}

function warningReader(params: readonly string[], { check, flags }: Validation, events: Events): RequestReader {
  return {
    keepsOthers: true,
    *readJson(body, trace, { headers }) {
      const { problems } = yield* readChecked(body, headers, { params, check })
      tell(problems, trace, events)
      return readParams(body, params)
    },
    *readForm(values, trace) {
      tell(yield* check(withFlags(values, flags)), trace, events)
      return keep(values, params)
    },
  }
}

function refusingReader(params: readonly string[], { check, flags }: Validation): RequestReader {
  return {
    keepsOthers: true,
    *readJson(body, _trace, { headers }) {
      const { problems, values } = yield* readChecked(body, headers, { params, check })
      if (values === undefined) throw refuse(problems)
      return values
    },
    *readForm(values) {
      const problems = yield* check(withFlags(values, flags))
      if (problems.length > 0) throw refuse(problems)
      return keep(values, params)
    },
  }
}

interface Checked {
  readonly problems: readonly RequestProblem[]
  /** Undefined where there are problems. */
  readonly values?: TemplateValues | undefined
}

interface Wanted {
  readonly params: readonly string[]
  readonly check: RequestCheckInSteps
}

function* readChecked(body: Uint8Array, headers: RawHeaders, { params, check }: Wanted): Steps<Checked> {
  const document = readDocument(body)
  if (typeof document === 'string') return { problems: [{ param: '', problem: codingOf(headers) ?? document }] }
  if (body.length > largeBody) yield
  const problems = yield* check(document)
  if (body.length > largeBody) yield
  if (problems.length > 0) return { problems }
  const values = pickParams(document, params)
  if (values !== undefined) return { problems, values }
  return { problems: [{ param: '', problem: `nested deeper than ${maxDepth} levels, expected fewer` }] }
}

/** Elements that can hold nothing: a form has only the texts `true` and `false` for them. */
function withFlags(values: TemplateValues, flags: ReadonlySet<string> = noFlags): TemplateValues {
  const isText = (name: string): boolean => values[name] === 'true' || values[name] === 'false'
  const said = [...flags].filter(isText)
  if (said.length === 0) return values
  const changed = keep(values, Object.keys(values))
  return Object.assign(changed, Object.fromEntries(said.map((name) => [name, values[name] === 'true'])))
}

const noFlags: ReadonlySet<string> = new Set()

/** Files are not copied. */
function keep(values: TemplateValues, params: readonly string[]): TemplateValues {
  const kept = Object.create(null) as Record<string, TemplateValues[string]>
  for (const name of params) if (name in values) kept[name] = values[name] as TemplateValues[string]
  return kept
}

function refuse(problems: readonly RequestProblem[]): Failure {
  const [{ param, problem } = { param: '', problem: '' }] = problems
  const more = problems.length === 1 ? '' : ` (the first of ${countOf(problems)} problems)`
  const message = `the request does not fit and was not sent: ${param === '' ? 'the body' : param}: ${problem}${more}`
  return new Failure('invalid_request', message, { problems })
}

const maxLogged = 10

function toLogged(problems: readonly RequestProblem[]): { readonly problems: string; readonly count: string } {
  const shown = problems
    .slice(0, maxLogged)
    .map(({ param, problem }) => `${param === '' ? 'the body' : param}: ${problem}`)
  return { problems: shown.join('; '), count: countOf(problems) }
}

function countOf({ length }: readonly RequestProblem[]): string {
  return length < maxProblems ? String(length) : `${maxProblems} or more`
}
