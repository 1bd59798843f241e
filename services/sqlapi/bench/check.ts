/**
 * How long `sqlapi check` takes, from the start of its process to its end: `node services/sqlapi/bench/check.ts
 * [ROUNDS]`. A tree of 1000 files like the real ones, on a PostgreSQL of its own and on a SQLite file.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '@services/bench'
import { startThrowawayPostgres } from '@services/testing/postgres'
import { treeSchema, writeTree, writeTreeDatabase } from './boot/boot-tree.ts'

const files = 1000
const targetSeconds = 5
const rounds = Number(process.argv[2] ?? 5)

const folder = mkdtempSync(join(tmpdir(), 'bench-check-'))
const postgres = await startThrowawayPostgres()
try {
  writeTree(join(folder, 'sql'), files)
  await postgres.query(treeSchema)
  const lite = join(folder, 'bench.db')
  writeTreeDatabase(lite)
  for (const [kind, url] of [
    ['PostgreSQL', postgres.url],
    ['SQLite', `sqlite:${lite}`],
  ] as const) {
    const config = { sql_dir: 'sql', datasources: [{ name: 'bench', url }] }
    writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(config))
    const seconds = Array.from({ length: rounds }, check)
    console.log(
      `${kind}: ${files} files in ${median(seconds).toFixed(2)} s (${seconds.map((each) => each.toFixed(2)).join(', ')}); wanted: ${targetSeconds} s`,
    )
  }
} finally {
  await postgres.remove()
  rmSync(folder, { recursive: true, force: true })
}

/** Seconds. */
function check(): number {
  const program = join(import.meta.dirname, '../bin/sqlapi.js')
  const begun = performance.now()
  const { stdout, stderr } = spawnSync(process.execPath, [program, 'check'], { cwd: folder, encoding: 'utf8' })
  const ms = performance.now() - begun
  if (!new RegExp(`^${files} files checked`, 'm').test(stdout)) throw new Error(stderr || stdout.slice(-500))
  console.error(stdout.trimEnd().split('\n').at(-1))
  return ms / 1000
}
