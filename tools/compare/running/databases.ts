/** Databases for the services of a side, with the same names on both sides. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Side } from '../sides.ts'

export type Engine = 'postgres' | 'sqlite'

/** Creates a database with this schema. Its name is, for SQLite, that of a file below the folder of the side. */
export async function createDatabase(side: Side, engine: Engine, name: string, schema: string): Promise<string> {
  if (engine === 'sqlite') return createSqlite(`${side.folder}/${name}.db`, schema)
  const own = databaseOf(name)
  await side.postgres.query(`CREATE DATABASE "${own}" STRATEGY FILE_COPY`)
  const url = side.postgres.url.replace(/[^/]*$/, own)
  if (schema !== '') await execute(url, schema)
  return url
}

export async function dropDatabase(side: Side, name: string): Promise<void> {
  await side.postgres.query(`DROP DATABASE IF EXISTS "${databaseOf(name)}" WITH (FORCE)`)
}

/** PostgreSQL cuts longer names. */
function databaseOf(name: string): string {
  return name.replaceAll(/\W/g, '_').slice(-63)
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function createSqlite(file: string, schema: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  const database = new DatabaseSync(file)
  database.exec(schema)
  database.close()
  return `sqlite:${file}`
}

/** Runs statements one by one, those that fail too; gives the number of those that did not. */
export async function runEach(url: string, statements: readonly string[]): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  let count = 0
  for (const statement of statements) {
    const works = await client.query(statement).then(
      () => true,
      () => false,
    )
    if (works) count++
    // A file may have begun a transaction.
    else await client.query('ROLLBACK')
  }
  await client.end()
  return count
}
