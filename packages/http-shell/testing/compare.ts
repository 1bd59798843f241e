/**
 * Holds the reader of plain requests against Node's parser with as many random requests as somebody has time for; ends
 * with 1 where the two differ.
 *
 *   node packages/http-shell/testing/compare.ts [--requests 1000000] [--seed 1]
 */
import { parseArgs } from 'node:util'
import { compareReaders } from './readers.ts'

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '1000000' }, seed: { type: 'string', default: String(Date.now()) } },
})
/** So often it says how far it is, with the seed to repeat it from. */
const lot = 100_000

let requests = 0
let taken = 0
for (let seed = Number(values.seed); requests < Number(values.requests); seed++) {
  const compared = await compareReaders(Math.min(lot, Number(values.requests) - requests), seed)
  requests += compared.requests
  taken += compared.taken
  process.stdout.write(`${requests} requests, ${taken} of them plain, all read alike; last seed ${seed}\n`)
}
