/** The entry point: what the benches of the services import of this package. */
export { compareWithRelease, type PairRace, racePair } from './against/against.ts'
export {
  compare,
  type Compared,
  exitCode,
  type Figures,
  type Merit,
  type Pair,
  type Sides,
  thereAndBack,
  type Trial,
} from './against/compare.ts'
export { installPackages } from './against/npm.ts'
export { chanceOfSoMany, guard, type Judgement, judgeRatios } from './against/regression.ts'
export { exportRelease, type Release } from './against/release.ts'
export { type BenchFlags, type Options } from './command/options.ts'
export { runBench } from './command/run-bench.ts'
export { type Command, freePort, run, type Server, type Start, startOnce, startServer } from './process/server.ts'
export { toMB, toMiB, type Usage } from './process/usage.ts'
export { medianOf, type RaceMerit, ratio, readable } from './race/figures.ts'
export { type Answered, type Ask, type Callers, startHttpRacer } from './race/over-http.ts'
export { measureStarts } from './race/starts.ts'
export { type Entrant, type Lengths, race, type Racer, type Result, type Round } from './race/race.ts'
export { type Colours, drawRatios, type RatioGroup, toRatioGroup } from './report/chart.ts'
export { median } from './report/median.ts'
export {
  againstMarkers,
  describeMachine,
  insertResult,
  type Markers,
  resultMarkers,
  table,
  toReport,
  writeBetween,
} from './report/report.ts'
