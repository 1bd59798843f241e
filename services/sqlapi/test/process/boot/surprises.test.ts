/** What a start tells of things that are no error and may still surprise: real starts, their log lines. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Files, linesOf, newFolder } from '@services/testing'
import { type Served, startInside } from '../../support/inside.ts'
import { type Setting, startSqlapi } from '../../support/process.ts'

type Line = Readonly<Record<string, unknown>>

/** The lines of a start between `started` and `listening`. */
async function linesOfStart(
  files: Files,
  config: Readonly<Record<string, unknown>> = {},
  prepare: (sql: string) => void = () => undefined,
  start: (setting: Setting) => Promise<Pick<Served, 'stop'>> = startInside,
): Promise<Line[]> {
  const folder = newFolder({ 'sql/demo/GET/one.sql': 'SELECT 1' })
  prepare(join(folder, 'sql'))
  const datasources = [{ name: 'demo', url: 'sqlite::memory:' }]
  const running = await start({ folder, files, config: { datasources, logging: { format: 'json' }, ...config } })
  const { stdout } = await running.stop()
  const lines = linesOf(stdout).map((line) => JSON.parse(line) as Line)
  const events = lines.map(({ event }) => event)
  return lines.slice(events.indexOf('started') + 1, events.indexOf('listening'))
}

test('a tree that is as it should be has no line [S18]', async () => {
  const files = { 'demo/POST/a/b.sql': 'SELECT 1', 'README.md': 'x', 'demo/notes.txt': 'x', 'demo/GET/a.json': 'x' }
  deepStrictEqual(
    await linesOfStart({ ...files, '.git/config': 'x', 'demo/.hidden/x.sql': 'x', 'demo/docs/read.me': 'x' }),
    [],
  )
})

test('each folder and file that is passed over is one INFO with its path and the cure [S18]', async () => {
  const lines = await linesOfStart({
    'demo/get/a.sql': 'SELECT 1',
    'demo/Post/a.sql': 'SELECT 1',
    'demo/DELETE/a.sql': 'SELECT 1',
    'demo/put/notes.txt': 'no SQL',
    'demo/archive/deep/a.sql': 'SELECT 1',
    'demo/lost.sql': 'SELECT 1',
    'top.sql': 'SELECT 1',
    'demo/GET/LOUD.SQL': 'SELECT 1',
    'GET/a.sql': 'SELECT 1',
    // Not even looked at.
    'demo/get/empty.sql': '',
  })
  deepStrictEqual(
    lines.map(({ level, event, path, cure }) => [
      level,
      event,
      path,
      /rename it to (?:GET|POST)$|move|rename/.exec(String(cure))?.[0],
    ]),
    [
      ['info', 'ignored', 'top.sql', 'move'],
      ['info', 'ignored', 'GET/a.sql', 'move'],
      ['info', 'ignored', 'demo/lost.sql', 'move'],
      ['info', 'ignored', 'demo/DELETE', 'move'],
      ['info', 'ignored', 'demo/Post', 'rename it to POST'],
      ['info', 'ignored', 'demo/archive', 'move'],
      ['info', 'ignored', 'demo/get', 'rename it to GET'],
      ['info', 'ignored', 'demo/put', 'move'],
      ['info', 'ignored', 'demo/GET/LOUD.SQL', 'rename'],
    ],
  )
})

test(
  'folders that nobody asked for never stop a start [S18]',
  { skip: process.platform === 'win32' && 'Windows has no such permissions' },
  async () => {
    const lines = await linesOfStart({}, {}, (sql) => {
      mkdirSync(join(sql, 'demo/locked/inside'), { recursive: true })
      mkdirSync(join(sql, 'demo/loop'))
      symlinkSync('.', join(sql, 'demo/loop/again'))
      chmodSync(join(sql, 'demo/locked'), 0o000)
    })
    deepStrictEqual(lines, [])
  },
)

