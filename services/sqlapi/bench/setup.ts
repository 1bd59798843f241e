/** What the races run on: a PostgreSQL and a SQLite file with their data, and how each contender is started over them. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startThrowawayPostgres } from '../../../tools/throwaway-postgres.ts'
import type { Command } from './contender.ts'
import type { ContenderName, Scenario } from './scenarios.ts'

export interface Setup {
  /** For files of this run. */
  readonly folder: string
  readonly postgresVersion: string
  command(name: ContenderName, scenario: Scenario): Command
  emptyNotes(): Promise<void>
  countNotes(): Promise<number>
  remove(): Promise<void>
}

const here = import.meta.dirname

export function sqlapiCommand(config: string, nodeOptions: readonly string[] = []): Command {
  return { args: [...nodeOptions, join(here, '../bin/sqlapi.js'), '--config', config], env: {} }
}

/** `profiles` is the folder that sqlapi writes its CPU profiles to, if it is to make any. */
export async function prepare(profiles: string | undefined): Promise<Setup> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-bench-'))
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const postgres = await startThrowawayPostgres()
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(readFileSync(join(here, 'tree/postgres.sql'), 'utf8'))
  const version = await client.query<{ server_version: string }>('SHOW server_version')

  const file = join(folder, 'lite.db')
  const lite = new DatabaseSync(file)
  lite.exec(readFileSync(join(here, 'tree/sqlite.sql'), 'utf8'))
  lite.close()

  const config = join(folder, 'sqlapi.yaml')
  writeFileSync(config, configText(postgres.url, file))
  return {
    folder,
    postgresVersion: version.rows[0]?.server_version ?? '',
    command(name, { name: scenario, requests }) {
      switch (name) {
        case 'sqlapi':
          return sqlapiCommand(config, profiles === undefined ? [] : profileOptions(join(profiles, scenario)))
        case 'floor':
          return { args: [join(here, 'floor.ts')], env: { BENCH_URL: postgres.url } }
        case 'constant':
          return { args: [join(here, 'constant.ts')], env: { BENCH_BODY: requests[0]?.expected ?? '' } }
      }
    },
    async emptyNotes() {
      await client.query('TRUNCATE note')
    },
    async countNotes() {
      const counted = await client.query<{ count: string }>('SELECT count(*) FROM note')
      return Number(counted.rows[0]?.count)
    },
    async remove() {
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

function profileOptions(folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}
