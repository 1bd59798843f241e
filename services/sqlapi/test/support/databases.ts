/**
 * Databases for tests: one PostgreSQL server per test process, started by the first test that needs it, and SQLite
 * files. Every test gets databases of its own, empty, and gives them back.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { after } from 'node:test'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import type { Dialect } from '../../src/model.ts'

export interface TestDatabase {
  /** As the configuration file has it. */
  readonly url: string
  /** Runs SQL beside the service, for set-up. */
  execute(sql: string): Promise<void>
  /** Leaves nothing in it, whoever has it open. */
  empty(): Promise<void>
  remove(): Promise<void>
}

export function createDatabase(kind: Dialect): Promise<TestDatabase> {
  return kind === 'postgres' ? createPostgres() : Promise.resolve(createSqlite())
}

let server: Promise<ThrowawayPostgres> | undefined
let admin: Promise<pg.Client> | undefined
/** Every database that was made, with a connection to each, and those of them that nobody uses now. */
const clients: pg.Client[] = []
const free: { readonly url: string; readonly client: pg.Client }[] = []

/** Nothing here is to survive anything, and copying files is the quicker way to make a database. */
const settings = {
  max_connections: '400',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
}

/** The server of this process; it is removed when the last test has ended. */
export function sharedPostgres(): Promise<ThrowawayPostgres> {
  return (server ??= startThrowawayPostgres(settings))
}

after(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await (await admin)?.end()
  await (await server)?.remove()
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

let made = 0
let lastCommand: Promise<unknown> = Promise.resolve()

/** Commands of the whole server run one after another. */
async function command(sql: string): Promise<void> {
  const client = await (admin ??= sharedPostgres().then(({ url }) => connect(url)))
  const previous = lastCommand
  const { promise, resolve } = Promise.withResolvers<void>()
  lastCommand = promise
  await previous
  await client.query(sql).finally(resolve)
}

/** An emptied database is as good as a new one, and much quicker to have. */
const emptyCommands = [
  'DISCARD ALL',
  `DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
    CREATE SCHEMA public;
  END $$`,
]

async function createPostgres(): Promise<TestDatabase> {
  const database = free.pop() ?? (await makePostgres())
  const { url, client } = database
  const empty = async (): Promise<void> => {
    for (const text of emptyCommands) await client.query(text)
  }
  return {
    url,
    async execute(sql) {
      await client.query(sql)
    },
    empty,
    async remove() {
      await empty()
      free.push(database)
    },
  }
}

async function makePostgres(): Promise<{ url: string; client: pg.Client }> {
  const name = `test_${++made}`
  await command(`CREATE DATABASE ${name} STRATEGY FILE_COPY`)
  const url = (await sharedPostgres()).url.replace(/[^/]*$/, name)
  const client = await connect(url)
  clients.push(client)
  return { url, client }
}

function createSqlite(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-sqlite-'))
  const file = join(folder, 'test.db')
  const use = (run: (database: DatabaseSync) => void, options: DatabaseSyncOptions = {}): Promise<void> => {
    const database = new DatabaseSync(file, options)
    run(database)
    database.close()
    return Promise.resolve()
  }
  return {
    url: `sqlite:${file}`,
    execute: (sql) => use((database) => database.exec(sql)),
    // A session may just be rolled back.
    empty: () => use(dropAll, { enableForeignKeyConstraints: false, timeout: busyMs }),
    remove() {
      // A look at a database may just be ending.
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      return Promise.resolve()
    },
  }
}

const busyMs = 60_000

/** With a table go its indexes and triggers. */
function dropAll(database: DatabaseSync): void {
  const made = database.prepare(`SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table')
    AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC`)
  for (const { type, name } of made.all()) {
    database.exec(`DROP ${String(type)} IF EXISTS "${String(name).replaceAll('"', '""')}"`)
  }
}
