/** The lock file: `check --write`, `check` against it with and without databases. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { newFolder } from '@services/testing'
import type { DescribedColumn, DescribedParameter } from '../../../src/description.ts'
import { dialectNames } from '../../../src/dialects.ts'
import { digestOf } from '../../../src/lock/digest.ts'
import type { Lock, LockEntry } from '../../../src/lock/lock.ts'
import { LockTextError, readLock, writeLock } from '../../../src/lock/lock-text.ts'
import { findingsOf, inBrief, runCheck } from '../../support/check.ts'
import { createDatabase } from '../../support/databases.ts'

const schema = `
CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, total NUMERIC(10,2), placed_on DATE)`

const files = {
  'shop/GET/orders/list.sql': `SELECT o.id, c.name AS customer_name, o.total, count(*) AS n
FROM orders o LEFT JOIN customer c ON c.id = o.customer_id
WHERE o.placed_on >= :from AND o.id IN (:ids)
GROUP BY o.id, c.name, o.total`,
  'shop/POST/orders/add.sql': 'INSERT INTO orders (customer_id, total) VALUES (:customer, :total)',
}

interface Shop {
  readonly folder: string
  readonly config: Record<string, unknown>
  readonly lockFile: string
  execute(sql: string): Promise<void>
  readLock(): string
}

async function withShop(kind: 'postgres' | 'sqlite', run: (shop: Shop) => Promise<void>): Promise<void> {
  const database = await createDatabase(kind)
  await database.execute(schema)
  const folder = newFolder()
  const lockFile = join(folder, 'sqlapi.lock.json')
  try {
    await run({
      folder,
      lockFile,
      config: { datasources: [{ name: 'shop', url: database.url }] },
      execute: (sql) => database.execute(sql),
      readLock: () => readFileSync(lockFile, 'utf8'),
    })
  } finally {
    await database.remove()
  }
}

/** The findings of a run in brief, without those that are not about the lock. */
async function lockFindings(shop: Shop, own: Record<string, string> = files, args: readonly string[] = []) {
  const { findings, code } = await findingsOf({ files: own, folder: shop.folder, config: shop.config, args })
  return { code, lock: findings.filter((finding) => finding.code === 'lock').map(inBrief) }
}

const expected = {
  postgres: `{
  "version": 1,
  "endpoints": {
    "GET /shop/orders/list": {
      "postgres": {
        "sha256": "${digestOf(files['shop/GET/orders/list.sql'])}",
        "kind": "read",
        "parameters": [
          { "name": "from", "type": "date" },
          { "name": "ids", "type": "integer", "list": true }
        ],
        "keys": [
          { "key": "id", "column": "id", "type": "integer", "nullable": false },
          { "key": "customerName", "column": "customer_name", "type": "character varying(40)", "nullable": "unknown" },
          { "key": "total", "column": "total", "type": "numeric(10,2)", "nullable": "unknown" },
          { "key": "n", "column": "n", "type": "bigint", "nullable": "unknown" }
        ]
      }
    },
    "POST /shop/orders/add": {
      "postgres": {
        "sha256": "${digestOf(files['shop/POST/orders/add.sql'])}",
        "kind": "write",
        "parameters": [
          { "name": "customer", "type": "integer" },
          { "name": "total", "type": "numeric" }
        ],
        "keys": []
      }
    }
  }
}
`,
  sqlite: `{
  "version": 1,
  "endpoints": {
    "GET /shop/orders/list": {
      "sqlite": {
        "sha256": "${digestOf(files['shop/GET/orders/list.sql'])}",
        "kind": "read",
        "parameters": [
          { "name": "from", "type": "unknown" },
          { "name": "ids", "type": "unknown", "list": true }
        ],
        "keys": [
          { "key": "id", "column": "id", "type": "INTEGER", "exact": true, "nullable": false },
          { "key": "customerName", "column": "customer_name", "type": "VARCHAR(40)", "nullable": "unknown" },
          { "key": "total", "column": "total", "type": "NUMERIC(10,2)", "nullable": "unknown" },
          { "key": "n", "column": "n", "type": "unknown", "nullable": "unknown" }
        ]
      }
    },
    "POST /shop/orders/add": {
      "sqlite": {
        "sha256": "${digestOf(files['shop/POST/orders/add.sql'])}",
        "kind": "write",
        "parameters": [
          { "name": "customer", "type": "unknown" },
          { "name": "total", "type": "unknown" }
        ],
        "keys": []
      }
    }
  }
}
`,
}

