/**
 * This sqlapi beside an older one, in every scenario: what a race between the two is. Which of them has become slower is
 * judged by @services/bench.
 */
import {
  compare,
  exitCode,
  exportRelease,
  type Figures,
  type Pair,
  type Sides,
  thereAndBack,
  toReport,
  type Trial,
} from '@services/bench'
import { type Arena, openArena } from './arena.ts'
import { makeBoot, mostFiles } from './boot.ts'
import { overHttp } from './contenders/http.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { medianOf } from './figures.ts'
import { fetchMillion } from './million.ts'
import type { Options } from './options.ts'
import { race, type Result } from './race.ts'
import { writeComparison } from './readme.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** There and back. */
const lengths = { rounds: 2, warmUpSeconds: 1, seconds: 1 }
/** With all scenarios a race of each takes more than half of this. */
const secondsPerRound = 330

/** Its folder, if it is not this one, and how its contender is called. */
interface Side {
  readonly title: string
  readonly service?: string
}

/** Prints a table; gives the exit code. */
export async function compareWith(which: string, { only, rounds, isWritten }: Options): Promise<number> {
  const arena = await openArena(false)
  try {
    const release = exportRelease(which, 'services/sqlapi', arena.folder)
    console.error(`Compared with ${release.title}.`)
    for (const remark of release.remarks) console.error(remark)
    const sides = { ours: { title: 'this' }, theirs: { title: release.title, service: release.service } }
    const trials = makeTrials(sides, arena).filter(({ name }) => only.length === 0 || only.includes(name))
    const races = rounds ?? 1
    const all = await compare(trials, { races, seconds: races * secondsPerRound }, console.error)
    const report = toReport(all, `sqlapi ${release.title}`, `PostgreSQL ${arena.postgresVersion}`)
    console.log(report)
    if (isWritten) writeComparison(report)
    return exitCode(all)
  } finally {
    await arena.remove()
  }
}

function makeTrials(sides: Sides<Side>, arena: Arena): Trial[] {
  const startOnce = makeBoot(arena.folder, mostFiles)
  const races = scenarios.map((scenario): Trial => {
    const { name, title, merit } = scenario
    return {
      name,
      title,
      merit: merit === 'p99' ? 'p99' : 'requests/s',
      race: (isThisFirst) => raceOnce(scenario, sides, isThisFirst, arena),
    }
  })
  const million = async (side: Side): Promise<Figures> => {
    const { seconds, peakMiB } = await fetchMillion(sqlapi(side), arena)
    return { speed: 1 / seconds, peak: peakMiB }
  }
  const boot = async ({ service }: Side): Promise<Figures> => {
    const { seconds, cpuSeconds, peakMiB } = await startOnce(service)
    return { speed: 1 / seconds, cpu: cpuSeconds, peak: peakMiB }
  }
  const alone = [
    { name: 'million', title: 'one answer of 1 000 000 rows', measure: million },
    { name: 'boot', title: `boot of 10 000 files`, measure: boot },
  ].map(({ name, title, measure }): Trial => {
    return { name, title, merit: 'time', race: (isThisFirst) => thereAndBack(sides, isThisFirst, measure) }
  })
  return [...races, ...alone]
}

async function raceOnce(
  scenario: Scenario,
  { ours, theirs }: Sides<Side>,
  isThisFirst: boolean,
  arena: Arena,
): Promise<Pair> {
  const order = isThisFirst ? [ours, theirs] : [theirs, ours]
  const contenders = order.map((side) => overHttp(sqlapi(side)))
  const [first, second] = (await race(scenario, contenders, arena, lengths)).map((result) =>
    toFigures(result, scenario),
  )
  return isThisFirst ? { ours: first!, theirs: second! } : { ours: second!, theirs: first! }
}

function toFigures(result: Result, { merit }: Scenario): Figures {
  const requestsPerSecond = medianOf(result, 'requestsPerSecond') ?? Number.NaN
  const p99Ms = medianOf(result, 'p99Ms') ?? Number.NaN
  const cpu = medianOf(result, 'cpuSecondsPer1000') ?? Number.NaN
  const { peakMiB } = result
  return {
    speed: merit === 'p99' ? 1 / p99Ms : requestsPerSecond,
    requestsPerSecond,
    p99Ms,
    cpu,
    ...(peakMiB === undefined ? {} : { peak: peakMiB }),
  }
}
