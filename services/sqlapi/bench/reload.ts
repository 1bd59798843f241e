/**
 * How long it takes `sqlapi dev` to serve a file that was saved: `node services/sqlapi/bench/reload.ts [ROUNDS]`. A
 * tree of 1000 files like the real ones on SQLite; a file of its own is written over and over, and called until it
 * answers anew.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { median } from '@services/bench'
import { writeTree, writeTreeDatabase } from './boot/boot-tree.ts'

const files = 1000
const targetMs = 200
const rounds = Number(process.argv[2] ?? 20)
/** Between two savings: whoever writes takes longer. */
const pauseMs = 300

const folder = mkdtempSync(join(tmpdir(), 'bench-reload-'))
const program = join(import.meta.dirname, '../bin/sqlapi.js')
writeTree(join(folder, 'sql'), files)
mkdirSync(join(folder, 'sql/bench/GET'), { recursive: true })
const file = join(folder, 'sql/bench/GET/saved.sql')
writeFileSync(file, 'SELECT -1 AS round')
writeTreeDatabase(join(folder, 'bench.db'))
const config = {
  sql_dir: 'sql',
  server: { bind: '127.0.0.1:0' },
  datasources: [{ name: 'bench', url: `sqlite:${join(folder, 'bench.db')}` }],
}
writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(config))
const child = spawn(process.execPath, [program, 'dev'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
try {
  const url = `http://${await address()}/bench/saved`
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await setTimeout(pauseMs)
    const begun = performance.now()
    writeFileSync(file, `SELECT ${round} AS round`)
    while ((await (await fetch(url)).text()) !== `[{"round":${round}}]`) await setTimeout(1)
    times.push(performance.now() - begun)
  }
  const longest = Math.max(...times).toFixed(0)
  console.log(
    `saved to live, ${files} files: ${median(times).toFixed(0)} ms, at most ${longest} ms; wanted: ${targetMs} ms`,
  )
} finally {
  child.kill()
  rmSync(folder, { recursive: true, force: true })
}

async function address(): Promise<string> {
  for await (const line of createInterface(child.stdout)) {
    const [, found] = /Listening address=(\S+)/.exec(line) ?? []
    if (found !== undefined) {
      child.stdout.resume()
      return found
    }
  }
  throw new Error('dev has ended')
}
