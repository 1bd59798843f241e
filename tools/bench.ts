/**
 * `npm run bench [-- FLAGS]`: the benches of both services, one after the other, with the same flags. Ends with the
 * higher of their exit codes.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const codes = ['sqlapi', 'xroad-proxy'].map((service) => {
  const bench = join(import.meta.dirname, '../services', service, 'bench/run.ts')
  return spawnSync(process.execPath, [bench, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1
})
process.exitCode = Math.max(...codes)
