/**
 * A server as a racer: its process is started, each request is asked once and its answer checked, and in the rounds the
 * load wants these very answers again. Which answers are right the service says.
 */
import { createHash } from 'node:crypto'
import { drive, type GroupPlan, type Measured, type WireRequest } from '../load/drive.ts'
import { type Command, type Server, startServer } from '../process/server.ts'
import type { Racer, Round } from './race.ts'

/** What is asked, and what has to come. */
export interface Ask {
  readonly method: string
  readonly target: string
  /** JSON. */
  readonly body?: string
  isRight(answer: Answered): boolean
  /** The right answer, for the message if another one comes. */
  readonly expected: string
  /** Takes so long that its time is not counted among those of the others. */
  readonly isSlow?: boolean
}

export interface Answered {
  readonly status: number
  readonly body: string
}

export interface Callers {
  readonly connections: number
  /** A closed loop if left out: each connection sends its next request when it has its answer. */
  readonly ratePerSecond?: number
  /** Taken in turns. */
  readonly asks: readonly Ask[]
}

export interface HttpRace {
  readonly title: string
  readonly command: Command
  readonly callers: Callers
  /** Others who call at the same time. A round is driven without them first. */
  readonly beside?: Callers
  /** How long it is driven before a round counts; half a second if left out. */
  readonly rampSeconds?: number
  beforeRound?(): Promise<void>
  /** How often each of the callers' asks was answered. Throws if what they left behind is wrong. */
  afterRound?(answers: readonly number[]): Promise<void>
}

const usualRampSeconds = 0.5

export async function startHttpRacer(entered: HttpRace): Promise<Racer> {
  const server = await startServer(entered.command)
  try {
    return await enter(entered, server)
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function enter(entered: HttpRace, server: Server): Promise<Racer> {
  const { title, callers, beside, rampSeconds = usualRampSeconds } = entered
  const group = await toGroup(title, server.port, callers)
  const others = beside && (await toGroup(title, server.port, beside))
  const driveOnce = (seconds: number, groups: readonly GroupPlan[]): Promise<Measured> =>
    drive({ port: server.port, rampSeconds, seconds, groups })
  return {
    async round(seconds) {
      await entered.beforeRound?.()
      const alone = others && (await driveOnce(seconds, [group]))
      const before = server.usage()
      const measured = await driveOnce(seconds, others === undefined ? [group] : [group, others])
      const cpuSeconds = server.usage().cpuSeconds - before.cpuSeconds
      await entered.afterRound?.(measured.answers[0]!)
      return toRound(measured, cpuSeconds, alone)
    },
    usage: () => server.usage(),
    stop: () => server.stop(),
  }
}

async function toGroup(title: string, port: number, { asks, ...callers }: Callers): Promise<GroupPlan> {
  return { ...callers, requests: await checked(title, port, asks) }
}

/** Asks everything once, one after the other; what is right now has to come each time. */
async function checked(title: string, port: number, asks: readonly Ask[]): Promise<WireRequest[]> {
  const requests: WireRequest[] = []
  for (const ask of asks) {
    const { method, target, body } = ask
    const init = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
    const response = await fetch(`http://127.0.0.1:${port}${target}`, { method, ...init })
    const { status } = response
    const answer = await response.text()
    if (!ask.isRight({ status, body: answer })) {
      const got = `${status} ${answer.slice(0, 500)}`
      throw new Error(`${title}: ${method} ${target}: ${got}\nexpected ${ask.expected.slice(0, 500)}`)
    }
    const sha256 = createHash('sha256').update(answer).digest('hex')
    requests.push({ bytes: toBytes(ask), status, sha256, isCounted: ask.isSlow !== true })
  }
  return requests
}

function toBytes({ method, target, body }: Ask): string {
  const head = `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function toRound(measured: Measured, cpuSeconds: number, alone: Measured | undefined): Round {
  const { answers, ...figures } = measured
  const all = answers.flat().reduce((sum, some) => sum + some, 0)
  return {
    ...figures,
    cpuSecondsPer1000: (cpuSeconds / all) * 1000,
    ...(alone === undefined ? {} : { aloneP99Ms: alone.p99Ms }),
  }
}
