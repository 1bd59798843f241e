/** The command line of this bench: its scenarios and how long they are raced. */
import { type BenchFlags, callersScenario } from '@services/bench'
import { script } from './report/readme.ts'
import { scenarios } from './scenarios/all.ts'

export const flags: BenchFlags = {
  script,
  service: 'sqlapi',
  raced: scenarios.map(({ name }) => name),
  measured: ['million', 'boot', callersScenario],
  whole: { rounds: 5, warmUpSeconds: 1.5, seconds: 2 },
  quick: { rounds: 1, warmUpSeconds: 0.5, seconds: 1 },
}
