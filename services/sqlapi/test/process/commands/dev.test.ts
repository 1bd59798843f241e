/** The command `dev` through its process: files change, and answers and terminal follow. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { call, newFolder } from '@services/testing'
import { startDev } from '../../support/dev.ts'

const memory = { datasources: [{ name: 'demo', url: 'sqlite::memory:' }] }

describe('dev', { concurrency: 4 }, () => {
  test('serves on the loopback, with full errors and the page, whose address it tells [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/bad.sql': 'SELECT\n  nothing' }, config: memory })
    match(dev.stdout(), /Listening address=127\.0\.0\.1:\d+/)
    await dev.shows(new RegExp(`docs=http://127\\.0\\.0\\.1:${dev.port}/docs`))
    strictEqual((await dev.get('/docs')).status, 200)
    const { position } = JSON.parse((await dev.get('/demo/bad')).text) as { position: object }
    deepStrictEqual(position, { file: 'demo/GET/bad.sql', line: 2, column: 3 })
    strictEqual((await dev.stop()).code, 0)
  })

  test('one process serves, whatever server.workers says [N5.1]', async () => {
    const files = { 'demo/GET/a.sql': 'SELECT 1 AS a' }
    const server = { bind: '127.0.0.1:0', workers: 2 }
    const url = `sqlite:${join(newFolder(), 'demo.db')}`
    const dev = await startDev({ files, config: { server, datasources: [{ name: 'demo', url }] } })
    dev.write({ 'demo/GET/a.sql': 'SELECT 2 AS a' })
    await dev.answers('/demo/a', '[{"a":2}]')
    strictEqual((await dev.stop()).code, 0)
  })

  test('new, changed, renamed and removed files and folders are served as they are [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT 1 AS a' }, config: memory })
    dev.write({ 'demo/GET/a.sql': 'SELECT 2 AS a', 'demo/POST/deep/er/b.sql': 'SELECT :b AS b' })
    await dev.answers('/demo/a', '[{"a":2}]')
    await dev.answers('/openapi.json', '/demo/deep/er/b')
    strictEqual((await call(dev.port, '/demo/deep/er/b', { body: { b: 5 } })).text, '[{"b":5}]')
    renameSync(join(dev.folder, 'sql/demo/POST/deep'), join(dev.folder, 'sql/demo/GET/moved'))
    await dev.answers('/demo/moved/er/b?b=x', '[{"b":"x"}]')
    dev.remove('demo/GET/moved')
    await dev.answers('/demo/moved/er/b?b=x', 'does not exist')
    // Another folder of the same name.
    dev.write({ 'demo/GET/moved/er/b.sql': 'SELECT 3 AS c' })
    await dev.answers('/demo/moved/er/b', '[{"c":3}]')
    dev.write({ 'demo/GET/moved/er/b.sql': 'SELECT 4 AS c' })
    await dev.answers('/demo/moved/er/b', '[{"c":4}]')
    await dev.stop()
  })

  test('editors that write beside the file and rename, and files that keep their time [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT 1 AS a' }, config: memory })
    const file = join(dev.folder, 'sql/demo/GET/a.sql')
    writeFileSync(`${file}~`, 'SELECT 2 AS a')
    renameSync(`${file}~`, file)
    await dev.answers('/demo/a', '[{"a":2}]')
    utimesSync(file, 1, 1)
    await dev.shows(/(?:Files read anew read=1[^]*){2}/)
    // As long as before, and of the same time.
    writeFileSync(file, 'SELECT 3 AS a')
    utimesSync(file, 1, 1)
    await dev.answers('/demo/a', '[{"a":3}]')
    await dev.stop()
  })

  test('many files at once are all served [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT 1 AS a' }, config: memory })
    const names = Array.from({ length: 300 }, (_, index) => `folder-${index % 7}/file-${index}`)
    dev.write(Object.fromEntries(names.map((name) => [`demo/GET/${name}.sql`, `SELECT '${name}' AS name`])))
    for (const name of names) await dev.answers(`/demo/${name}`, `[{"name":"${name}"}]`)
    for (let n = 0; n < 7; n++) dev.remove(`demo/GET/folder-${n}`)
    for (const name of [names[0], names.at(-1)]) await dev.answers(`/demo/${name}`, 'does not exist')
    strictEqual((await dev.get('/demo/a')).text, '[{"a":1}]')
    await dev.stop()
  })

  test('a file that cannot be loaded answers with its finding, the others go on [N5.1]', async () => {
    const files = { 'demo/GET/good.sql': 'SELECT 1 AS a', 'demo/POST/empty.sql': ' \n' }
    const dev = await startDev({ files, config: memory })
    const reply = await call(dev.port, '/demo/empty/batch', { body: { queries: [{}] } })
    strictEqual(reply.status, 400)
    deepStrictEqual(JSON.parse(reply.text), {
      error: 'InvalidQueryException',
      message: 'file demo/POST/empty.sql is empty; write a statement or remove the file',
    })
    dev.write({ 'demo/GET/latin.sql': Buffer.from('SELECT \xe4', 'latin1'), 'demo/GET/GOOD.sql': 'SELECT 2' })
    match(
      (await dev.answers('/demo/LATIN', 'InvalidQueryException')).text,
      /latin\.sql is not UTF-8 text; save it as UTF-8/,
    )
    match(
      (await dev.answers('/demo/good', 'InvalidQueryException')).text,
      /GOOD\.sql and demo\/GET\/good\.sql give the same/,
    )
    await dev.shows(/sql\/demo\/POST\/empty\.sql\n {2}error {2}is empty\n {6}= write a statement/)
    await dev.shows(/sql\/demo\/GET\/good\.sql\n {2}error {2}files demo/)
    dev.remove('demo/GET/GOOD.sql')
    await dev.answers('/demo/good', '[{"a":1}]')
    await dev.shows(/sql\/demo\/GET\/good\.sql nothing to report any more/)
    strictEqual((await dev.get('/demo/none')).status, 400)
    match((await dev.get('/demo/none')).text, /SqlapiRuntimeException/)
    await dev.stop()
  })

  test('what is no file of the tree keeps nobody else from being served [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT 1 AS a' }, config: memory })
    mkdirSync(join(dev.folder, 'sql/demo/GET/folder.sql'))
    await dev.answers('/demo/folder', 'is not a regular file')
    strictEqual((await dev.get('/demo/a')).text, '[{"a":1}]')
    dev.write({ 'demo/get/b.sql': 'SELECT 1' })
    await dev.shows(/sql\/demo\/get\n {2}1:1 {2}warning {2}ignored-folder/)
    await dev.stop()
  })

  test('a tree that has gone is told once; what was read before is served until it is back [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT 1 AS a' }, config: memory })
    // At once: of one that is removed file by file the rest would be served.
    renameSync(join(dev.folder, 'sql'), join(dev.folder, 'gone'))
    await dev.shows(/WARN.*cannot be read anew.*InvalidDirectoryException/)
    strictEqual((await dev.get('/demo/a')).text, '[{"a":1}]')
    dev.write({ 'demo/GET/a.sql': 'SELECT 2 AS a' })
    await dev.answers('/demo/a', '[{"a":2}]')
    strictEqual(dev.stdout().split('cannot be read anew').length, 2)
    await dev.stop()
  })

  test('findings of words and of the database appear, and end with a line, also when the database is mended [N5.1]', async () => {
    const file = join(newFolder(), 'demo.db')
    const database = new DatabaseSync(file, { timeout: 60_000 })
    database.exec('CREATE TABLE orders (id INTEGER, total INTEGER)')
    const config = { datasources: [{ name: 'demo', url: `sqlite:${file}` }] }
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT totl FROM orders' }, config })
    await dev.shows(
      /sql\/demo\/GET\/a\.sql\n {2}1:8 {2}error {2}unknown-column: .*totl\n.*\n {6} {7}\^\n {6}= did you mean total/,
    )
    dev.write({ 'demo/POST/b.sql': 'DELETE FROM orders' })
    await dev.shows(/sql\/demo\/POST\/b\.sql\n {2}1:1 {2}warning {2}no-where/)
    doesNotMatch(dev.stdout(), /nothing to report any more/)
    database.exec('ALTER TABLE orders ADD COLUMN totl INTEGER')
    dev.write({ 'demo/POST/b.sql': 'DELETE FROM orders WHERE true' })
    await dev.shows(/sql\/demo\/GET\/a\.sql nothing to report any more/)
    await dev.shows(/sql\/demo\/POST\/b\.sql nothing to report any more/)
    strictEqual(dev.stdout().split('unknown-column').length, 2)
    await dev.stop()
    database.close()
  })

  test('a project without a datasource is a finding; a database that cannot be reached is told [N5.1]', async () => {
    const config = { datasources: [{ name: 'far', url: 'postgresql://127.0.0.1:1/far' }] }
    const files = { 'far/GET/a.sql': 'SELECT 1', 'lost/GET/b.sql': 'SELECT 2' }
    const dev = await startDev({ files, config })
    await dev.shows(/not checked: datasource 'far'/)
    await dev.shows(/error {2}datasource: project "lost" leads to no datasource/)
    await dev.stop()
  })

  test('what shows without a database does not wait for one that is silent [N5.1]', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `postgresql://127.0.0.1:${(silent.address() as AddressInfo).port}/far`
    const files = { 'far/POST/a.sql': 'DELETE FROM orders' }
    const dev = await startDev({ files, config: { datasources: [{ name: 'far', url }] } })
    await dev.shows(/sql\/far\/POST\/a\.sql\n {2}1:1 {2}warning {2}no-where/)
    doesNotMatch(dev.stdout(), /not checked/)
    dev.kill('SIGKILL')
    await dev.ended
    silent.close()
  })

  test('a request that has begun ends with the file that it began with [N5.1]', async () => {
    const slow = `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) AS old FROM n`
    const dev = await startDev({ files: { 'demo/GET/slow.sql': slow }, config: memory })
    const begun = dev.get('/demo/slow')
    dev.write({ 'demo/GET/slow.sql': 'SELECT 1 AS new' })
    await dev.answers('/demo/slow', '[{"new":1}]')
    ok(['[{"old":3000000}]', '[{"new":1}]'].includes((await begun).text))
    await dev.stop()
  })

  test('a changed configuration is told, because it takes a restart [N5.1]', async () => {
    const dev = await startDev({ files: { 'demo/GET/a.sql': 'SELECT 1 AS a' }, config: memory })
    writeFileSync(join(dev.folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', ...memory }))
    await dev.shows(/WARN.*restart to apply it file=.*sqlapi\.yaml/)
    await dev.stop()
  })
})
