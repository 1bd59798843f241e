/** The scenario `callers`: one row by key for one caller and for a thousand, sqlapi beside Rust and the floor. */
import {
  callersScenario,
  type CallersContender,
  type CallersPlan,
  type CallersReport,
  type CallersRun,
  drawCallers,
  manyCallers,
  raceCallers,
} from '@services/bench'
import type { Arena } from './arena.ts'
import { colours } from './report/chart.ts'
import type { Contender } from './contenders/contender.ts'
import { rustNames } from './contenders/rust.ts'
import { oneRow } from './scenarios/postgres.ts'
import { type ContenderName, contenderTitles, type Scenario } from './scenarios/scenario.ts'

const title = 'one row by key, GET'
const peer = contenderTitles['rust-10']

export const callersContenders: readonly ContenderName[] = ['sqlapi', ...rustNames, 'floor']

/** What two versions are compared in. */
export const withManyCallers = scenarioOf(manyCallers, callersScenario, `${title}, ${manyCallers} callers`)

/** @param present of `callersContenders` */
export function measureCallers(
  contenders: Readonly<Record<ContenderName, Contender>>,
  present: readonly ContenderName[],
  arena: Arena,
  plan: CallersPlan,
): Promise<CallersRun> {
  const entered = present.map((name): CallersContender => {
    const contender = contenders[name]
    // The name is also that of the folder of its profiles.
    const start = (callers: number) => contender.startRacer(scenarioOf(callers, `callers-${callers}`, title), arena)
    return { title: contender.title, start }
  })
  return raceCallers(entered, plan)
}

export function toCallersReport(run: CallersRun, postgresVersion: string, absences: readonly string[]): CallersReport {
  return {
    ...run,
    title,
    service: contenderTitles.sqlapi,
    rivals: [
      { head: `to ${peer}`, contenders: [peer] },
      { head: "to Rust's best", contenders: rustNames.map((name) => contenderTitles[name]) },
      { head: 'to the floor', contenders: [contenderTitles.floor] },
    ],
    peer: { contender: peer, leastAlone: 0.9, mostP99: 1.5 },
    versions: `PostgreSQL ${postgresVersion}`,
    absences,
  }
}

/** For those who do not see the chart. */
export const chartTitle = 'sqlapi and others with 1 to 1024 callers'

export function toCallersChart({ results }: CallersRun): string {
  return drawCallers({ title: chartTitle, heading: 'One row by key, by the number of callers', colours, results })
}

function scenarioOf(connections: number, name: string, of: string): Scenario {
  return {
    name,
    title: of,
    project: 'bench',
    connections,
    contenders: callersContenders,
    reference: 'rust-10',
    merit: 'requests/s',
    requests: oneRow('GET', 'bench'),
  }
}
