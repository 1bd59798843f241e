/**
 * `npm run soak -- [--minutes N] [--only sqlapi|xroad-proxy] [--write]`: each service under mixed load with faults for
 * N minutes (1), one after the other. Ends with 1 where an answer was wrong, a write was lost or doubled, or memory,
 * handles or latency grew.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const services = ['sqlapi', 'xroad-proxy'] as const
const { values, tokens } = parseArgs({
  options: { minutes: { type: 'string' }, only: { type: 'string' }, write: { type: 'boolean' } },
  tokens: true,
})
const { only } = values
if (only !== undefined && !services.some((name) => name === only)) {
  console.error(`--only ${only}: expected ${services.join(' or ')}`)
  process.exit(2)
}
const passedOn = tokens.flatMap((token) => {
  if (token.kind !== 'option' || token.name === 'only') return []
  return token.value === undefined ? [token.rawName] : [token.rawName, token.value]
})
for (const name of services) {
  if (only !== undefined && name !== only) continue
  const script = join(import.meta.dirname, '../services', name, 'bench/soak/run.ts')
  const { status } = spawnSync(process.execPath, [script, ...passedOn], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = status ?? 1
}
