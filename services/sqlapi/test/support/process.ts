/**
 * The service as its users meet it: a process started from `bin/sqlapi.js`. What is common to all processes is in the
 * kit.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
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
  /** The tree of `.sql` files. */
  readonly files: Files
  /** Fields of sqlapi.yaml beside `sql_dir` and the listener's address. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /** Where the files, the configuration and relative SQLite paths live; a new folder unless given. */
  readonly folder?: string
  /** Flags of Node.js. */
  readonly flags?: readonly string[]
}

export interface Running extends Listening {
  readonly folder: string
  readonly hangUp: () => void
}

export const binary: string = programOf(join(import.meta.dirname, '../..'))

/** Without a `command` it is `bin/sqlapi.js` that runs. */
export function spawnSqlapi(options: Partial<SpawnOptions>): Spawned {
  return spawnProcess({ command: [process.execPath, launchFlag, binary], ...options })
}

/** Writes the configuration beside the tree and starts the service; it listens on a free port of the loopback. */
export async function startSqlapi(setting: Setting): Promise<Running> {
  const { files, config = {}, env = {}, folder = newFolder(), flags = [] } = setting
  writeFiles(join(folder, 'sql'), files)
  writeConfig(folder, { sql_dir: 'sql', ...config })
  const command = [process.execPath, launchFlag, ...flags, binary]
  const listening = await untilListening(spawnSqlapi({ cwd: folder, env, command }))
  return { ...listening, folder, hangUp: () => listening.kill('SIGHUP') }
}

/** Writes sqlapi.yaml, and empty SQLite databases, because a missing one is a WARN. */
export function writeConfig(folder: string, config: Readonly<Record<string, unknown>>): void {
  const { server, ...others } = config
  const full = { server: { bind: '127.0.0.1:0', ...(server as object | undefined) }, ...others }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(full))
  for (const { url } of (config['datasources'] ?? []) as readonly { url?: string }[]) {
    const [, name] = /^sqlite:(\w[\w.-]*|\/[\w./-]*)$/.exec(url ?? '') ?? []
    if (name === undefined) continue
    const file = resolve(folder, name)
    if (existsSync(dirname(file)) && !existsSync(file)) writeFileSync(file, '')
  }
}

/** The processes whose parent this is, by Linux's book-keeping. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(childrenFile(pid), 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

/** Why they cannot be found on this machine; false where they can. */
export const withoutChildren: string | false =
  !existsSync(childrenFile(process.pid)) &&
  'this system has no /proc/<pid>/task/<pid>/children to find the processes by'

function childrenFile(pid: number): string {
  return `/proc/${pid}/task/${pid}/children`
}
