/**
 * A SQLite file that is deleted, moved or replaced while it is open: no write is acknowledged that is not in the file
 * that has the name, and what is put there is served. Real files, and other connections to look at them.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { call, linesOf, newFolder, until } from '@services/testing'
import { startSqlapi } from '../../support/process.ts'
import { Sink } from '../../../src/database/result.ts'
import { Workplace } from '../../../src/database/sqlite/workplaces/workplace.ts'
import { contentOf, Datasource, isLocked, newFile, openOptions } from '../../support/sqlite.ts'

const schema = 'PRAGMA journal_mode = WAL; CREATE TABLE t (x);'
const add = 'INSERT INTO t VALUES (:x)'
const all = "SELECT group_concat(x, ' ') AS xs FROM (SELECT x FROM t ORDER BY rowid)"
const post = { method: 'POST' } as const

function removeAll(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
}

/** A datasource that has written and read, so that a writer and a reader have the file open. */
async function inUse(file: string, maxConnections = 4): Promise<Datasource> {
  const lite = new Datasource(file, maxConnections)
  strictEqual(await lite.run(add, { x: 'old' }, post), '[]')
  strictEqual(await lite.run(all), '[{"xs":"old"}]')
  return lite
}

/** Every way in which another file comes to have the name; each gives it the content `new`. */
const replacements: Readonly<Record<string, (file: string) => void>> = {
  'renamed over, the old log left behind': (file) =>
    renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file),
  'moved away first, the old log left behind': (file) => {
    renameSync(file, `${file}-old`)
    renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file)
  },
  'deleted with its log, another put there': (file) => {
    removeAll(file)
    renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file)
  },
  'deleted with its log, made anew by another process that has it open': (file) => {
    removeAll(file)
    const other = new DatabaseSync(file)
    other.exec(`${schema} INSERT INTO t VALUES ('new')`)
    setTimeout(() => other.close(), 1000)
  },
  'its folder moved away, another put there': (file) => {
    renameSync(dirname(file), `${dirname(file)}-old`)
    mkdirSync(dirname(file))
    renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file)
  },
}

/** In a folder of its own, which may go. */
function newFileInFolder(): string {
  const folder = join(newFolder(), 'data')
  mkdirSync(folder)
  const file = join(folder, 'a.db')
  renameSync(newFile(schema), file)
  return file
}