for (const kind of dialectNames) {
  describe(kind, () => {
    test('check --write writes what the databases say, the same each time [N2.1]', async () => {
      await withShop(kind, async (shop) => {
        const setting = { files, folder: shop.folder, config: shop.config, args: ['--write'] }
        const first = await runCheck(setting)
        strictEqual(first.code, 0, first.stdout + first.stderr)
        match(first.stderr, /sqlapi\.lock\.json is written/)
        strictEqual(shop.readLock(), expected[kind])
        const second = await runCheck(setting)
        match(second.stderr, /says all this already/)
        deepStrictEqual(await lockFindings(shop), { code: 0, lock: [] })
        deepStrictEqual(await lockFindings(shop, files, ['--offline']), { code: 0, lock: [] })
        deepStrictEqual(
          readdirSync(shop.folder).filter((name) => name.includes('lock')),
          ['sqlapi.lock.json'],
        )
      })
    })

    test('nothing is written while there are errors [N2.1]', async () => {
      await withShop(kind, async (shop) => {
        const broken = { ...files, 'shop/GET/broken.sql': 'SELECT nope FROM orders' }
        const args = ['--write']
        const { code, stderr } = await runCheck({ files: broken, folder: shop.folder, config: shop.config, args })
        strictEqual(code, 1)
        match(stderr, /as it was, because not all files are right/)
        strictEqual(existsSync(shop.lockFile), false)
      })
    })

    test('another type, another column, another nullability is told where a database can be asked [N2.2]', async () => {
      await withShop(kind, async (shop) => {
        await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
        const list = 'error lock sql/shop/GET/orders/list.sql:1:1'
        if (kind === 'postgres') {
          await shop.execute(
            'ALTER TABLE orders ALTER total TYPE text, DROP CONSTRAINT orders_pkey, ALTER id DROP NOT NULL',
          )
          deepStrictEqual(await lockFindings(shop), {
            code: 1,
            lock: [
              `${list} key 'id' may be null now`,
              `${list} key 'total' is text, in sqlapi.lock.json numeric(10,2)`,
              "error lock sql/shop/POST/orders/add.sql:1:1 parameter 'total' is text, in sqlapi.lock.json numeric",
            ],
          })
        } else {
          await shop.execute('ALTER TABLE orders DROP COLUMN total; ALTER TABLE orders ADD COLUMN total TEXT')
          deepStrictEqual(await lockFindings(shop), {
            code: 1,
            lock: [`${list} key 'total' is TEXT, in sqlapi.lock.json NUMERIC(10,2)`],
          })
        }
        // Without a database nobody knows.
        deepStrictEqual(await lockFindings(shop, files, ['--offline']), { code: 0, lock: [] })
      })
    })

    test('a changed text, a missing and a left-over entry are told without a database [N2.2]', async () => {
      await withShop(kind, async (shop) => {
        await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
        // Nobody is asked: the database is gone.
        const url = kind === 'postgres' ? 'postgres://nobody@127.0.0.1:1/x' : 'sqlite:/nowhere/at/all.db'
        const gone = { ...shop, folder: newFolder(), config: { datasources: [{ name: 'shop', url }] } }
        writeFileSync(join(gone.folder, 'sqlapi.lock.json'), shop.readLock())
        const others = {
          'shop/GET/orders/list.sql': `${files['shop/GET/orders/list.sql']} `,
          'shop/GET/new.sql': 'SELECT 1 AS one',
        }
        deepStrictEqual(await lockFindings(gone, others, ['--offline']), {
          code: 1,
          lock: [
            `error lock sql/shop/GET/new.sql:1:1 sqlapi.lock.json has no entry for GET /shop/new (${kind})`,
            'error lock sql/shop/GET/orders/list.sql:1:1 the text is not the one for which sqlapi.lock.json was written',
            `error lock sqlapi.lock.json:${lineOf(shop.readLock())}:1 POST /shop/orders/add has an entry, and no file`,
          ],
        })
      })
    })

    test('without a database only what no parser reads is an error [N2.2]', async () => {
      await withShop(kind, async (shop) => {
        const own = {
          'shop/GET/a.sql': 'SELECT nope, no_such(1) FROM nowhere WHERE x IN (:xs)',
          'shop/GET/b.sql': "-- õ\nSELECT 'õ😀', :x AS x FORM t y z",
          'shop/GET/c.sql': 'SELECT 1; SELEC 2',
          'shop/GET/d.sql': 'PRAGMA user_version',
        }
        delete (own as Record<string, string>)[kind === 'postgres' ? 'shop/GET/d.sql' : '']
        const { findings, code } = await findingsOf({
          files: own,
          folder: shop.folder,
          config: shop.config,
          args: ['--offline'],
        })
        strictEqual(code, 1)
        deepStrictEqual(
          findings
            .filter(({ severity }) => severity === 'error')
            .map(({ file, line, column }) => `${file}:${line}:${column}`),
          ['sql/shop/GET/b.sql:2:22', 'sql/shop/GET/c.sql:1:11', 'sqlapi.lock.json:1:1'],
        )
      })
    })
  })
}

