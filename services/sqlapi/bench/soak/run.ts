/**
 * sqlapi for a while under mixed load with faults: readers, writers, batches, long answers, clients that leave,
 * sessions with settings, nonsense; PostgreSQL's backends are ended, and PostgreSQL itself stops and comes back. No
 * acknowledged write may be lost, none may be there twice, and no answer may be wrong. `npm run soak` runs it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runSoak, runSoakCommand, type SoakReport, startServer } from '@services/bench'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import { actorsOn } from './actors.ts'
import { Ledger } from './ledger.ts'

const files: Readonly<Record<string, string>> = {
  'soak/GET/person.sql': 'SELECT id, name FROM person WHERE id = :id::integer',
  'soak/GET/rows.sql': "SELECT n, repeat('x', 100) AS text FROM generate_series(1, :rows::integer) AS n",
  'soak/GET/sleep.sql': 'SELECT pg_sleep(0.2)',
  'soak/GET/tenant.sql': "SELECT coalesce(current_setting('soak.tenant', true), '') AS tenant",
  'soak/GET/zero.sql': 'SELECT 1 / :divisor::integer AS answer',
  'soak/POST/as_tenant.sql': "SET soak.tenant = 'one'; SELECT current_setting('soak.tenant') AS tenant",
  'soak/POST/note.sql': 'INSERT INTO note (id) VALUES (:id)',
  'lite/GET/person.sql': 'SELECT id, name FROM person WHERE id = :id',
  'lite/POST/schema.sql':
    "-- @transactional\nCREATE TABLE person (id integer PRIMARY KEY, name text); CREATE TABLE note (id integer); INSERT INTO person WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, 'name ' || i FROM n",
  'lite/GET/notes.sql': 'SELECT id FROM note',
  'lite/POST/note.sql': 'INSERT INTO note (id) VALUES (:id)',
}

// No key: what is written twice has to show.
const schema = `
  CREATE TABLE person (id integer PRIMARY KEY, name text);
  INSERT INTO person SELECT n, 'name ' || n FROM generate_series(1, 1000) AS n;
  CREATE TABLE note (id bigint);
`

await runSoakCommand({
  name: 'sqlapi',
  page: new URL('../README.md', import.meta.url),
  versions: 'PostgreSQL 18 and SQLite',
  run: soak,
})

async function soak(minutes: number): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-soak-'))
  const postgres = await startThrowawayPostgres()
  try {
    await postgres.query(schema)
    const server = await startServer({
      args: [join(import.meta.dirname, '../../bin/sqlapi.js'), '--config', writeProject(folder, postgres)],
    })
    const ledger = new Ledger()
    const origin = `http://127.0.0.1:${server.port}`
    await fetch(`${origin}/lite/schema`, { method: 'POST' })
    const report = await runSoak({
      minutes,
      server,
      actors: actorsOn(server.port, postgres, ledger),
      async settle() {
        const inPostgres = (await postgres.query('SELECT id::text FROM note')).map(({ id }) => Number(id))
        const inSqlite = (await (await fetch(`${origin}/lite/notes`)).json()) as { id: number }[]
        return [
          ...ledger.compare('soak', inPostgres),
          ...ledger.compare(
            'lite',
            inSqlite.map(({ id }) => id),
          ),
        ]
      },
    })
    await server.stop()
    return report
  } finally {
    await postgres.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeProject(folder: string, { url }: ThrowawayPostgres): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'sql', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const config = {
    sql_dir: join(folder, 'sql'),
    server: { bind: '127.0.0.1:0' },
    datasources: [
      { name: 'soak', url },
      { name: 'lite', url: `sqlite:${join(folder, 'lite.db')}` },
    ],
  }
  const file = join(folder, 'sqlapi.yaml')
  writeFileSync(file, JSON.stringify(config))
  return file
}
