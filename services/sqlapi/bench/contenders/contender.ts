/** What takes part in a race: something that can be driven for a round and says how fast it was. */
import type { Answered, Ask, Command, Entrant, Racer } from '@services/bench'
import type { Arena } from '../arena.ts'
import { isSameMeaning } from '../scenarios/meaning.ts'
import type { Request, Scenario } from '../scenarios/scenario.ts'
import { statements } from '../scenarios/statements.ts'

export interface Contender {
  /** As it is called in tables. */
  readonly title: string
  startRacer(scenario: Scenario, arena: Arena): Promise<Racer>
}

/** It takes part in the race of this scenario. */
export function toEntrant(contender: Contender, scenario: Scenario, arena: Arena): Entrant {
  return { title: contender.title, start: () => contender.startRacer(scenario, arena) }
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

export type Asked = Pick<Ask, 'method' | 'target' | 'body'>

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
