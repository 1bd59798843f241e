/**
 * Databases for tests: SQLite files, and those of a PostgreSQL server, which all files of a whole run share; otherwise
 * the first test that needs one starts it. Every test gets databases of its own, empty, and gives them back.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { after } from 'node:test'
import { joinPostgres, type PostgresServer, startThrowawayPostgres, testSettings } from '@services/testing/postgres'
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

interface Server extends PostgresServer {
  /** The last thing that is done with it. */
  leave(): Promise<void> | void
}

let server: Promise<Server> | undefined
let admin: Promise<pg.Client> | undefined
/** Every database that was made, with a connection to each, and those of them that nobody uses now. */
const clients: pg.Client[] = []
const free: Emptied[] = []

/** The server of a whole run, which has a table of the databases that are free, or of this process alone. */
const urlOfRun = process.env['TEST_POSTGRES']

/** Nobody may stop it, or leave anything outside of a database. */
export function sharedPostgres(): Promise<PostgresServer> {
  return (server ??= urlOfRun === undefined ? startOwn() : Promise.resolve(joinPostgres(urlOfRun)))
}

async function startOwn(): Promise<Server> {
  const own = await startThrowawayPostgres(testSettings)
  return { ...own, leave: () => own.remove() }
}

after(async () => {
  await Promise.all(clients.map((client) => client.end()))
  // The next file finds them empty.
  if (urlOfRun !== undefined)
    for (const { name } of free) await command(`INSERT INTO free_databases VALUES ('${name}')`)
  await (await admin)?.end()
  await (await server)?.leave()
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

let lastCommand: Promise<unknown> = Promise.resolve()

/** Commands of the whole server run one after another. */
async function command(sql: string): Promise<Record<string, unknown>[]> {
  const client = await (admin ??= sharedPostgres().then(({ url }) => connect(url)))
  const previous = lastCommand
  const { promise, resolve } = Promise.withResolvers<void>()
  lastCommand = promise
  await previous
  const { rows } = await client.query<Record<string, unknown>>(sql).finally(resolve)
  return rows
}

interface Emptied {
  readonly name: string
  readonly url: string
  readonly client: pg.Client
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

async function makePostgres(): Promise<Emptied> {
  const name = (await takeFree()) ?? (await makeNew())
  const url = (await sharedPostgres()).url.replace(/[^/]*$/, name)
  const client = await connect(url)
  clients.push(client)
  return { name, url, client }
}

/** One that another file has left. */
async function takeFree(): Promise<string | undefined> {
  if (urlOfRun === undefined) return undefined
  const [found] = await command(`DELETE FROM free_databases
    WHERE ctid = (SELECT ctid FROM free_databases LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name`)
  return found?.['name'] as string | undefined
}

async function makeNew(): Promise<string> {
  const name = `test_${randomBytes(4).toString('hex')}`
  await command(`CREATE DATABASE ${name} STRATEGY FILE_COPY`)
  return name
}

function createSqlite(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-sqlite-'))
  const file = join(folder, 'test.db')
  // A database without tables; a file that is missing is one WARN.
  writeFileSync(file, '')
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
