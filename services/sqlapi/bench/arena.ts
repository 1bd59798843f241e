/**
 * What the races run on: a PostgreSQL and a SQLite file with their data, and what of the others is there to compare
 * with.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { startThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import { findPgbench } from './contenders/pgbench.ts'
import { rustNames } from './contenders/rust.ts'
import { type Installed, installOthers } from './install/install.ts'
import { buildGo, buildRust, type Built } from './install/peers.ts'
import type { ContenderName, Project } from './scenarios/scenario.ts'

export interface Arena {
  /** For files of this run. */
  readonly folder: string
  /** Configuration of sqlapi. */
  readonly config: string
  readonly postgresUrl: string
  readonly postgresVersion: string
  readonly sqliteFile: string
  readonly installed: Installed
  readonly pgbench: string | undefined
  readonly rust: Built
  readonly go: Built
  emptyNotes(project: Project): Promise<void>
  countNotes(project: Project): Promise<number>
  remove(): Promise<void>
}

const here = import.meta.dirname
/** In `callers` thirty-five processes have up to ten each. */
const mostConnections = '500'
const nobody = { reason: 'not wanted' }

/** Whoever else is wanted is installed or built first, if it can be. */
export async function openArena(wanted: ReadonlySet<ContenderName>): Promise<Arena> {
  const isWanted = (...names: readonly ContenderName[]): boolean => names.some((name) => wanted.has(name))
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-bench-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const installed = isWanted('fastify', 'toolbox') ? installOthers() : nobody
  const rust = isWanted(...rustNames) ? buildRust() : nobody
  const go = isWanted('go') ? buildGo() : nobody
  const postgres = await startThrowawayPostgres({ max_connections: mostConnections })
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(readFileSync(join(here, 'tree/postgres.sql'), 'utf8'))
  const version = await client.query<{ server_version: string }>('SHOW server_version')

  const sqliteFile = join(folder, 'lite.db')
  const lite = new DatabaseSync(sqliteFile, { timeout: 5000 })
  // sqlapi would change it to this, and then all who come later had it as well.
  lite.exec('PRAGMA journal_mode = WAL')
  lite.exec(readFileSync(join(here, 'tree/sqlite.sql'), 'utf8'))

  const config = join(folder, 'sqlapi.yaml')
  writeFileSync(config, configText(postgres.url, sqliteFile))
  return {
    folder,
    config,
    postgresUrl: postgres.url,
    postgresVersion: version.rows[0]?.server_version ?? '',
    sqliteFile,
    installed,
    pgbench: isWanted('pgbench') ? findPgbench() : undefined,
    rust,
    go,
    async emptyNotes(project) {
      if (project === 'lite') lite.exec('DELETE FROM note')
      else await client.query('TRUNCATE note')
    },
    async countNotes(project) {
      const text = 'SELECT count(*) AS count FROM note'
      if (project === 'lite') return Number(lite.prepare(text).get()?.['count'])
      return Number((await client.query<{ count: string }>(text)).rows[0]?.count)
    },
    async remove() {
      lite.close()
      await client.end()
      await postgres.remove()
      removeFolder()
    },
  }
}

/** Everything that is not named has its default, as most configurations have it. */
function configText(url: string, file: string): string {
  return `sql_dir: ${JSON.stringify(join(here, 'tree/sql'))}
server:
  bind: 127.0.0.1:0
datasources:
  - name: bench
    url: ${JSON.stringify(url)}
  - name: lite
    url: ${JSON.stringify(`sqlite:${file}`)}
`
}
