/**
 * Runs every folder of cases/sql on every engine that it names: the files become a running service, the requests are
 * sent in order, each answer is compared. A case is not registered for an engine that cannot run it; its case.json says
 * why. What a folder holds is explained in cases/sql/README.md.
 */
import { ok, rejects, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { canonicalJson } from '@services/testing'
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
  /** Whether another answer than the expected one is right there. */
  readonly accepts?: (given: Case, reply: TestReply) => boolean
}

const cases = readCases(join(import.meta.dirname, '../cases/sql'))

export function runCases(conformance: Conformance): void {
  describe(`cases ${conformance.tag ?? ''}`, { concurrency: 6 }, () => {
    for (const given of cases) {
      const tags = [...given.rule.map((rule) => `[${rule}]`), conformance.tag].filter(Boolean).join(' ')
      for (const engine of given.engines) {
        if (conformance.engines?.includes(engine) === false) continue
        if (conformance.canRun?.(given, readTree(given.folder, engine)) === false) continue
        test(`${given.title} (${given.name}, ${engine}) ${tags}`, () => runCase(given, engine, conformance))
      }
    }
  })
}

async function runCase(given: Case, engine: Dialect, conformance: Conformance): Promise<void> {
  const { folder, links, datasources, datasource, config, refused } = given
  const schema = readSchema(folder, engine)
  const files = readTree(folder, engine)
  const start = (): Promise<TestService> =>
    conformance.start({ kind: engine, files, links, schema, datasources, datasource, config })
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
    for (let round = 1; round <= given.repeat; round++) {
      for (const [index, request] of given.requests.entries()) {
        if (request.only === undefined || request.only === engine)
          await check(
            service,
            request,
            { given, engine, conformance },
            `requests[${index}] ${request.request}, round ${round}`,
          )
      }
    }
  } finally {
    await service.close()
  }
  const { logIncludes } = given
  if (logIncludes === undefined) return
  ok(
    service.log.some((line) => line.includes(logIncludes)),
    `log has ${logIncludes}`,
  )
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
