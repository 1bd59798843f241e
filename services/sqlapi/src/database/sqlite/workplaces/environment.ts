/**
 * With which variables and flags the threads and processes of SQLite start. What users have loaded into the program
 * (`--import`, `--require`) is for the program: an SDK of OpenTelemetry in each of them would take 30 MB and half a
 * second, and hear of nothing.
 */
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { WorkerOptions } from 'node:worker_threads'

/** Of a process. */
export function processEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options } = process.env
  if (options === undefined || !hasPreload(split(options))) return withCache(process.env)
  return withCache({ ...process.env, NODE_OPTIONS: withoutPreloads(split(options)).join(' ') })
}

/** Of a thread, which takes the flags of its process as they are, or none: those of V8 cannot be given to it. */
export function threadOptions(): Pick<WorkerOptions, 'env' | 'execArgv'> {
  const flags = [...process.execArgv, ...split(process.env['NODE_OPTIONS'] ?? '')]
  if (!hasPreload(flags)) return { env: withCache(process.env) }
  return { env: withCache({ ...process.env, NODE_OPTIONS: '' }), execArgv: [] }
}

/** The compile cache does not reach workers by itself; without it each takes the types out of the sources again. */
function withCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir()
  return cache === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(cache) }
}

/** As Node.js reads `NODE_OPTIONS`: quotes hold a value with spaces together. */
function split(options: string): readonly string[] {
  return options.match(/(?:"(?:\\.|[^"\\])*"|[^\s"])+/g) ?? []
}

/** The module is behind the sign, or in the next argument. */
const preload = /^(?:--import|--require|-r)(=|$)/

function hasPreload(flags: readonly string[]): boolean {
  return flags.some((flag) => preload.test(flag))
}

function withoutPreloads(flags: readonly string[]): string[] {
  const isAlone = (flag: string | undefined): boolean => flag !== undefined && preload.exec(flag)?.[1] === ''
  return flags.filter((flag, i) => !preload.test(flag) && !isAlone(flags[i - 1]))
}
