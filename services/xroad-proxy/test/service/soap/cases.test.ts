/**
 * Every folder of cases/soap: a DSL file, a request, an answer, and what becomes of them. README.md there explains the
 * files.
 */
import { ok, strictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { canonicalJson } from '@services/testing'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { type Act, startUpstream, toAnswer, type Upstream } from '../../support/upstreams/upstream.ts'

interface Case {
  readonly rule: readonly string[]
  readonly title: string
  /** That the caller gets; 200 unless given. */
  readonly status?: number
  /** Of the upstream's answer; 200 and `text/xml; charset=utf-8` unless given. */
  readonly answerStatus?: number
  readonly answerType?: string
  /** Fields of proxy.yaml. */
  readonly config?: Readonly<Record<string, unknown>>
}

const root = join(import.meta.dirname, '../../cases/soap')
const cases = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, ...(JSON.parse(read(name, 'case.json')?.toString() ?? '') as Case) }))

/** Stands in a DSL file for the address of the upstream that is called directly. */
const upstreamName = 'http://upstream.test'

let act: Act = () => undefined
let security: Upstream
let direct: Upstream
/** One service for each configuration. */
const services = new Map<string, Lanes>()

before(async () => {
  security = await startUpstream((socket, request) => act(socket, request), { tls: 'mock' })
  direct = await startUpstream((socket, request) => act(socket, request))
  const groups = Map.groupBy(cases, ({ config }) => keyOf(config))
  for (const [key, group] of groups) {
    const dsl = Object.fromEntries(group.map(({ name }) => [`cases/${name}.yml`, readDsl(name)]))
    const config = { ...group[0]?.config, security_server: { url: security.url } }
    services.set(key, await startLanes({ dsl, config }))
  }
})

after(async () => {
  for (const lanes of services.values()) await lanes.close()
  await Promise.all([security.close(), direct.close()])
})

for (const { name, rule, title, status = 200, answerStatus = 200, answerType, config } of cases) {
  test(`${rule.map((each) => `[${each}]`).join(' ')} ${title} (${name})`, async () => {
    const answer = read(name, 'answer.xml')
    const type = answerType === undefined ? {} : { type: answerType }
    act = (socket) => socket.write(toAnswer(answer ?? '', { status: answerStatus, ...type }))
    const received = [security.requests.length, direct.requests.length] as const
    const lanes = services.get(keyOf(config))!
    const body = read(name, 'request.json') ?? Buffer.alloc(0)
    const reply = await lanes.call(`/cases/${name}`, { method: 'POST', body })
    strictEqual(canonicalJson(reply.text), canonicalJson(String(read(name, 'expected.json'))))
    strictEqual(reply.status, status)
    const sent = [...security.requests.slice(received[0]), ...direct.requests.slice(received[1])]
    strictEqual(sent.length, answer === undefined ? 0 : 1)
    const expected = read(name, 'expected-request.xml')
    if (expected !== undefined) strictEqual(withoutIds(sent[0]?.body ?? ''), expected.toString())
  })
}

test('there are cases', () => {
  ok(cases.length >= 40)
})

function read(name: string, file: string): Buffer | undefined {
  const path = join(root, name, file)
  return existsSync(path) ? readFileSync(path) : undefined
}

function readDsl(name: string): string {
  return String(read(name, 'dsl.yml')).replace(upstreamName, direct.url)
}

function keyOf(config: Case['config'] = {}): string {
  return JSON.stringify(config)
}

/** Message ids are fresh with each run. */
function withoutIds(envelope: string): string {
  return envelope.replaceAll(/\b[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}\b/g, 'UUID')
}
