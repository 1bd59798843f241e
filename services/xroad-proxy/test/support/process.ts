/**
 * The service as its users meet it: a process started from `bin/xroad-proxy.js`. What is common to all processes is in
 * the kit.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Files,
  launchFlag,
  type Listening,
  newFolder,
  programOf,
  type Spawned,
  spawnProcess,
  type SpawnOptions,
  untilListening,
  writeFiles,
} from '@services/testing'

export interface Setting {
  /** The tree of DSL files. */
  readonly files: Files
  /** Fields of proxy.yaml beside the listener's address; `dsl_path` is `DSL` in the folder. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /** Where the files and the configuration live; a new folder unless given. */
  readonly folder?: string
  /** A program that runs it, with its arguments. */
  readonly before?: readonly string[]
  /** Flags of Node.js. */
  readonly flags?: readonly string[]
}

export interface Running extends Listening {
  readonly folder: string
}

export const binary: string = programOf(join(import.meta.dirname, '../..'))

/** Without a `command` it is `bin/xroad-proxy.js` that runs. */
export function spawnProxy(options: Partial<SpawnOptions>): Spawned {
  return spawnProcess({ command: [process.execPath, launchFlag, binary], ...options })
}

/** Writes configuration and DSL files and starts the service; it listens on a free port of the loopback. */
export async function startProxy(setting: Setting): Promise<Running> {
  const { files, config = {}, env = {}, folder = newFolder(), before = [], flags = [] } = setting
  writeFiles(join(folder, 'DSL'), files)
  writeFileSync(join(folder, 'proxy.yaml'), JSON.stringify({ host: '127.0.0.1', port: 0, ...config }))
  const command = [...before, process.execPath, launchFlag, ...flags, binary]
  return { ...(await untilListening(spawnProxy({ cwd: folder, env, command }))), folder }
}
