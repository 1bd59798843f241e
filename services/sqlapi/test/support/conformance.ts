/**
 * Runs every folder of cases/sql on every engine that it names: the files become a running service, the requests are
 * sent in order, each answer is compared. Cases that need nothing of their own but endpoints and a database share a
 * service, and the database is emptied between them. A case is not registered for an engine that cannot run it; its
 * case.json says why. What a folder holds is explained in cases/sql/README.md.
 */
import { ok, rejects, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { canonicalJson, isFull } from '@services/testing'
import { dialectNames } from '../../src/dialects.ts'
import type { StartupFailure } from '../../src/errors.ts'
import type { Dialect } from '../../src/model.ts'
import { type Case, type CaseRequest, type Expectation, readCases, readSchema, readTree } from './cases.ts'
import type { TestReply, TestService, TestServiceOptions } from './service.ts'

/** Path below `sql_dir` -> text. */
export type Files = ReturnType<typeof readTree>

/** What the cases are run on. */
export interface Conformance {
  /** Stands at the end of every title. */
  readonly tag?: string
  readonly start: (options: TestServiceOptions) => Promise<TestService>
  /** Whether a case can be run there; without it, each can. */
  readonly canRun?: (given: Case, files: Files) => boolean
  /** Each that a case names, unless told otherwise. */
  readonly engines?: readonly Dialect[]
  /** Every tenth case is run, and these; the nightly run takes all. */
  readonly sample?: (given: Case) => boolean
  /** Whether another answer than the expected one is right there. */
  readonly accepts?: (given: Case, reply: TestReply) => boolean
}

const cases = readCases(join(import.meta.dirname, '../cases/sql'))
const sampleStep = 10

/** What is wrong is in the answers, and not that a busy machine opens connections slowly. */
const patient = { acquire_timeout_seconds: 300 }

/** A case as it is run on one engine. */
interface Trial {
  readonly given: Case
  readonly engine: Dialect
  readonly files: Files
  readonly schema: string | undefined
}

export function runCases(conformance: Conformance): void {
  const { tag, start, engines = dialectNames, canRun = () => true, sample = () => true } = conformance
  const chosen = cases.filter((given, index) => isFull || index % sampleStep === 0 || sample(given))
  const titleOf = ({ given, engine }: Trial): string =>
    [`${given.title} (${given.name}, ${engine})`, ...given.rule.map((rule) => `[${rule}]`), tag]
      .filter(Boolean)
      .join(' ')
  describe(`cases ${tag ?? ''}`, { concurrency: 6 }, () => {
    for (const engine of engines) {
      const trials = chosen
        .filter((given) => given.engines.includes(engine))
        .map((given) => toTrial(given, engine))
        .filter(({ given, files }) => canRun(given, files))
      const guests = Map.groupBy(trials.filter(mayShare), ({ given }) => JSON.stringify(given.datasource))
      for (const sharing of guests.values()) {
        const { datasource } = (sharing[0] as Trial).given
        // One case at a time, so that each has the service and the database to itself.
        describe(`cases of ${engine} that share a service`, { concurrency: 1 }, () => {
          let service: TestService
          before(async () => {
            const files = Object.assign({}, ...sharing.map(moved)) as Files
            const config = { default_datasource: 'demo' }
            service = await start({ kind: engine, files, datasource: { ...patient, ...datasource }, config })
          })
          after(() => service.close())
          for (const [index, guest] of sharing.entries())
            test(titleOf(guest), async () => {
              await service.remake(guest.schema)
              await sendAll(service, guest, conformance, projectOf(index))
            })
        })
      }
      for (const trial of trials.filter((each) => !mayShare(each)))
        test(titleOf(trial), () => runAlone(trial, conformance))
    }
  })
}

function toTrial(given: Case, engine: Dialect): Trial {
  return { given, engine, files: readTree(given.folder, engine), schema: readSchema(given.folder, engine) }
}

/**
 * Whether the case has nothing of its own but endpoints and what is in its database, and says nothing of their project:
 * to start a service for each of these would be most of the work.
 */
function mayShare({ given, files, schema, engine }: Trial): boolean {
  const { datasources, datasource, config, links, refused, logIncludes, requests } = given
  const own = [datasources, datasource?.['url'], config, links, refused, logIncludes]
  return (
    own.every((each) => each === undefined) &&
    !(engine === 'postgres' && makesCode(files, schema)) &&
    Object.keys(files).every((path) => path.startsWith('demo/')) &&
    requests.every(({ request, ...rest }) => atDemo.test(request) && !JSON.stringify(rest).includes('demo'))
  )
}

/** Stored code is read when the service connects, and again when a statement of its own may have changed it. */
function makesCode(files: Files, schema = ''): boolean {
  const making = /\bcreate\b[^;]*\b(?:function|procedure|trigger|view|rule|set_config)\b/i
  return [schema, ...Object.values(files)].some((text) => making.test(Buffer.from(text).toString()))
}

const atDemo = /(?<=^\w+ \/)demo(?=\/)/

/** Instead of `demo`, where cases share a service. */
function projectOf(index: number): string {
  return `case${index}`
}

function moved({ files }: Trial, index: number): Files {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path.replace('demo/', `${projectOf(index)}/`), text]),
  )
}

