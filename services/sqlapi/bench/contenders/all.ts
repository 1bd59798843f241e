/** Every contender by its name, and why some of them cannot take part here. */
import type { Arena } from '../arena.ts'
import type { ContenderName } from '../scenarios/scenario.ts'
import { constant, fastify } from './constant.ts'
import type { Contender } from './contender.ts'
import { floor } from './floor.ts'
import { go } from './go.ts'
import { overHttp } from './http.ts'
import { pgbench } from './pgbench.ts'
import { rust, rustNames } from './rust.ts'
import { sqlapi } from './sqlapi.ts'
import { toolbox } from './toolbox.ts'

export function makeContenders(profiles: string | undefined): Readonly<Record<ContenderName, Contender>> {
  return {
    sqlapi: overHttp(sqlapi({ profiles: profiles ?? '' })),
    floor: overHttp(floor),
    'rust-1': overHttp(rust('rust-1')),
    'rust-3': overHttp(rust('rust-3')),
    'rust-10': overHttp(rust('rust-10')),
    go: overHttp(go),
    toolbox: overHttp(toolbox),
    pgbench,
    constant: overHttp(constant),
    fastify: overHttp(fastify),
  }
}

/** Lines for people, by the names of who is missing among those who are wanted. */
export function findAbsences(
  { installed, pgbench, rust, go }: Pick<Arena, 'installed' | 'pgbench' | 'rust' | 'go'>,
  wanted: ReadonlySet<ContenderName>,
): Map<ContenderName, string> {
  const absences: [ContenderName, string][] = []
  if (installed.fastify === undefined) absences.push(['fastify', `no Fastify: ${installed.reason}`])
  if (installed.toolbox === undefined) absences.push(['toolbox', `no MCP Toolbox: ${installed.reason}`])
  if (pgbench === undefined) {
    absences.push(['pgbench', 'no pgbench: neither on the PATH nor below /usr/lib/postgresql'])
  }
  // One program, however many connections it has.
  if ('reason' in rust) for (const name of rustNames) absences.push([name, `no Rust: ${rust.reason}`])
  if ('reason' in go) absences.push(['go', `no Go: ${go.reason}`])
  return new Map(absences.filter(([name]) => wanted.has(name)))
}
