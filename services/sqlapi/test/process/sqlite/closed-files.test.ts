/** Files and folders that the user of the process may not read or write: what a start, `check` and the log say. */
import { match, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { launchFlag, linesOf, newFolder, untilListening, writeFiles, call, until } from '@services/testing'
import { binary, spawnSqlapi } from '../../support/process.ts'

const rights = '--bounding-set=-dac_override,-dac_read_search'
const isRoot = process.getuid?.() === 0
/** Root may do everything, unless it gives that right up. */
const limited = isRoot ? ['setpriv', rights] : []
const canLimit = !isRoot || spawnSync('setpriv', [rights, 'true']).status === 0
const skip = (process.platform === 'win32' || !canLimit) && 'root, and Windows, have no file that may not be read'

function prepare(): string {
  const folder = newFolder()
  const one = 'SELECT 1 AS one'
  const names = ['unread', 'unwritten', 'shut', 'fixed', 'kept']
  writeFiles(join(folder, 'sql'), Object.fromEntries(names.map((name) => [`${name}/GET/one.sql`, one])))
  writeFiles(join(folder, 'sql'), { 'kept/POST/add.sql': 'INSERT INTO t VALUES (1)' })
  for (const name of ['shut', 'fixed']) mkdirSync(join(folder, name))
  const file = (name: string): string => join(folder, /shut|fixed/.test(name) ? name : '', `${name}.db`)
  for (const name of names) new DatabaseSync(file(name)).exec('CREATE TABLE t (x)')
  const datasources = names.map((name) => ({
    name,
    url: `sqlite:${file(name)}${name === 'kept' ? '?mode=ro' : ''}`,
  }))
  const server = { bind: '127.0.0.1:0' }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', server, datasources }))
  chmodSync(file('unread'), 0o000)
  chmodSync(file('unwritten'), 0o444)
  chmodSync(join(folder, 'shut'), 0o000)
  chmodSync(join(folder, 'fixed'), 0o555)
  return folder
}

const start = (...args: string[]): string[] => [...limited, process.execPath, launchFlag, binary, ...args]

const unread = /The user of this process may not read the file \/\S+\/unread\.db; let that user read it/
const shut = /The user of this process may not enter the folder \/\S+\/shut; let that user enter it/

test('check names files that it may not read, the reason and the remedy [F11]', { skip }, async () => {
  const folder = prepare()
  const { code, stdout, stderr } = await spawnSqlapi({ cwd: folder, command: start('check') }).ended
  strictEqual(code, 2)
  match(stdout, /not all could be checked\n$/)
  match(stderr, unread)
  match(stderr, shut)
  strictEqual(stderr.split('cannot be opened').length, 1, 'no words about a log')
})

test('the log names files that the service may not use, the reason and the remedy [F11]', { skip }, async () => {
  const folder = prepare()
  const running = await untilListening(spawnSqlapi({ cwd: folder, command: start() }))
  try {
    const warnings = (): string => linesOf(running.stdout()).join('\n')
    await until(() => warnings().split('Database cannot be reached').length > 4, 'four warnings')
    match(warnings(), unread)
    match(warnings(), shut)
    match(warnings(), /may not write the file \/\S+\/unwritten\.db; let that user write it; \?mode=ro at the end/)
    match(warnings(), /may not write into the folder \/\S+\/fixed; let that user .*, because SQLite makes files beside/)
    const { text } = await call(running.port, '/kept/add', { body: {} })
    match(text, /readonly database/)
    await until(() => warnings().includes('Statement failed'), 'the line about the statement')
    match(warnings(), /Statement failed datasource=kept .*cure="the url says mode=ro; mode=rw lets statements write"/)
    strictEqual(text.includes('mode=ro'), false, 'callers are not told')
  } finally {
    await running.stop()
  }
})

test('files and folders of SQL that may not be read are named with the remedy [F11]', { skip }, async () => {
  const folder = prepare()
  const ofCheck = async (): Promise<string> =>
    (await spawnSqlapi({ cwd: folder, command: start('check') }).ended).stderr
  chmodSync(join(folder, 'sql/kept/GET'), 0o000)
  match(await ofCheck(), /kept\/GET cannot be read \(EACCES\); let the user of the service read and enter it/)
  const { stdout } = await spawnSqlapi({ cwd: folder, command: start() }).ended
  match(stdout, /kept\/GET cannot be read \(EACCES\); let the user of the service read and enter it/)
})