async function runAlone(trial: Trial, conformance: Conformance): Promise<void> {
  const { engine, files, schema } = trial
  const { links, datasources, datasource, config, refused, logIncludes } = trial.given
  const start = (): Promise<TestService> =>
    conformance.start({
      kind: engine,
      files,
      links,
      schema,
      datasources,
      datasource: { ...patient, ...datasource },
      config,
    })
  if (refused !== undefined) {
    await rejects(start, ({ name, message }: StartupFailure) => {
      strictEqual(name, refused.error)
      includesAll(message, refused.messageIncludes)
      return true
    })
    return
  }
  const service = await start()
  try {
    await sendAll(service, trial, conformance)
  } finally {
    await service.close()
  }
  if (logIncludes === undefined) return
  ok(
    service.log.some((line) => line.includes(logIncludes)),
    `log has ${logIncludes}`,
  )
}

async function sendAll(
  service: TestService,
  { given, engine }: Trial,
  conformance: Conformance,
  project = 'demo',
): Promise<void> {
  for (let round = 1; round <= given.repeat; round++) {
    for (const [index, request] of given.requests.entries()) {
      if (request.only === undefined || request.only === engine)
        await check(
          service,
          { ...request, request: request.request.replace(atDemo, project) },
          { given, engine, conformance },
          `requests[${index}] ${request.request}, round ${round}`,
        )
    }
  }
}

interface Run {
  readonly given: Case
  readonly engine: Dialect
  readonly conformance: Conformance
}

async function check(service: TestService, request: CaseRequest, run: Run, place: string): Promise<void> {
  const { given, engine, conformance } = run
  const [method = '', path = ''] = request.request.split(/ (.*)/s)
  const reply = await service.send({ method, path, headers: request.headers, body: toBody(request) })
  if (conformance.accepts?.(given, reply) === true) return
  compare(reply, { ...request, ...request[engine] }, place)
}

function toBody({ body, raw, hex }: CaseRequest): string | Uint8Array | undefined {
  if (hex !== undefined) return Buffer.from(hex, 'hex')
  return raw ?? (body === undefined ? undefined : JSON.stringify(body))
}

function compare(reply: TestReply, expected: Expectation, place: string): void {
  const { status, json, text, error, messageIncludes, replyHeaders = {} } = expected
  const shown = `${place}: ${reply.status} ${reply.text.slice(0, 2000)}`
  strictEqual(String(reply.status), JSON.stringify(status ?? (error === undefined ? 200 : 400)), shown)
  if (text !== undefined) strictEqual(reply.text, text, place)
  if (json !== undefined) strictEqual(canonicalJson(reply.text), JSON.stringify(json), place)
  if (error !== undefined) {
    const body = JSON.parse(reply.text) as { error: string; message: string }
    strictEqual(Object.keys(body).join(), 'error,message', shown)
    strictEqual(body.error, error, shown)
    strictEqual(typeof body.message, 'string', shown)
    includesAll(body.message, messageIncludes)
  }
  for (const [name, value] of Object.entries(replyHeaders)) strictEqual(reply.headers[name], value, `${place}: ${name}`)
}

function includesAll(message: string, parts: string | readonly string[] = []): void {
  for (const part of [parts].flat())
    ok(message.includes(part), `${JSON.stringify(message)} has ${JSON.stringify(part)}`)
}
