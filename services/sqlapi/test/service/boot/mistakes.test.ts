/** What a start and `check` say of mistakes that new users make. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newFolder } from '@services/testing'
import { loadConfig } from '../../../src/boot/config/config.ts'
import { whyNoFile } from '../../../src/database/sqlite/files.ts'
import { runCheck } from '../../support/check.ts'
import { startTestService } from '../../support/service.ts'

const memory = [{ name: 'demo', url: 'sqlite::memory:' }]
const one = 'SELECT 1 AS one'

/** Why a configuration is refused. */
function told(text: string): string {
  const cwd = newFolder()
  writeFileSync(join(cwd, 'sqlapi.yaml'), text)
  try {
    loadConfig({ flag: undefined, env: {}, cwd })
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test('a tree without a file to serve is told with the layout [F11]', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'sql'))
  const { code, stdout } = await runCheck({ files: {}, config: { datasources: memory }, folder })
  strictEqual(code, 1)
  match(stdout, /^sql\n {2}1:1 {2}error {2}file: there is no \.sql file to serve\n.*<project>\/GET\/<name>\.sql/)
  const service = await startTestService({ kind: 'sqlite', files: { 'readme.md': 'x' } })
  try {
    match(service.log.join(''), /WARN sqlapi: There is no \.sql file to serve path=\S+ cure=".*<project>\/GET/)
  } finally {
    await service.close()
  }
})

test('files of SQL with another ending are told, others are not [F11]', async () => {
  const wrong = ['list.psql', 'list.txt', 'list.sql.bak', 'list.sql~', 'list.pgsql']
  const others = ['README.md', '.hidden.txt', 'list.test.yaml', 'data.json']
  const files = Object.fromEntries([...wrong, ...others, 'ok.sql'].map((name) => [`demo/GET/${name}`, one]))
  const { stdout } = await runCheck({ files, config: { datasources: memory } })
  const told = Array.from(stdout.matchAll(/GET\/(\S+)\n.*ignored-folder/g), ([, name]) => name)
  deepStrictEqual(new Set(told), new Set(wrong))
})

test('a SQLite file that does not exist is told with its path, its neighbours and the remedy [F11]', async () => {
  const folder = newFolder()
  const path = join(folder, 'demo.db')
  writeFileSync(join(folder, 'demoo.db'), '')
  const files = { 'demo/GET/one.sql': one }
  const datasources = [{ name: 'demo', url: `sqlite:${path}` }]
  const told = `The file ${path} does not exist; beside it: demoo.db; correct the url, or make the file; ?mode=rw`
  const { code, stderr } = await runCheck({ files, config: { datasources } })
  deepStrictEqual([code, stderr.includes(told)], [2, true], stderr)
  const service = await startTestService({ kind: 'sqlite', files, datasource: { url: `sqlite:${path}` } })
  try {
    while (!service.log.some((line) => line.includes(told))) await setTimeout(10)
    strictEqual(
      service.log.filter((line) => line.includes(told) && line.includes(' WARN ')).length,
      1,
      service.log.join(''),
    )
    strictEqual((await service.get('/demo/one')).text, '[{"one":1}]')
  } finally {
    await service.close()
  }
})

test('at most five databases beside a missing one are named, and the others are counted [F11]', () => {
  const folder = newFolder(Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`d${index}.db`, ''])))
  const told = whyNoFile(join(folder, 'demo.db')) ?? ''
  match(told, /; beside it: d0\.db, d1\.db, d2\.db, d3\.db, d4\.db and 3 more; correct the url/)
})

test('keys of other programs and the dashes of YAML are told with what to write [F11]', () => {
  const source = (field: string): string =>
    `sql_dir: sql\ndatasources:\n  - name: a\n    url: sqlite:a.db\n    ${field}\n`
  for (const key of ['host', 'port', 'database', 'dbname', 'driver']) {
    match(
      told(source(`${key}: x`)),
      /yaml:5: .*: unknown field; it is a part of url: postgres:\/\/USER@HOST:PORT\/DATABASE/,
    )
  }
  match(told(source('sslmode: require')), /parameter of url: .*\?sslmode=require/)
  match(told(source('pool_size: 3')), /did you mean max_connections\?/)
  const map = 'project_datasource_map: {crm: demmo}\n'
  const lists = 'datasources:\n  - {name: demo, url: "sqlite:a.db"}\n'
  match(told(`sql_dir: sql\n${lists}${map}`), /yaml:4: .*no datasource "demmo"; did you mean demo\?/)
  match(told('port: 8080\nsql_dir: sql\n'), /server\.bind/)
  match(told('datasources:\n  - name: a\n   url: x\n'), /yaml:3:1: .*begin each item with "- "/)
  match(told('datasources:\n  name: a\n  - name: b\n'), /yaml:3:\d+: .*begin each item of the list with "- "/)
})

test('a key of project_datasource_map that no folder has is a WARN with its line and the folder meant [F11]', async () => {
  const files = { 'demo/GET/one.sql': one, 'Orders/GET/one.sql': one }
  const config = { project_datasource_map: { demoo: 'demo', orders: 'demo', zzzz: 'demo' } }
  const demoo = /sqlapi\.yaml:\d+: project_datasource_map\.demoo: sql_dir has no folder .*; did you mean demo\?/
  const zzzz = /sqlapi\.yaml:\d+: project_datasource_map\.zzzz: sql_dir .*; make the folder, or remove the line/
  const service = await startTestService({ kind: 'sqlite', files, config })
  try {
    const told = service.log.filter((line) => line.includes('project_datasource_map.'))
    deepStrictEqual([told.length, told.every((line) => line.includes(' WARN '))], [2, true], told.join(''))
    match(told[0] ?? '', demoo)
    match(told[1] ?? '', zzzz)
    const [one = 0, other = 0] = told.map((line) => Number(/yaml:(\d+)/.exec(line)?.[1]))
    strictEqual(other - one, 2, 'each has its own line')
  } finally {
    await service.close()
  }
  const { stderr } = await runCheck({ files, config: { ...config, datasources: memory } })
  match(stderr, new RegExp(`warning: .*${demoo.source}`))
  match(stderr, zzzz)
})

test('a project that a datasource nearly has the name of is told with it [F11]', async () => {
  const files = { 'demos/GET/one.sql': one }
  const cure = /there is a datasource demo: rename one of the two, or add demos: demo to project_datasource_map/
  const { stdout } = await runCheck({ files, config: { datasources: memory } })
  match(stdout, cure)
  const service = await startTestService({ kind: 'sqlite', files })
  try {
    match(service.log.join(''), new RegExp(`WARN sqlapi: Project without a datasource project=demos .*${cure.source}`))
  } finally {
    await service.close()
  }
})

test('a line of project_datasource_map without a space after its colon is told so [F11]', () => {
  match(told('sql_dir: sql\nproject_datasource_map:\n  crm:demo\n'), /yaml:2: .*a colon needs a space after it/)
  match(told('sql_dir: sql\nproject_datasource_map:\n  crm:demo\n  b:demo\n'), /yaml:2: .*a colon needs a space/)
  match(told('sql_dir: sql\nproject_datasource_map:\n  crm:demo\n  b: demo\n'), /yaml:3:\d+: .*a colon needs a space/)
})
