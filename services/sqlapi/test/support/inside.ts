/**
 * The service in the process of the test, started as `main.ts` starts it: with its reloads, its admin listener and its
 * log. Tests of signals, exit codes, workers or stderr start a process (process.ts).
 */
import { join } from 'node:path'
import { EventStream } from '@services/observe'
import { newFolder, until, writeFiles } from '@services/testing'
import { loadConfig } from '../../src/boot/config/config.ts'
import { type EventFields, eventTable, logWriter } from '../../src/events.ts'
import { run } from '../../src/main.ts'
import { type Running, type Setting, writeConfig } from './process.ts'

/** A service, inside or as a process. */
export type Served = Pick<Running, 'port' | 'folder' | 'stdout' | 'hangUp' | 'line'> & {
  /** Ends it in order. */
  readonly stop: () => Promise<{ readonly stdout: string }>
}

/** `server.workers` must be 1. Rejects with a StartupFailure if the start is refused. */
export async function startInside(setting: Omit<Setting, 'flags'>): Promise<Served> {
  const { files, config = {}, env = {}, folder = newFolder() } = setting
  writeFiles(join(folder, 'sql'), files)
  configure({ folder }, config)
  let said = ''
  const stdout = { write: (line: string): void => void (said += line) }
  const events = new EventStream<EventFields>(eventTable)
  const writeLog = logWriter(events, stdout)
  writeLog({ level: 'info', format: 'text' })
  const environment = { flag: join(folder, 'sqlapi.yaml'), env, cwd: folder }
  const readAt = Date.now()
  const loaded = loadConfig(environment)
  writeLog(loaded.config.logging)
  const running = await run({ loaded, readAt, environment, events, stdout, writeLog })
  const find = (pattern: RegExp): string | undefined => said.split('\n').find((line) => pattern.test(line))
  return {
    port: Number(/:(\d+)\b\D*$/.exec(find(/listening/i) ?? '')?.[1]),
    folder,
    stdout: () => said,
    hangUp: () => running.reload?.('SIGHUP'),
    async line(pattern) {
      await until(() => find(pattern) !== undefined, String(pattern))
      return find(pattern) as string
    },
    async stop() {
      running.announceEnd?.()
      await running.close()
      return { stdout: said }
    },
  }
}

/** Writes its configuration again, with absolute paths: the working directory is that of the tests. */
export function configure({ folder }: Pick<Served, 'folder'>, config: Readonly<Record<string, unknown>>): void {
  const { datasources } = config as { datasources?: readonly { url: string }[] }
  const found = datasources?.map((entry) => ({
    ...entry,
    url: entry.url.replace(/^sqlite:(?=\w)/, `sqlite:${folder}/`),
  }))
  const sources = found === undefined ? {} : { datasources: found }
  writeConfig(folder, { sql_dir: join(folder, 'sql'), ...config, ...sources })
}
