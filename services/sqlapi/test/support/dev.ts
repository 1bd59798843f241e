/** `sqlapi dev` as its users meet it: a process over a folder of files that change. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  call,
  type Files,
  type Listening,
  newFolder,
  type Reply,
  until,
  untilListening,
  writeFiles,
} from '@services/testing'
import { spawnSqlapi } from './process.ts'

export interface DevSetting {
  readonly files: Files
  /** Fields of sqlapi.yaml beside `sql_dir`. */
  readonly config?: Readonly<Record<string, unknown>>
}

export interface Dev extends Listening {
  readonly folder: string
  /** Writes or overwrites files below `sql_dir`. */
  write(files: Files): void
  /** Removes a file or a folder below `sql_dir`. */
  remove(path: string): void
  get(path: string): Promise<Reply>
  /** Until the answer holds this text. */
  answers(path: string, text: string): Promise<Reply>
  /** Until the terminal shows this. */
  shows(pattern: RegExp): Promise<void>
}

export async function startDev({ files, config = {} }: DevSetting): Promise<Dev> {
  const folder = newFolder()
  const sql = join(folder, 'sql')
  writeFiles(sql, files)
  const server = { bind: '0.0.0.0:0' }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', server, ...config }))
  const listening = await untilListening(spawnSqlapi({ cwd: folder, args: ['dev'] }))
  const get = (path: string): Promise<Reply> => call(listening.port, path)
  return {
    ...listening,
    folder,
    write: (changed) => writeFiles(sql, changed),
    remove: (path) => rmSync(join(sql, path), { recursive: true }),
    get,
    async answers(path, text) {
      let last: Reply | undefined
      const holds = async (): Promise<boolean> => {
        last = await get(path)
        return last.text.includes(text)
      }
      await until(holds, `${path} answers ${text}`)
      return last as Reply
    },
    shows: (pattern) => until(() => pattern.test(listening.stdout()), `the terminal shows ${pattern}`),
  }
}
