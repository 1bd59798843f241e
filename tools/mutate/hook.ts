/**
 * Loaded into the process of a test file before it: gives the module at MUTANT_URL the text of the file MUTANT_SOURCE,
 * and tells at the end, through the third pipe, how much CPU time the process took.
 */
import { readFileSync, writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const costs = 3
const { MUTANT_URL: mutated, MUTANT_SOURCE: file } = process.env

if (mutated !== undefined && file !== undefined) {
  const source = readFileSync(file, 'utf8')
  registerHooks({
    load: (url, context, next) =>
      url === mutated ? { format: 'module', shortCircuit: true, source } : next(url, context),
  })
}

if (isMainThread) {
  process.once('exit', () => {
    const { user, system } = process.cpuUsage()
    writeSync(costs, String((user + system) / 1000))
  })
}
