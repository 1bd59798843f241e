/**
 * Guards against regressions: this sqlapi and an older one take turns, in a few scenarios. A scenario that looks slower is
 * repeated, with new processes each time, until chance can no longer explain it or it has been tried often enough.
 */
import { type Arena, openArena } from './arena.ts'
import type { Contender } from './contenders/contender.ts'
import { overHttp } from './contenders/http.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { median, medianOf, ratios } from './figures.ts'
import type { Options } from './options.ts'
import { type Lengths, race, type Result } from './race.ts'
import { guard, type Judgement, judgeRatios } from './regression.ts'
import { exportRelease } from './release.ts'
import { table } from './report.ts'
import { scenarios } from './scenarios/all.ts'
import type { Scenario } from './scenarios/scenario.ts'

const mostRepeats = 5
const block = { rounds: 5, warmUpSeconds: 1.5, seconds: 1 } satisfies Lengths

interface Compared {
  readonly scenario: Scenario
  /** New to old, of all rounds. */
  readonly ratios: readonly number[]
  /** CPU time for the same work, old to new: above 1 is less work. */
  readonly cpuRatio: number
  readonly judgement: Judgement
}

/** Prints a table; gives the exit code. */
export async function compare(which: string, { only, lengths }: Options): Promise<number> {
  const arena = await openArena(false)
  try {
    const release = exportRelease(which, arena.folder)
    console.error(`Compared with ${release.title}.`)
    for (const remark of release.remarks) console.error(remark)
    const contenders = [
      overHttp(sqlapi({ title: 'this' })),
      overHttp(sqlapi({ title: release.title, service: release.service })),
    ]
    const wanted = scenarios.filter(
      ({ isGuarded, name }) => isGuarded === true && (only.length === 0 || only.includes(name)),
    )
    const all: Compared[] = []
    for (const scenario of wanted) {
      all.push(await compareOne(scenario, contenders, arena, { ...block, rounds: Math.max(lengths.rounds, 3) }))
    }
    console.log(toTable(all, release.title))
    return all.some(({ judgement }) => judgement === 'slower') ? 1 : 0
  } finally {
    await arena.remove()
  }
}

async function compareOne(
  scenario: Scenario,
  contenders: readonly Contender[],
  arena: Arena,
  lengths: Lengths,
): Promise<Compared> {
  const all: number[] = []
  const cpu: number[] = []
  for (let repeat = 1; ; repeat++) {
    const [ours, theirs] = (await race(scenario, contenders, arena, lengths)) as [Result, Result]
    all.push(...ratios(ours, theirs, scenario.merit))
    cpu.push(
      (medianOf(theirs, 'cpuSecondsPer1000') ?? Number.NaN) / (medianOf(ours, 'cpuSecondsPer1000') ?? Number.NaN),
    )
    const judgement = judgeRatios(all)
    if (judgement !== 'unclear' || repeat === mostRepeats) {
      return { scenario, ratios: all, cpuRatio: median(cpu), judgement }
    }
    console.error(`${scenario.name}: ${median(all).toFixed(2)}, which may be noise; once more`)
  }
}

const words: Readonly<Record<Judgement, string>> = {
  fine: 'no',
  unclear: 'unclear: the machine is too noisy to tell',
  slower: 'YES',
}

function toTable(all: readonly Compared[], old: string): string {
  const rows = all.map(({ scenario, ratios, cpuRatio, judgement }) => [
    scenario.title,
    words[judgement],
    median(ratios).toFixed(2),
    Math.min(...ratios).toFixed(2),
    Math.max(...ratios).toFixed(2),
    String(ratios.length),
    cpuRatio.toFixed(2),
  ])
  const asked = `slower than ${guard.limit} x`
  return [
    `This sqlapi to ${old}, requests/s:`,
    '',
    ...table(['scenario', asked, 'median', 'lowest', 'highest', 'rounds', 'CPU time, old to new'], rows, 2),
  ].join('\n')
}
