/** The entry point: what the benches of the services import of this package. */
export { compareWithRelease, racePair } from './against/against.ts'
export { type Figures, type Sides, thereAndBack, type Trial } from './against/compare.ts'
export { installPackages } from './against/npm.ts'
export { exportRelease, type Release } from './against/release.ts'
export { type BenchFlags, type Options } from './command/options.ts'
export { runBench } from './command/run-bench.ts'
export { tellPage, timePage } from './page/page.ts'
export { findProgram } from './process/find-program.ts'
export { type Command, run, type Server, type Start, startOnce, startServer } from './process/server.ts'
export { toMB, toMiB } from './process/usage.ts'
export { raceWithAdmin } from './race/admin.ts'
export { medianOf, type RaceMerit, ratio, readable } from './race/figures.ts'
export { type Answered, type Ask, type Callers, startHttpRacer } from './race/over-http.ts'
export {
  callersScenario,
  type CallersContender,
  type CallersPlan,
  type CallersRun,
  manyCallers,
  raceCallers,
} from './race/callers.ts'
export { type Entrant, type Lengths, race, type Racer, type Result, type Round } from './race/race.ts'
export { measureStarts } from './race/starts.ts'
export { drawCallers } from './report/callers-chart.ts'
export { type CallersReport, toCallersMarkdown, writeCallers } from './report/callers.ts'
export { drawRatios, type RatioGroup, toRatioGroup } from './report/chart.ts'
export { median } from './report/median.ts'
export { describeMachine, resultMarkers, table, writeBetween } from './report/report.ts'
export { type Actor, type Outcome, runSoak, type SoakReport, WrongAnswer } from './soak/soak.ts'
export { type Caller, askOn, leave, type Reply, speakNonsense } from './soak/clients.ts'
export { runSoakCommand } from './soak/command.ts'
export { type Colours } from './report/svg.ts'
