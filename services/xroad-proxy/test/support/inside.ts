/**
 * The service in the process of the test: started as the process starts it, for tests of what it serves and says. Those
 * of its process, its end by a signal among them, take process.ts.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf, newFolder, writeFiles } from '@services/testing'
import { openEvents } from '../../src/events.ts'
import { startWithAdmin } from '../../src/main.ts'
import type { Setting } from './process.ts'

export interface Inside {
  readonly port: number
  readonly folder: string
  /** Everything that it has said so far. */
  readonly stdout: () => string
  stop(): Promise<void>
}

/** Its paths have to be absolute: they are read from where the tests run. `dsl_path` is, unless given. */
export async function startInside(setting: Pick<Setting, 'files' | 'config' | 'env' | 'folder'>): Promise<Inside> {
  const { files, config = {}, env = {}, folder = newFolder() } = setting
  const all = { host: '127.0.0.1', port: 0, dsl_path: join(folder, 'DSL'), ...config }
  writeFiles(join(folder, 'DSL'), files)
  writeFileSync(join(folder, 'proxy.yaml'), JSON.stringify(all))
  let said = ''
  const events = openEvents({ level: 'info', format: 'text' }, { write: (line) => void (said += line) })
  const running = await startWithAdmin({ flag: join(folder, 'proxy.yaml'), env, cwd: folder }, events)
  const listening = linesOf(said).find((line) => line.includes(' Listening '))
  return {
    port: Number(/:(\d+)\b\D*$/.exec(listening ?? '')?.[1]),
    folder,
    stdout: () => said,
    stop: () => running.close(),
  }
}
