/**
 * The service as its users meet it: a process started from `bin/sqlapi.js`. What is common to all processes is in the
 * kit.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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
}

export const binary: string = programOf(join(import.meta.dirname, '../..'))

/** Without a `command` it is `bin/sqlapi.js` that runs. */
export function spawnSqlapi(options: Partial<SpawnOptions>): Spawned {
  return spawnProcess({ command: [process.execPath, launchFlag, binary], ...options })
}

/** Empty files for SQLite, because one that is missing is a WARN. */
function makeDatabases(folder: string, { datasources }: Readonly<Record<string, unknown>>): void {
  for (const { url } of (datasources ?? []) as readonly { url?: string }[]) {
    const [, name] = /^sqlite:(\w[\w.-]*)$/.exec(url ?? '') ?? []
    if (name !== undefined && !existsSync(join(folder, name))) writeFileSync(join(folder, name), '')
  }
}

/** Writes the configuration beside the tree and starts the service; it listens on a free port of the loopback. */
export async function startSqlapi(setting: Setting): Promise<Running> {
  const { files, config = {}, env = {}, folder = newFolder(), flags = [] } = setting
  writeFiles(join(folder, 'sql'), files)
  const { server, ...others } = config
  const full = { sql_dir: 'sql', server: { bind: '127.0.0.1:0', ...(server as object | undefined) }, ...others }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(full))
  makeDatabases(folder, others)
  const command = [process.execPath, launchFlag, ...flags, binary]
  return { ...(await untilListening(spawnSqlapi({ cwd: folder, env, command }))), folder }
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
