/** What takes part in a race: something that can be driven for a round and says how fast it was. */
import type { Arena } from '../arena.ts'
import { isSameMeaning } from '../meaning.ts'
import type { Command } from '../process.ts'
import type { Request, Scenario } from '../scenarios/scenario.ts'
import { statements } from '../statements.ts'
import type { Usage } from '../usage.ts'

export interface Contender {
  /** As it is called in tables. */
  readonly title: string
  startRacer(scenario: Scenario, arena: Arena): Promise<Racer>
}

export interface Racer {
  round(seconds: number): Promise<Round>
  /** Nothing of what is over with each round. */
  usage(): Usage | undefined
  stop(): Promise<void>
}

/** One round. What a contender cannot know of itself is left out. */
export interface Round {
  readonly requestsPerSecond: number
  readonly p50Ms?: number
  readonly p99Ms?: number
  /** In scenarios with others who call at the same time: without them. */
  readonly aloneP99Ms?: number
  readonly cpuSecondsPer1000?: number
  /** What the load itself has used. */
  readonly loadCpuSecondsPer1000?: number
}

/** A contender that is called over HTTP. */
export interface HttpContender {
  readonly title: string
  command(arena: Arena, scenario?: Scenario): Command | Promise<Command>
  /** How it is asked. */
  ask(request: Request): Asked
  /** Whether its answer is right. */
  isRight(answer: Answered, request: Request, scenario: Scenario): boolean
}

export interface Asked {
  readonly method: string
  readonly target: string
  readonly body?: string
}

export interface Answered {
  readonly status: number
  readonly body: string
}

/** As endpoints are called: the query string of a GET, the JSON body of a POST. */
export function askRest({ method, path, input }: Request): Asked {
  if (method === 'POST') return { method, target: path, body: JSON.stringify(input) }
  const query = new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)])).toString()
  return { method, target: query === '' ? path : `${path}?${query}` }
}

/** Right for whom sqlapi's spelling is not the measure. */
export function isRightInMeaning({ status, body }: Answered, { path, expected, refusal }: Request): boolean {
  if (refusal !== undefined) return refusal.test(body)
  return status === 200 && isSameMeaning(body, expected, statements.get(path)?.booleans)
}