/** Of the entry of the second endpoint. */
function lineOf(text: string): number {
  return text.split('\n').findIndex((line) => line.includes('"POST /shop/orders/add"')) + 1
}

test('--write asks databases, so it does not go with --offline [N2.1]', async () => {
  const { code, stderr } = await runCheck({ files, args: ['--write', '--offline'] })
  strictEqual(code, 2)
  match(stderr, /--write asks the databases, and --offline asks none/)
})

test('--offline without a lock file ends with 1 and says how to write it [F7]', async () => {
  const config = { datasources: [{ name: 'shop', url: 'sqlite:shop.db' }] }
  const project = { files: { 'shop/GET/one.sql': 'SELECT 1 AS one' }, config, args: ['--offline'] }
  const { code, findings } = await findingsOf(project)
  strictEqual(code, 1)
  deepStrictEqual(findings.map(inBrief), [
    'error lock sqlapi.lock.json:1:1 there is no sqlapi.lock.json, so without a database there is nothing to compare with',
  ])
  match(findings[0]?.cure ?? '', /^write it with check --write, /)
})

test('--offline needs no passwords: their variables may be unset [N2.1]', async () => {
  const datasource = {
    name: 'shop',
    url: 'postgres://127.0.0.1:1/x',
    username: 'reader',
    password_env: 'SHOP_PASSWORD',
  }
  const project = { files: { 'shop/GET/one.sql': 'SELECT 1 AS one' }, config: { datasources: [datasource] } }
  const offline = await runCheck({ ...project, args: ['--offline'] })
  // Nothing is wrong but that there is no lock file.
  deepStrictEqual([offline.code, offline.stderr], [1, ''])
  const online = await runCheck(project)
  strictEqual(online.code, 2)
  match(online.stderr, /password_env: environment variable SHOP_PASSWORD is not set/)
})

test('a database that cannot be asked: nothing is written, 2 [N2.1]', async () => {
  const folder = newFolder()
  const config = { datasources: [{ name: 'shop', url: 'postgres://nobody@127.0.0.1:1/x' }] }
  const { code } = await runCheck({ files, folder, config, args: ['--write'] })
  strictEqual(code, 2)
  strictEqual(existsSync(join(folder, 'sqlapi.lock.json')), false)
})

test('a lock file that cannot be written is the reason for 2 [N2.1]', async () => {
  await withShop('sqlite', async (shop) => {
    mkdirSync(shop.lockFile)
    const { code, stderr } = await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
    strictEqual(code, 2, stderr)
    match(stderr, /sqlapi\.lock\.json cannot be written/)
    chmodSync(shop.lockFile, 0o755)
    deepStrictEqual(
      readdirSync(shop.folder).filter((name) => name.endsWith('.tmp')),
      [],
    )
  })
})