test('thousands of them are twenty lines and a number [S18] [F11]', async () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`demo/file${index}.sql`, 'SELECT 1']))
  const projects = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}/GET/a.sql`, 'SELECT 1']))
  const keys = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`key${index}`, 'demo']))
  const lines = await linesOfStart({ ...many, ...projects }, { project_datasource_map: keys })
  const count = (event: string): number => lines.filter((line) => line['event'] === event).length
  deepStrictEqual([count('ignored'), count('projectWithoutDatasource'), lines.length], [20, 20, 63])
  match(String(lines.at(-1)?.['message']), /^and 10 more such keys; sqlapi check lists all$/)
  strictEqual(lines.find(({ event }) => event === 'moreIgnored')?.['more'], 1980)
  strictEqual(lines.find(({ event }) => event === 'moreProjectsWithoutDatasource')?.['more'], 30)
})

test('a project without a datasource is one WARN, in whatever casing it could have been meant [S18]', async () => {
  const lines = await linesOfStart(
    {
      'crm/GET/a.sql': 'SELECT 1',
      'Demo2/POST/a.sql': 'SELECT 1',
      'MAPPED/GET/a.sql': 'SELECT 1',
      'empty/GET/read.me': '',
    },
    {
      datasources: [
        { name: 'demo', url: 'sqlite::memory:' },
        { name: 'demo2', url: 'sqlite::memory:' },
      ],
      project_datasource_map: { mapped: 'demo' },
      allow_datasource_header: false,
    },
  )
  deepStrictEqual(
    lines.map(({ level, event, project }) => [level, event, project]),
    [['warn', 'projectWithoutDatasource', 'crm']],
  )
  match(String(lines[0]?.['cure']), /project_datasource_map/)
})

test('with default_datasource no project is without one [N6.3]', async () => {
  const lines = await linesOfStart(
    { 'crm/GET/a.sql': 'SELECT 1' },
    { datasources: [{ name: 'demo', url: 'sqlite::memory:' }], default_datasource: 'demo' },
  )
  deepStrictEqual(lines, [])
})

test('several datasources and the header are one INFO that says how to switch it off [S18]', async () => {
  const two = [{ name: 'demo', url: 'sqlite::memory:' }, { name: 'other', url: 'sqlite::memory:' }] // prettier-ignore
  const [line, ...others] = await linesOfStart({}, { datasources: two })
  deepStrictEqual(
    [line?.['level'], line?.['event'], line?.['datasources'], others],
    ['info', 'datasourceHeader', 2, []],
  )
  match(String(line?.['message']), /X-Datasource/)
  strictEqual(line?.['cure'], 'allow_datasource_header: false switches it off')
  deepStrictEqual(await linesOfStart({}, { datasources: two, allow_datasource_header: false }), [])
})

test('with several processes it is said once [S18]', async () => {
  const lines = await linesOfStart(
    { 'demo/get/a.sql': 'SELECT 1' },
    { server: { workers: 2 }, datasources: [{ name: 'demo', url: 'sqlite:demo.db' }] },
    undefined,
    startSqlapi,
  )
  deepStrictEqual(
    lines.map(({ event }) => event),
    ['ignored'],
  )
})

test('a folder of a method where that of a project should be is told from a file that is lost [S18]', async () => {
  const lines = await linesOfStart({
    'GET/a.sql': 'SELECT 1',
    'POST/demo/a.sql': 'SELECT 1',
    'demo/POST/b.sql.txt': 'SELECT 1',
  })
  deepStrictEqual(
    lines.map(({ path, cure }) => [path, cure]),
    [
      [
        'GET/a.sql',
        'a folder called GET is read in the folder of a project, <sql_dir>/<project>/GET; move it there, or correct sql_dir',
      ],
      [
        'POST/demo',
        'a folder called POST is read in the folder of a project, <sql_dir>/<project>/POST; move it there, or correct sql_dir',
      ],
      ['demo/POST/b.sql.txt', 'only names that end in .sql, in lower case, are read; rename it'],
    ],
  )
})
