/**
 * One scenario: its contenders run beside each other and are driven in turns, so that what disturbs the machine for a while
 * disturbs them all. The answers are checked before the first round and in every round.
 */
import { median } from '@services/bench'
import { sha256 } from './answers.ts'
import { type Contender, drive, startContender } from './contender.ts'
import type { Measured, Plan } from './load.ts'
import { type ContenderName, connections, type Request, type Scenario } from './scenarios.ts'
import type { Setup } from './setup.ts'

export interface Lengths {
  readonly rounds: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

/** Medians over the rounds; the memory is the peak of the whole race. */
export interface Result {
  readonly contender: ContenderName
  readonly requestsPerSecond: number
  /** To the last contender, within each round. */
  readonly ratio: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuSecondsPer1000: number
  readonly peakMB: number
}

interface Racer {
  readonly name: ContenderName
  readonly process: Contender
  readonly requests: Plan['requests']
  readonly rounds: Round[]
}

interface Round extends Measured {
  readonly cpuSecondsPer1000: number
  /** Part of a core that the upstream took. */
  readonly upstreamBusy: number
}

const rampSeconds = 0.5

export async function race(scenario: Scenario, setup: Setup, lengths: Lengths): Promise<Result[]> {
  const racers: Racer[] = []
  try {
    for (const name of scenario.contenders) {
      const process = await startContender(setup.command(name, scenario), setup.folder)
      racers.push({ name, process, requests: await checkedRequests(name, process.port, scenario), rounds: [] })
    }
    for (const racer of racers) await runRound(racer, setup.upstream, lengths.warmUpSeconds)
    for (let round = 0; round < lengths.rounds; round++) {
      // There and back, so that none is always the one behind the same other.
      for (const racer of round % 2 === 0 ? racers : racers.toReversed()) {
        const measured = await runRound(racer, setup.upstream, lengths.seconds)
        racer.rounds.push(measured)
        console.error(`${scenario.name} ${racer.name} round ${round + 1}: ${describe(measured)}`)
      }
    }
    return racers.map((racer) => toResult(racer, racers.at(-1) as Racer))
  } finally {
    await Promise.all(racers.map((racer) => racer.process.stop()))
  }
}

/** Asks everything once, one after the other; what is right now has to come each time. */
async function checkedRequests(name: ContenderName, port: number, { requests }: Scenario): Promise<Plan['requests']> {
  const checked: { bytes: string; sha256: string }[] = []
  for (const request of requests) {
    const { method, target, body } = request
    const response = await fetch(`http://127.0.0.1:${port}${target}`, {
      method,
      ...(body === undefined ? {} : { body }),
    })
    const answer = await response.text()
    const expected = name === 'node-soap' ? request.expectedOfClient : request.expected
    if (response.status !== 200 || answer !== expected) {
      throw new Error(
        `${name}: ${method} ${target}: ${response.status} ${cut(answer)}\nexpected ${cut(expected ?? '')}`,
      )
    }
    checked.push({ bytes: toBytes(request), sha256: sha256(answer) })
  }
  return checked
}

function toBytes({ method, target, body }: Request): string {
  const head = `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n`
  if (body === undefined) return `${head}\r\n`
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

async function runRound({ process, requests }: Racer, upstream: Contender, seconds: number): Promise<Round> {
  const since = performance.now()
  const before = { own: process.usage(), upstream: upstream.usage() }
  const measured = await drive({ port: process.port, connections, rampSeconds, seconds, requests })
  const cpuSeconds = process.usage().cpuSeconds - before.own.cpuSeconds
  const upstreamSeconds = upstream.usage().cpuSeconds - before.upstream.cpuSeconds
  return {
    ...measured,
    cpuSecondsPer1000: (cpuSeconds / measured.answers) * 1000,
    upstreamBusy: upstreamSeconds / ((performance.now() - since) / 1000),
  }
}

function describe({ requestsPerSecond, cpuSecondsPer1000, loadCpuSecondsPer1000, upstreamBusy }: Round): string {
  const others = `load ${loadCpuSecondsPer1000.toFixed(3)}, upstream busy ${(upstreamBusy * 100).toFixed(0)} %`
  return `${Math.round(requestsPerSecond)}/s, ${cpuSecondsPer1000.toFixed(3)} CPU s per 1000 (${others})`
}

function toResult({ name, rounds, process }: Racer, last: Racer): Result {
  const medianOf = (value: (round: Round) => number): number => median(rounds.map(value))
  const ratios = rounds.map((round, index) => round.requestsPerSecond / last.rounds[index]!.requestsPerSecond)
  return {
    contender: name,
    requestsPerSecond: medianOf((round) => round.requestsPerSecond),
    ratio: median(ratios),
    p50Ms: medianOf((round) => round.p50Ms),
    p99Ms: medianOf((round) => round.p99Ms),
    cpuSecondsPer1000: medianOf((round) => round.cpuSecondsPer1000),
    peakMB: process.usage().peakMB,
  }
}

function cut(text: string): string {
  return text.slice(0, 500)
}
