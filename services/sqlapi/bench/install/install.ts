/**
 * Installs what sqlapi is compared with, as `others.json` says, below node_modules/.cache: it is large, and nobody
 * needs it who does not measure. Where that fails the run goes on without them and says why.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { installPackages } from '@services/bench'

export interface Installed {
  /** The module of Fastify. */
  readonly fastify?: string
  /** The program of MCP Toolbox. */
  readonly toolbox?: string
  /** Why there is not all of it. */
  readonly reason: string
}

/** Versions are exact; there is no lock file, because not every registry has the programs for all platforms. */
const wanted = join(import.meta.dirname, 'others.json')
/** Where whatever is made for the bench alone is kept. */
export const place = join(import.meta.dirname, '../../../../node_modules/.cache/bench')
/** Written last: an interrupted install leaves none. */
const stamp = join(place, 'installed.json')

export function installOthers(): Installed {
  const failure = isInstalled() ? undefined : install()
  // What an earlier run may have left has other versions.
  if (failure !== undefined) return { reason: failure }
  const resolve = createRequire(join(place, 'package.json')).resolve
  const fastify = attempt(() => resolve('fastify'))
  const toolbox = attempt(() => toolboxProgram(resolve))
  const { platform, arch } = process
  return {
    ...(fastify === undefined ? {} : { fastify }),
    ...(toolbox === undefined ? {} : { toolbox }),
    reason: `the registry has nothing for ${platform} ${arch}`,
  }
}

function isInstalled(): boolean {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(wanted, 'utf8')
}

/** Gives the reason if it cannot. */
function install(): string | undefined {
  console.error('Installing Fastify and MCP Toolbox below node_modules/.cache/bench, about 320 MB ...')
  mkdirSync(place, { recursive: true })
  copyFileSync(wanted, join(place, 'package.json'))
  const failure = installPackages(place, ['--include=optional'])
  if (failure !== undefined) return failure
  copyFileSync(wanted, stamp)
}

/** What its launcher would start; measured is the program and not the launcher. */
function toolboxProgram(resolve: (name: string) => string): string {
  const manifest = resolve(`@toolbox-sdk/server-${process.platform}-${process.arch}/package.json`)
  return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'toolbox.exe' : 'toolbox')
}

function attempt<T>(find: () => T): T | undefined {
  try {
    return find()
  } catch {
    return undefined
  }
}
