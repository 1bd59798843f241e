/**
 * The scenario `callers`: a small GET of the REST lane for one caller and for a thousand, beside haproxy and the floor.
 */
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
import { colours } from './report/chart.ts'
import { toEntrant } from './entrant.ts'
import { versions } from './report/report.ts'
import { nameOf } from './report/results.ts'
import { type ContenderName, restTitle, type Scenario, smallRequests } from './scenarios.ts'
import type { Setup } from './setup.ts'

const contenders = ['package', 'haproxy', 'undici', 'floor with context'] as const satisfies readonly ContenderName[]
/** Whoever let go of its connections since its last round has to make a thousand over TLS again. */
const rampSeconds = 2

/** What two versions are compared in. */
export const withManyCallers = scenarioOf(manyCallers, callersScenario, `${restTitle}, ${manyCallers} callers`)

export function measureCallers(setup: Setup, plan: CallersPlan): Promise<CallersRun> {
  const present = contenders.filter((name) => !setup.absences.has(name))
  const entered = present.map((name): CallersContender => {
    // The name is also that of the folder of its profiles.
    const start = (callers: number) =>
      toEntrant(name, scenarioOf(callers, `callers-${callers}`, restTitle), setup).start()
    return { title: nameOf(name), start }
  })
  return raceCallers(entered, plan)
}

export function toCallersReport(run: CallersRun, absences: readonly string[]): CallersReport {
  return {
    ...run,
    title: restTitle,
    service: nameOf('package'),
    rivals: [
      { head: 'to haproxy', contenders: ['haproxy'] },
      { head: 'to the floor with context', contenders: ['floor with context'] },
    ],
    versions,
    absences,
  }
}

/** For those who do not see the chart. */
export const chartTitle = 'xroad-proxy and others with 1 to 1024 callers'

export function toCallersChart({ results }: CallersRun): string {
  return drawCallers({ title: chartTitle, heading: `${restTitle}, by the number of callers`, colours, results })
}

function scenarioOf(connections: number, name: string, title: string): Scenario {
  return { name, title, contenders, connections, requests: smallRequests, rampSeconds }
}
