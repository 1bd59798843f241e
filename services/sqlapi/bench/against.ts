/**
 * This sqlapi beside an older one, in every scenario: what a race between the two is. Which of them has become slower
 * is judged by @services/bench.
 */
import {
  compareWithRelease,
  type Entrant,
  exportRelease,
  type Figures,
  type Lengths,
  type Options,
  racePair,
  type Sides,
  thereAndBack,
  type Trial,
} from '@services/bench'
import { type Arena, openArena } from './arena.ts'
import { makeBoot, mostFiles } from './boot/boot.ts'
import { withManyCallers } from './callers.ts'
import { toEntrant } from './contenders/contender.ts'
import { overHttp } from './contenders/http.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { fetchMillion } from './million.ts'
import { readme, script } from './report/readme.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** There and back. */
const lengths: Lengths = { rounds: 2, warmUpSeconds: 1, seconds: 1 }
/** With all scenarios a race of each takes more than half of this. */
const secondsPerRound = 330

/** Its folder, if it is not this one, and how its contender is called. */
interface Side {
  readonly title: string
  readonly service?: string
}

/** Prints a table; gives the exit code. */
export async function compareWith(which: string, { only, rounds, isWritten }: Options): Promise<number> {
  const arena = await openArena(new Set(['sqlapi']))
  try {
    const release = exportRelease(which, 'services/sqlapi', arena.folder)
    const sides = { ours: { title: 'this' }, theirs: { title: release.title, service: release.service } }
    const trials = makeTrials(sides, arena).filter(({ name }) => only.length === 0 || only.includes(name))
    const races = rounds ?? 1
    return await compareWithRelease({
      service: 'sqlapi',
      release,
      trials,
      limits: { races, seconds: races * secondsPerRound },
      versions: `PostgreSQL ${arena.postgresVersion}`,
      page: isWritten ? { file: readme, script } : undefined,
    })
  } finally {
    await arena.remove()
  }
}

function makeTrials(sides: Sides<Side>, arena: Arena): Trial[] {
  const startOnce = makeBoot(arena.folder, mostFiles)
  const races = [...scenarios, withManyCallers].map((scenario): Trial => {
    const { name, title, merit } = scenario
    const entrants = { ours: enter(sides.ours, scenario, arena), theirs: enter(sides.theirs, scenario, arena) }
    return { name, title, merit, race: (isThisFirst) => racePair({ name, merit, entrants, lengths }, isThisFirst) }
  })
  const million = async (side: Side): Promise<Figures> => {
    const { seconds, peakMiB } = await fetchMillion(sqlapi(side), arena)
    return { speed: 1 / seconds, peak: peakMiB }
  }
  const boot = async ({ service }: Side): Promise<Figures> => {
    const { seconds, cpuSeconds, peakBytes } = await startOnce(service)
    return { speed: 1 / seconds, cpu: cpuSeconds, peak: peakBytes }
  }
  const alone = [
    { name: 'million', title: 'one answer of 1 000 000 rows', measure: million },
    { name: 'boot', title: `boot of 10 000 files`, measure: boot },
  ].map(({ name, title, measure }): Trial => {
    return { name, title, merit: 'time', race: (isThisFirst) => thereAndBack(sides, isThisFirst, measure) }
  })
  return [...races, ...alone]
}

function enter(side: Side, scenario: Scenario, arena: Arena): Entrant {
  return toEntrant(overHttp(sqlapi(side)), scenario, arena)
}