test('a file for two databases has an entry for each, and each is written by itself [N2.1]', async () => {
  await withShop('sqlite', async (shop) => {
    const other = await createDatabase('postgres')
    await other.execute(schema)
    const config = { datasources: [...(shop.config['datasources'] as object[]), { name: 'pg', url: other.url }] }
    const both = { ...shop, config }
    const write = (...args: string[]) => runCheck({ files, folder: shop.folder, config, args: ['--write', ...args] })
    strictEqual((await write()).code, 0)
    // Nobody has said that the lock is for this one too.
    deepStrictEqual(await lockFindings(both, files, ['--datasource', 'pg']), { code: 0, lock: [] })
    strictEqual((await write('--datasource', 'pg')).code, 0)
    strictEqual((await write()).code, 0)
    const lock = readLock(shop.readLock())
    deepStrictEqual(Object.keys(lock.get('GET /shop/orders/list') ?? {}), ['postgres', 'sqlite'])
    await other.execute('ALTER TABLE orders ALTER total TYPE text')
    const { lock: found } = await lockFindings(both, files, ['--datasource', 'pg'])
    strictEqual(found.length, 2)
    deepStrictEqual(await lockFindings(both), { code: 0, lock: [] })
    // No datasource speaks it any more.
    const { lock: unused } = await lockFindings(shop)
    deepStrictEqual(unused.length, 2)
    match(unused[0] ?? '', /has an entry for postgres, which no datasource speaks/)
    await other.remove()
  })
})

test('what cannot be asked about at the moment is not forgotten [N2.1]', async () => {
  await withShop('postgres', async (shop) => {
    const setting = { files, folder: shop.folder, config: shop.config, args: ['--write'] }
    strictEqual((await runCheck(setting)).code, 0)
    await shop.execute('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
    const { stderr } = await runCheck(setting)
    await shop.execute('ROLLBACK')
    match(stderr, /says all this already/)
    strictEqual(shop.readLock(), expected.postgres)
  })
})

test('a lock that is cut, of a newer version or no lock at all is refused with the cure, and written anew on demand [N2.2]', async () => {
  await withShop('sqlite', async (shop) => {
    await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
    const whole = shop.readLock()
    const broken: readonly (readonly [text: string, reason: RegExp, cure: RegExp])[] = [
      [whole.slice(0, -20), /it is not complete JSON/, /version control/],
      ['', /it is not complete JSON/, /version control/],
      [
        whole.replace('"version": 1', '"version": 2'),
        /it has version 2, and this sqlapi knows up to 1/,
        /update sqlapi/,
      ],
      [whole.replace('"version": 1,', ''), /it has no version/, /version control/],
      ['[]', /the file is not an object/, /version control/],
      [whole.replace('"kind": "read"', '"kind": "odd"'), /"odd" in GET \/shop\/orders\/list, sqlite is not one of/, /version control/], // prettier-ignore
      [whole.replaceAll('"column": "id", ', ''), /a text of GET \/shop\/orders\/list, sqlite is missing/, /version control/], // prettier-ignore
    ]
    for (const [text, reason, cure] of broken) {
      writeFileSync(shop.lockFile, text)
      const { findings, code } = await findingsOf({
        files,
        folder: shop.folder,
        config: shop.config,
        args: ['--offline'],
      })
      strictEqual(code, 1)
      const [finding, ...others] = findings.filter((each) => each.code === 'lock')
      deepStrictEqual(others, [])
      match(finding?.message ?? '', reason)
      match(finding?.cure ?? '', cure)
      strictEqual(finding?.file, 'sqlapi.lock.json')
    }
    strictEqual((await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })).code, 0)
    strictEqual(shop.readLock(), whole)
  })
})

test('a file allows a difference with its reason, the configuration weighs it otherwise [N2.2]', async () => {
  await withShop('sqlite', async (shop) => {
    await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
    const own = { ...files, 'shop/GET/new.sql': '-- @allow lock it is not finished\nSELECT 1 AS one' }
    deepStrictEqual(await lockFindings(shop, own), { code: 0, lock: [] })
    const weighed = { ...shop, config: { ...shop.config, check: { rules: { lock: 'warning' } } } }
    const { code, lock } = await lockFindings(weighed, { ...own, 'shop/GET/newer.sql': 'SELECT 1 AS one' })
    strictEqual(code, 0)
    match(lock.join(), /^warning lock sql\/shop\/GET\/newer\.sql/)
  })
})

