/** What a start and `check` say of mistakes that new users make. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { newFolder } from '@services/testing'
import { loadConfig } from '../../src/boot/config/config.ts'
import { runCheck } from '../support/check.ts'
import { startTestService } from '../support/service.ts'

const memory = [{ name: 'demo', url: 'sqlite::memory:' }]
const one = 'SELECT 1 AS one'

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

test('keys of other programs and the dashes of YAML are told with what to write [F11]', () => {
  const told = (text: string): string => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'sqlapi.yaml'), text)
    try {
      loadConfig({ flag: undefined, env: {}, cwd })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
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
