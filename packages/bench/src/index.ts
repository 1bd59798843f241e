/** The entry point: what the benches of the services import of this package. */
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
} from './compare.ts'
export { median } from './median.ts'
export { installPackages } from './npm.ts'
export { chanceOfSoMany, guard, type Judgement, judgeRatios } from './regression.ts'
export { exportRelease, type Release } from './release.ts'
export { againstMarkers, describeMachine, insertResult, type Markers, table, toReport } from './report.ts'
export { readRounds, UsageError } from './usage-error.ts'
