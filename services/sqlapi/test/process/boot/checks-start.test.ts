/** What a start tells of its files: real files, real log lines. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { call, freePort, linesOf, newFolder, writeFiles } from '@services/testing'
import { loadConfig } from '../../../src/boot/config/config.ts'
import { refuseErrors } from '../../../src/check/start.ts'
import { StartupFailure } from '../../../src/errors.ts'
import { dialectNames } from '../../../src/dialects.ts'
import { startInside } from '../../support/inside.ts'
import { spawnSqlapi } from '../../support/process.ts'
import { createDatabase } from '../../support/databases.ts'
import { startTestService } from '../../support/service.ts'

interface Line {
  readonly event: string
  readonly level: string
  readonly code?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

async function linesOfStart(
  files: Record<string, string>,
  config: object = {},
  kind: 'sqlite' | 'postgres' = 'sqlite',
): Promise<Line[]> {
  const service = await startTestService({ kind, files, config: { logging: { format: 'json' }, ...config } })
  await service.close()
  return service.log.map((text) => JSON.parse(text) as Line)
}

function told(lines: readonly Line[]): string[] {
  return lines
    .filter(({ event }) => event === 'finding')
    .map(({ level, code, file, line, column }) => `${level} ${code} ${file}:${line}:${column}`)
}

const files = {
  'demo/GET/a.sql': 'SELECT 1;\nDELETE FROM t WHERE id = :id',
  'demo/POST/b.sql': '-- @transactional\nUPDATE t SET a = 1; COMMIT',
  'demo/POST/c.sql': '-- @allow no-where One row\nDELETE FROM t',
  'demo/POST/d.sql': 'SELECT $1',
  'demo/get/e.sql': 'SELECT 1',
}

describe('findings at start', { concurrency: 4 }, () => {
  for (const kind of dialectNames) {
    test(`${kind}: each warning that needs no database is one WARN, infos are none [N1.5]`, async () => {
      const lines = await linesOfStart(files, {}, kind)
      deepStrictEqual(told(lines), [
        'warn write-in-get demo/GET/a.sql:2:1',
        'warn no-where demo/POST/b.sql:2:1',
        'warn transaction-control demo/POST/b.sql:2:21',
        'warn syntax demo/POST/d.sql:1:8',
      ])
      deepStrictEqual(
        lines.filter(({ event }) => event === 'ignored').map(({ level }) => level),
        ['info'],
      )
    })
  }

  test('checks: off tells none of them [N1.5]', async () => {
    deepStrictEqual(told(await linesOfStart(files, { checks: 'off' })), [])
  })

  test('check.rules counts at start too [N1.5]', async () => {
    const rules = { 'write-in-get': 'off', 'no-where': 'info', syntax: 'off', 'session-change': 'warning' }
    deepStrictEqual(told(await linesOfStart(files, { check: { rules } })), [
      'warn transaction-control demo/POST/b.sql:2:21',
      'warn session-change demo/POST/b.sql:2:21',
    ])
  })

  test('a start without findings has no line [N1.5]', async () => {
    const lines = await linesOfStart({ 'demo/GET/a.sql': 'SELECT 1', 'demo/POST/b.sql': 'DELETE FROM t WHERE a = :a' })
    strictEqual(
      lines.some(({ event }) => event === 'finding'),
      false,
    )
  })
})

describe('checks: refuse', { concurrency: 4 }, () => {
  const wrong = {
    'demo/GET/a.sql': 'SELECT nam FROM t',
    'demo/GET/b.sql': 'SELECT name FROM u',
    'demo/POST/c.sql': 'DELETE FROM t',
  }

  function folderWith(database: string): string {
    const folder = newFolder()
    const file = new DatabaseSync(join(folder, database))
    file.exec('CREATE TABLE t (name text)')
    file.close()
    return folder
  }

  /** The message of the refusal. */
  async function refusalOf(folder: string, files: Record<string, string>, config: object): Promise<string> {
    const error: unknown = await startInside({ folder, files, config: { checks: 'refuse', ...config } }).catch(
      (reason: unknown) => reason,
    )
    ok(error instanceof StartupFailure && error.name === 'InvalidQueryException', String(error))
    return error.message
  }

  for (const workers of [1, 2]) {
    test(`errors stop the start with one line that names them: server.workers ${workers} [N1.5]`, async () => {
      const config = {
        server: { bind: '127.0.0.1:0', workers },
        datasources: [{ name: 'demo', url: 'sqlite:demo.db' }],
      }
      const cwd = folderWith('demo.db')
      writeFiles(join(cwd, 'sql'), wrong)
      writeFileSync(join(cwd, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', checks: 'refuse', ...config }))
      const { code, stdout } = await spawnSqlapi({ cwd }).ended
      strictEqual(code, 1)
      const [error, ...others] = linesOf(stdout).filter((line) => line.includes(' ERROR '))
      deepStrictEqual(others, [])
      match(error ?? '', /there are 2 errors in the files, and checks is refuse: .*error=InvalidQueryException/)
      match(error ?? '', /sql\/demo\/GET\/a\.sql:1:8: unknown-column: no such column: nam \(did you mean name\?\)/)
      match(error ?? '', /sql\/demo\/GET\/b\.sql:1:18: unknown-table: no such table: u/)
      ok(!stdout.includes('Listening'))
    })
  }

  test('the check reads the configuration no second time: it may have come from a pipe [N1.5]', async () => {
    const cwd = folderWith('demo.db')
    writeFiles(join(cwd, 'sql'), wrong)
    const datasources = [{ name: 'demo', url: `sqlite:${join(cwd, 'demo.db')}` }]
    writeFileSync(join(cwd, 'sqlapi.yaml'), JSON.stringify({ sql_dir: join(cwd, 'sql'), datasources }))
    const loaded = loadConfig({ flag: 'sqlapi.yaml', env: {}, cwd })
    rmSync(join(cwd, 'sqlapi.yaml'))
    await rejects(refuseErrors(loaded, cwd), /there are 2 errors in the files/)
  })

  test('many errors are told by number [N1.5]', async () => {
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`demo/GET/${index}.sql`, 'SELECT x']))
    const config = { datasources: [{ name: 'demo', url: 'sqlite:demo.db' }] }
    match(await refusalOf(folderWith('demo.db'), files, config), /there are 8 errors.*; and 3 more, see sqlapi check/)
  })

  test('warnings stop nothing, nor do errors that the configuration or a file allows [N1.5]', async () => {
    const running = await startInside({
      folder: folderWith('demo.db'),
      files: {
        ...wrong,
        'demo/GET/a.sql': 'SELECT 1 AS one',
        'demo/GET/b.sql': '-- @allow unknown-table Made at night\nSELECT * FROM u',
      },
      config: { checks: 'refuse', datasources: [{ name: 'demo', url: 'sqlite:demo.db' }] },
    })
    strictEqual((await call(running.port, '/demo/a')).status, 200)
    await running.stop()
  })

  test('a database that cannot be reached is one WARN, and the service starts [N1.5]', async () => {
    const url = `postgres://u@127.0.0.1:${await freePort()}/crm`
    const running = await startInside({
      files: { 'demo/GET/a.sql': 'SELECT nothing' },
      config: { checks: 'refuse', datasources: [{ name: 'demo', url }] },
    })
    await running.line(/ WARN /)
    const { stdout } = await running.stop()
    strictEqual(linesOf(stdout).filter((line) => / (?:WARN|ERROR) /.test(line)).length, 1)
  })

  test('PostgreSQL: errors stop the start too [N1.5]', async () => {
    const database = await createDatabase('postgres')
    try {
      const config = { datasources: [{ name: 'demo', url: database.url }] }
      match(
        await refusalOf(newFolder(), { 'demo/GET/a.sql': 'SELECT x FROM y' }, config),
        /there is an error in the files, .*sql\/demo\/GET\/a\.sql:1:15: unknown-table: relation "y" does not exist/,
      )
    } finally {
      await database.remove()
    }
  })
})
