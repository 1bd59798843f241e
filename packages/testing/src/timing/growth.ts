/**
 * Whether work grows in proportion to its input. Work of two sizes comes in, an AssertionError goes out where it does
 * not.
 *
 * Counted is the time that this thread computes, not that in which it waits for its turn, and only the relation of two
 * times of one run. Four times the input takes about four times the work; a loop within a loop would take sixteen. The
 * limit lies far above four, because caches are shared with other work.
 */
import { ok } from 'node:assert/strict'

const factor = 4
const growthLimit = 10
/** No growth is read from times as short as this. */
const noiseMs = 20
const samples = 3

/**
 * `prepare` makes the input of a size and returns the work on it; only the work is measured. `size` is that of the
 * smaller input, in whatever unit `prepare` takes. A neighbour may disturb a measurement, and the kernel may count in
 * steps that are longer than the work on a small input. So what looks wrong is measured again, with the smaller input
 * as many times as the larger one is larger.
 */
export function checkGrowth(size: number, prepare: (size: number) => () => unknown, tries = 4): void {
  const small = prepare(size)
  const large = prepare(size * factor)
  let told = ''
  for (let i = 0; i < tries; i++) {
    const before = i === 0 ? fastest(small) : fastest(() => repeated(small)) / factor
    const limit = before * growthLimit + noiseMs
    const after = fastest(large, limit)
    if (after < limit) return
    told = `${before} ms for one, ${after} ms for ${factor} times as much`
  }
  ok(false, `the work grows faster than its input: ${told}`)
}

function repeated(work: () => unknown): void {
  for (let i = 0; i < factor; i++) work()
}

/** The least of some samples, or the first that is `enough`: more of them could only be for less. */
function fastest(work: () => unknown, enough = 0): number {
  let least = Infinity
  for (let i = 0; i < samples && least >= enough; i++) {
    const start = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}
