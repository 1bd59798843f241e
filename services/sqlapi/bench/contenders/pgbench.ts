/**
 * `pgbench -M prepared -c 10 -j 1`, PostgreSQL's own load generator: what the database gives to ten connections when
 * nothing is in between and nobody looks at the rows. It knows one row by key.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, run } from '@services/bench'
import type { Arena } from '../arena.ts'
import { statements } from '../scenarios/statements.ts'
import { contenderTitles } from '../scenarios/scenario.ts'
import type { Contender } from './contender.ts'

export const pgbench: Contender = {
  title: contenderTitles.pgbench,
  async startRacer(_scenario, arena) {
    const script = join(arena.folder, 'one.pgbench')
    const text = statements.get('/bench/one')!.text.replace('$1', ':id')
    writeFileSync(script, `\\set id random(0, 999) * 10 + 7\n${text};\n`)
    return {
      round: async (seconds) => ({ requestsPerSecond: await rate(arena, script, seconds) }),
      usage: () => undefined,
      stop: () => Promise.resolve(),
    }
  },
}

/** Where it is installed, if it is. */
export function findPgbench(): string | undefined {
  // Debian keeps the programs of a version that has no cluster off the path.
  return findProgram('pgbench', ['/usr/lib/postgresql/*/bin/pgbench'])
}

async function rate({ pgbench = '', postgresUrl }: Arena, script: string, seconds: number): Promise<number> {
  const { hostname, port, username, password, pathname } = new URL(postgresUrl)
  const where = ['-h', hostname, '-p', port, '-U', decodeURIComponent(username), pathname.slice(1)]
  const how = ['-n', '-M', 'prepared', '-c', '10', '-j', '1', '-T', String(Math.max(1, Math.round(seconds)))]
  const output = await run({
    file: pgbench,
    args: [...how, '-f', script, ...where],
    env: { PGPASSWORD: decodeURIComponent(password) },
  })
  const [, perSecond] = /^tps = ([\d.]+)/m.exec(output) ?? []
  if (perSecond === undefined) throw new Error(`pgbench printed no rate: ${output}`)
  return Number(perSecond)
}