describe('a SQLite file that is replaced', () => {
  for (const maxConnections of [1, 4]) {
    for (const [how, replace] of Object.entries(replacements)) {
      test(`${how} (${maxConnections} connections): reads and writes go to the new one [S13]`, async () => {
        const file = newFileInFolder()
        const lite = await inUse(file, maxConnections)
        replace(file)
        const answers = await Promise.allSettled([
          lite.run(all),
          lite.run(add, { x: 'a' }, post),
          lite.run(add, { x: 'b' }, post),
        ])
        deepStrictEqual(
          answers.filter(({ status }) => status === 'rejected'),
          [],
          'none had begun',
        )
        const xs = contentOf(file)
        ok(xs === 'new a b' || xs === 'new b a', String(xs))
        strictEqual(await lite.run(all), JSON.stringify([{ xs }]))
        strictEqual(lite.fileChanges.length, 1, 'said once')
        strictEqual(lite.fileChanges[0]?.reason, 'replaced')
      })
    }
  }

  test('what was acknowledged before is in the file that was moved away [S13]', async () => {
    const file = newFile(schema)
    const lite = await inUse(file)
    renameSync(file, `${file}-old`)
    renameSync(newFile(schema), file)
    strictEqual(await lite.run(all), '[{"xs":null}]')
    strictEqual(contentOf(`${file}-old`), 'old')
  })

  test('again and again: each time the new one is served, and said once [S13]', async () => {
    const file = newFile(schema)
    const lite = await inUse(file)
    for (let round = 1; round <= 5; round++) {
      if (round % 2 === 0) removeAll(file)
      renameSync(newFile(schema), file)
      strictEqual(await lite.run(add, { x: round }, post), '[]')
      strictEqual(contentOf(file), String(round))
      strictEqual(lite.fileChanges.length, round)
    }
  })

  test('by a link that leads elsewhere: both files stay whole [S13]', async () => {
    const [first, second] = [newFile(schema), newFile(schema)]
    const link = join(newFolder(), 'link.db')
    symlinkSync(first, link)
    const lite = await inUse(link)
    unlinkSync(link)
    symlinkSync(second, link)
    strictEqual(await lite.run(add, { x: 'new' }, post), '[]')
    deepStrictEqual([contentOf(first), contentOf(second)], ['old', 'new'])
    strictEqual(lite.fileChanges.length, 1)
  })

  test('while a transaction is under way: that is an error, and nothing of it is in the new file [S13]', async () => {
    const file = newFile(schema)
    const lite = await inUse(file)
    const slow =
      'INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 300000) SELECT n FROM c'
    const writes = [
      lite.run(slow, {}, post),
      lite.run(`${add}; ${slow}`, { x: 1 }, { ...post, transactional: true }),
      lite.run(slow, {}, { ...post, sets: [{}, {}] }),
    ]
    const outcomes = Promise.allSettled(writes)
    await until(() => isLocked(file), 'the first write has begun')
    renameSync(newFile(schema), file)
    const settled = await outcomes
    strictEqual(settled[0]?.status, 'rejected')
    match(String(settled[0].reason), /deleted or replaced|was lost/)
    const found = new DatabaseSync(file)
    const { n } = found.prepare('SELECT count(*) AS n FROM t').get() as { n: number }
    found.close()
    // Those behind it had not begun: they are done in the new file, whole, and acknowledged.
    const sizes = [300_000, 300_001, 600_000]
    strictEqual(
      n,
      settled.reduce((sum, { status }, index) => sum + (status === 'fulfilled' ? (sizes[index] as number) : 0), 0),
    )
  })

  test('while a process is started for a statement: it is told to its client and to nobody else [S13]', async () => {
    const file = newFile(schema)
    const workplace = await openWorkplace(file)
    const job = {
      transaction: 'none' as const,
      touchesSession: false,
      batch: false,
      format: 'json' as const,
      isRead: true,
      mayRunOn: true,
      sets: [[{ statement: 0, values: [] }]],
    }
    const running = workplace.run({ job, textOf: () => all, sink: new Sink(() => undefined) })
    const failing = rejects(running.done, /replaced/)
    // As the pool does with a connection that is late, and with all of them when the file has gone.
    workplace.giveBack()
    workplace.interrupt()
    renameSync(newFile(schema), file)
    await Promise.all([failing, workplace.close()])
  })

  test('while a long answer is read: it breaks off, and the next request is served from the new file [S13]', async () => {
    const file = newFile(schema)
    const lite = await inUse(file)
    const long =
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1000000) SELECT n, 'some text' AS x FROM c"
    const answer = await lite.run(long)
    ok(typeof answer === 'object' && !Buffer.isBuffer(answer), 'a stream')
    renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file)
    strictEqual(await lite.run(all), '[{"xs":"new"}]')
    await rejects(async () => {
      for await (const _ of answer);
    })
  })
})

function openWorkplace(file: string): Promise<Workplace> {
  const ignore = (): void => undefined
  return Workplace.open(
    { ...openOptions(file, 1000), statementTimeoutSeconds: 0 },
    { broken: ignore, moved: ignore, long: ignore, abandoned: ignore, killed: ignore },
  )
}

