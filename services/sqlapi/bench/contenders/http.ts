/**
 * A contender over HTTP as a racer: its process is started, each request is asked once and its answer checked, and in the
 * rounds the load wants these very answers again.
 */
import { createHash } from 'node:crypto'
import type { Arena } from '../arena.ts'
import type { Measured, WireRequest } from '../load.ts'
import { drive, type Server, startServer } from '../process.ts'
import type { Callers, Scenario } from '../scenarios/scenario.ts'
import type { Asked, Contender, HttpContender, Racer, Round } from './contender.ts'

const rampSeconds = 0.5
const contentType = 'content-type: application/json\r\n'

export function overHttp(http: HttpContender): Contender {
  return {
    title: http.title,
    async startRacer(scenario, arena) {
      const server = await startServer(await http.command(arena, scenario))
      try {
        return await enter(http, server, scenario, arena)
      } catch (error) {
        await server.stop()
        throw error
      }
    },
  }
}

async function enter(http: HttpContender, server: Server, scenario: Scenario, arena: Arena): Promise<Racer> {
  const { connections, ratePerSecond, beside } = scenario
  const group = {
    connections,
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    requests: await checked(http, server.port, scenario, scenario),
  }
  const others = beside && {
    connections: beside.connections,
    requests: await checked(http, server.port, beside, scenario),
  }
  const driveOnce = (seconds: number, groups: (typeof group)[]): Promise<Measured> =>
    drive({ port: server.port, rampSeconds, seconds, groups })
  return {
    async round(seconds) {
      await arena.emptyNotes(scenario.project)
      const alone = others && (await driveOnce(seconds, [group]))
      const before = server.usage()
      const measured = await driveOnce(seconds, others === undefined ? [group] : [group, others])
      const cpuSeconds = server.usage().cpuSeconds - before.cpuSeconds
      await checkNotes(http, measured, scenario, arena)
      return toRound(measured, cpuSeconds, alone)
    },
    usage: () => server.usage(),
    stop: () => server.stop(),
  }
}

function toRound(measured: Measured, cpuSeconds: number, alone: Measured | undefined): Round {
  const { requestsPerSecond, p50Ms, p99Ms, loadCpuSecondsPer1000, answers } = measured
  return {
    requestsPerSecond,
    p50Ms,
    p99Ms,
    loadCpuSecondsPer1000,
    cpuSecondsPer1000: (cpuSeconds / sum(answers.flat())) * 1000,
    ...(alone === undefined ? {} : { aloneP99Ms: alone.p99Ms }),
  }
}

/** Asks everything once, one after the other; what is right now has to come each time. */
async function checked(
  http: HttpContender,
  port: number,
  { requests }: Callers,
  scenario: Scenario,
): Promise<WireRequest[]> {
  const checked: WireRequest[] = []
  for (const request of requests) {
    const asked = http.ask(request)
    const { method, target, body } = asked
    const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
    const response = await fetch(`http://127.0.0.1:${port}${target}`, { method, ...init })
    const answer = await response.text()
    if (!http.isRight({ status: response.status, body: answer }, request, scenario)) {
      const got = `${response.status} ${answer.slice(0, 500)}`
      throw new Error(`${http.title}: ${method} ${target}: ${got}\nexpected ${request.expected.slice(0, 500)}`)
    }
    const sha256 = createHash('sha256').update(answer).digest('hex')
    checked.push({ bytes: toBytes(asked), status: response.status, sha256, isCounted: request.isSlow !== true })
  }
  return checked
}

function toBytes({ method, target, body }: Asked): string {
  const head = `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}${contentType}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Whether the database has the rows that the answers speak of. */
async function checkNotes(
  { title }: HttpContender,
  { answers }: Measured,
  { project, requests }: Scenario,
  arena: Arena,
): Promise<void> {
  const promised = sum(requests.map(({ added = 0 }, index) => added * answers[0]![index]!))
  if (promised === 0) return
  const found = await arena.countNotes(project)
  if (found !== promised) throw new Error(`${title}: its answers speak of ${promised} new rows, but there are ${found}`)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
