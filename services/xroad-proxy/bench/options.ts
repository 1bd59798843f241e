/** The command line of this bench: its scenarios and how long they are raced. */
import { type BenchFlags, callersScenario } from '@services/bench'
import { script } from './report/report.ts'
import { scenarios } from './scenarios.ts'

export const flags: BenchFlags = {
  script,
  service: 'xroad-proxy',
  raced: scenarios.map(({ name }) => name),
  measured: ['xml', 'boot', 'wsdl', callersScenario],
  whole: { rounds: 5, warmUpSeconds: 3, seconds: 5 },
  quick: { rounds: 2, warmUpSeconds: 1, seconds: 1.5 },
}
