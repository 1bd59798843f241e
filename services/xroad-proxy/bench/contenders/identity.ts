/** What every hand-written contender is told by its environment: where the upstream is, and who calls it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env['BENCH_PKI'] ?? ''

export const upstreamPort = Number(process.env['BENCH_UPSTREAM_PORT'])

export const identity = {
  pfx: readFileSync(join(folder, 'client.p12')),
  passphrase: process.env['BENCH_PASSWORD'] ?? '',
  ca: readFileSync(join(folder, 'ca.pem')),
}