test('a text has the same digest on all systems [N2.1]', () => {
  strictEqual(digestOf('\uFEFFSELECT 1;\r\nSELECT 2\r\n'), digestOf('SELECT 1;\nSELECT 2\n'))
  strictEqual(digestOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  ok(digestOf('a') !== digestOf('a '))
})

test('the manual shows what is written [N2.1]', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../docs/lock.md'), 'utf8')
  ok(manual.includes(files['shop/GET/orders/list.sql']))
  const [, entry = ''] = /( {4}"GET .*?\n {4}\})/s.exec(expected.postgres) ?? []
  ok(manual.includes(entry) && entry.length > 500, entry)
})

test('a lock without files is a lock [N2.1]', () => {
  strictEqual(writeLock(new Map()), '{\n  "version": 1,\n  "endpoints": {}\n}\n')
  strictEqual(readLock(writeLock(new Map())).size, 0)
})

const words = fc.string({ minLength: 1 })
const types = fc.option(
  fc
    .record({ name: words, base: words, labels: fc.array(words) }, { requiredKeys: ['name'], noNullPrototype: true })
    .filter(({ name }) => name !== 'unknown'),
  { nil: undefined },
)
const plain = { noNullPrototype: true }
const parameters = fc.record<DescribedParameter>({ name: words, type: types, isList: fc.boolean() }, plain)
const keys = fc.record<DescribedColumn>(
  {
    key: words,
    column: words,
    type: types,
    nullable: fc.constantFrom(false, undefined),
  },
  plain,
)
const entries = fc.record<LockEntry>(
  {
    sha256: words,
    kind: fc.constantFrom('read', 'write', 'definition'),
    parameters: fc.array(parameters),
    keys: fc.option(fc.array(keys), { nil: undefined }),
  },
  plain,
)
const locks = fc
  .array(
    fc.tuple(words, fc.record({ postgres: entries, sqlite: entries }, { requiredKeys: [], noNullPrototype: true })),
  )
  .map((list): Lock => new Map(list))

test('what was written is read again, and its order does not matter [N2.1]', () => {
  fc.assert(
    fc.property(locks, (lock) => {
      const text = writeLock(lock)
      const again = readLock(text)
      strictEqual(again.size, lock.size)
      for (const [name, entry] of lock) deepStrictEqual(again.get(name), entry)
      strictEqual(writeLock(new Map(Array.from(lock).toReversed())), text)
      strictEqual(writeLock(readLock(text)), text)
    }),
  )
})

test('whatever stands in the file is a lock or a reason [N2.2]', () => {
  const whole = expected.postgres
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.constantFrom('', '1', 'null', '"', '{}', '[', ','), (at, put) => {
      try {
        readLock(whole.slice(0, at) + put + whole.slice(at + 1))
      } catch (error) {
        ok(error instanceof LockTextError, String(error))
      }
    }),
  )
})

test('a SQLite file is left as it was [N2.1]', async () => {
  await withShop('sqlite', async (shop) => {
    const [{ url }] = shop.config['datasources'] as [{ url: string }]
    const path = url.replace('sqlite:', '')
    const before = readFileSync(path)
    await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
    deepStrictEqual(readFileSync(path), before)
    new DatabaseSync(path).close()
  })
})

test('a lock of an earlier version, which calls no column exact, stays valid; a column that is no longer exact is reported [F8]', async () => {
  await withShop('sqlite', async (shop) => {
    await runCheck({ files, folder: shop.folder, config: shop.config, args: ['--write'] })
    const written = shop.readLock()
    ok(written.includes('"exact": true'))
    writeFileSync(shop.lockFile, written.replace('"exact": true, ', ''))
    deepStrictEqual(await lockFindings(shop), { code: 0, lock: [] })
    writeFileSync(shop.lockFile, written.replace('"VARCHAR(40)"', '"VARCHAR(40)", "exact": true'))
    deepStrictEqual(await lockFindings(shop), {
      code: 1,
      lock: [
        "error lock sql/shop/GET/orders/list.sql:1:1 key 'customerName' may have values of other types than VARCHAR(40) now",
      ],
    })
  })
})
