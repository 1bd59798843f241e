/** Every contender by its name, and why some of them cannot take part here. */
import type { Arena } from '../arena.ts'
import type { ContenderName } from '../scenarios/scenario.ts'
import { constant, fastify } from './constant.ts'
import type { Contender } from './contender.ts'
import { floor } from './floor.ts'
import { overHttp } from './http.ts'
import { pgbench } from './pgbench.ts'
import { sqlapi } from './sqlapi.ts'
import { toolbox } from './toolbox.ts'

export function makeContenders(profiles: string | undefined): Readonly<Record<ContenderName, Contender>> {
  return {
    sqlapi: overHttp(sqlapi({ profiles: profiles ?? '' })),
    floor: overHttp(floor),
    toolbox: overHttp(toolbox),
    pgbench,
    constant: overHttp(constant),
    fastify: overHttp(fastify),
  }
}

/** Lines for people, by the names of who is missing. */
export function findAbsences({ installed, pgbench }: Arena): Map<ContenderName, string> {
  const absences = new Map<ContenderName, string>()
  if (installed.fastify === undefined) absences.set('fastify', `no Fastify: ${installed.reason}`)
  if (installed.toolbox === undefined) absences.set('toolbox', `no MCP Toolbox: ${installed.reason}`)
  if (pgbench === undefined) {
    absences.set('pgbench', 'no pgbench: neither on the PATH nor below /usr/lib/postgresql')
  }
  return absences
}
