/**
 * A contender over HTTP as a racer: what it is asked in a scenario, and whether the database has the rows it speaks of.
 */
import { type Ask, type Callers as AskedCallers, startHttpRacer } from '@services/bench'
import type { Arena } from '../arena.ts'
import type { Callers, Scenario } from '../scenarios/scenario.ts'
import type { Contender, HttpContender } from './contender.ts'

export function overHttp(http: HttpContender): Contender {
  const { title } = http
  return {
    title,
    async startRacer(scenario, arena) {
      const { project, ratePerSecond, beside } = scenario
      return startHttpRacer({
        title,
        command: await http.command(arena, scenario),
        callers: { ...toAsked(http, scenario, scenario), ...(ratePerSecond === undefined ? {} : { ratePerSecond }) },
        ...(beside === undefined ? {} : { beside: toAsked(http, beside, scenario) }),
        beforeRound: () => arena.emptyNotes(project),
        afterRound: (answers) => checkNotes(title, answers, scenario, arena),
      })
    },
  }
}

function toAsked(http: HttpContender, { connections, requests }: Callers, scenario: Scenario): AskedCallers {
  const asks = requests.map((request): Ask => {
    const { expected, isSlow = false } = request
    return { ...http.ask(request), expected, isSlow, isRight: (answer) => http.isRight(answer, request, scenario) }
  })
  return { connections, asks }
}

/** Whether the database has the rows that the answers speak of. */
async function checkNotes(
  title: string,
  answers: readonly number[],
  { project, requests }: Scenario,
  arena: Arena,
): Promise<void> {
  const promised = requests.reduce((sum, { added = 0 }, index) => sum + added * answers[index]!, 0)
  if (promised === 0) return
  const found = await arena.countNotes(project)
  if (found !== promised) throw new Error(`${title}: its answers speak of ${promised} new rows, but there are ${found}`)
}
