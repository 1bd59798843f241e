/**
 * Loaded into the process of each test file by `npm test -- --slowest`: notes at its end how long it took, and how much
 * CPU time with all processes that it started and waited for. Linux alone tells this (/proc); elsewhere nothing is
 * noted.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const file = process.argv[1] ?? ''
const notes = process.env['TEST_COSTS']
const statistics = '/proc/self/stat'
/** The kernel counts in hundredths of a second. */
const tickMs = 10

// What a test file forks inherits the flag that loads this.
if (notes !== undefined && isMainThread && /\.test\.[jt]s$/.test(file) && existsSync(statistics)) {
  process.once('exit', () => {
    const afterName = readFileSync(statistics, 'utf8').split(') ')[1] ?? ''
    const ticks = afterName.split(' ').slice(11, 15).map(Number)
    const cpuMs = ticks.reduce((sum, count) => sum + count, 0) * tickMs
    appendFileSync(notes, `${JSON.stringify({ file, cpuMs, clockMs: performance.now() })}\n`)
  })
}