describe('a SQLite file that is deleted', () => {
  test('is not made anew: requests fail, are told why, and the file that is put there later is served [S13]', async () => {
    const file = newFile(schema)
    const lite = await inUse(file)
    removeAll(file)
    for (let round = 0; round < 3; round++) {
      await rejects(lite.run(add, { x: 1 }, post), /The file of datasource 'lite' was deleted; put a file in its place/)
      await rejects(lite.run(all), /was deleted/)
    }
    deepStrictEqual(
      readdirSync(dirname(file)).filter((name) => file.endsWith(name)),
      [],
    )
    strictEqual(lite.fileChanges.length, 1)
    strictEqual(lite.fileChanges[0]?.reason, 'deleted')
    renameSync(newFile(schema), file)
    strictEqual(await lite.run(add, { x: 'new' }, post), '[]')
    strictEqual(contentOf(file), 'new')
  })

  test('with its folder is told in the same way [S13]', async () => {
    const file = newFileInFolder()
    const lite = await inUse(file)
    rmSync(dirname(file), { recursive: true })
    await rejects(lite.run(add, { x: 1 }, post), /was deleted/)
    mkdirSync(dirname(file))
    renameSync(newFile(schema), file)
    strictEqual(await lite.run(add, { x: 'new' }, post), '[]')
    strictEqual(contentOf(file), 'new')
  })

  test('all but its log: nothing that was acknowledged is lost [S13]', async () => {
    for (const suffixes of [['-wal'], ['-shm'], ['-wal', '-shm']]) {
      const file = newFile(schema)
      const lite = await inUse(file)
      for (const suffix of suffixes) {
        ok(existsSync(file + suffix), suffix)
        unlinkSync(file + suffix)
      }
      const outcomes = await Promise.allSettled([lite.run(add, { x: 'a' }, post), lite.run(all)])
      strictEqual(await lite.run(add, { x: 'b' }, post), '[]')
      const acknowledged = outcomes[0].status === 'fulfilled' ? 'old a b' : /^old (a )?b$/
      match(String(contentOf(file)), new RegExp(acknowledged))
      strictEqual(lite.fileChanges[0]?.reason, 'its -wal or -shm file was deleted or replaced')
    }
  })

  test('and was never there before is made by the first use, as ever [S13]', async () => {
    const file = join(newFolder(), 'none.db')
    const lite = new Datasource(file)
    strictEqual(await lite.run('CREATE TABLE t (x)', {}, post), '[]')
    strictEqual(await lite.run(add, { x: 1 }, post), '[]')
    strictEqual(contentOf(file), '1')
  })

  test('and was made by the service is replaced: its log does not spoil the new one [S13]', async () => {
    const file = join(newFolder(), 'made.db')
    const lite = new Datasource(file)
    strictEqual(await lite.run('CREATE TABLE t (x)', {}, post), '[]')
    strictEqual(await lite.run(add, { x: 'old' }, post), '[]')
    renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file)
    strictEqual(await lite.run(add, { x: 'newer' }, post), '[]')
    strictEqual(contentOf(file), 'new newer')
  })

  test('under load: every acknowledged write is in the file that had the name then [S13]', async () => {
    const file = newFile(schema)
    const lite = await inUse(file)
    const files = [`${file}-0`]
    const acknowledged: number[] = []
    let x = 0
    const load = { isDone: false }
    const client = async (): Promise<void> => {
      while (!load.isDone) {
        const mine = ++x
        await lite.run(add, { x: mine }, post).then(
          () => acknowledged.push(mine),
          () => undefined,
        )
      }
    }
    const clients = Array.from({ length: 8 }, client)
    for (let round = 1; round <= 6; round++) {
      const enough = acknowledged.length + 50
      await until(() => acknowledged.length >= enough, 'fifty more writes')
      renameSync(file, files.at(-1) as string)
      renameSync(newFile(schema), file)
      files.push(`${file}-${round}`)
    }
    const enough = acknowledged.length + 50
    await until(() => acknowledged.length >= enough, 'fifty more writes')
    load.isDone = true
    await Promise.all(clients)
    const found = new Set([file, ...files.slice(0, -1)].flatMap((each) => String(contentOf(each)).split(' ')))
    deepStrictEqual(
      acknowledged.filter((each) => !found.has(String(each))),
      [],
    )
  })
})

test('a database in memory and one that is only read are not asked for a file that is written [S13]', async () => {
  const memory = new Datasource(':memory:')
  await memory.run('CREATE TABLE t (x)', {}, post)
  strictEqual(await memory.run(add, { x: 1 }, post), '[]')
  const file = newFile(`${schema} INSERT INTO t VALUES ('old')`)
  const readOnly = new Datasource(`${file}?mode=ro`)
  strictEqual(await readOnly.run(all), '[{"xs":"old"}]')
  renameSync(newFile(`${schema} INSERT INTO t VALUES ('new')`), file)
  strictEqual(await readOnly.run(all), '[{"xs":"new"}]')
})

test('one WARN for all processes tells the file that has gone [S13]', async () => {
  const folder = newFolder()
  const files = { 'lite/GET/all.sql': all, 'lite/POST/add.sql': add }
  renameSync(newFile(schema), join(folder, 'lite.db'))
  const config = { datasources: [{ name: 'lite', url: 'sqlite:lite.db' }], server: { workers: 2 } }
  const sqlapi = await startSqlapi({ folder, files, config })
  // Connections go to the processes in turn.
  const both = async (path: string, options = {}): Promise<number[]> => [
    (await call(sqlapi.port, path, options)).status,
    (await call(sqlapi.port, path, options)).status,
  ]
  deepStrictEqual(await both('/lite/add', { body: { x: 1 } }), [200, 200])
  removeAll(join(folder, 'lite.db'))
  deepStrictEqual(await both('/lite/add', { body: { x: 2 } }), [400, 400])
  renameSync(newFile(schema), join(folder, 'lite.db'))
  deepStrictEqual(await both('/lite/add', { body: { x: 3 } }), [200, 200])
  strictEqual(contentOf(join(folder, 'lite.db')), '3 3')
  await sqlapi.stop()
  const warnings = linesOf(sqlapi.stdout()).filter((line) => line.includes(' WARN '))
  strictEqual(warnings.length, 1, warnings.join('\n'))
  match(warnings[0] as string, /datasource=lite file=\S+lite\.db reason=deleted was="inode \d+ of /)
})
