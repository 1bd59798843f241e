/**
 * What each worker gets to serve from: all that boot has made, with its part of every `max_connections`. Pure. The
 * files are packed once for all workers, those of later times too: each serves them as they were when they were read
 * last.
 */
import { deserialize, serialize } from 'node:v8'
import type { Booted } from '../boot/boot.ts'
import { settingsOf } from '../boot/sized-datasource.ts'
import type { Endpoints } from '../boot/endpoints.ts'

export interface Assignment extends Omit<Booted, 'endpoints'> {
  readonly packedEndpoints: Uint8Array
}

/** One for each of the `server.workers`. */
export function assign({ endpoints, ...booted }: Booted): readonly Assignment[] {
  const packedEndpoints = serialize(endpoints)
  const { workers } = booted.config.server
  const shares = booted.datasources.map(({ maxConnections }) => divide(maxConnections, workers))
  return Array.from({ length: workers }, (_, index) => {
    const datasources = booted.datasources.map((datasource, at) => {
      return { ...datasource, poolSize: shares[at]?.[index] as number }
    })
    return { ...booted, datasources, packedEndpoints }
  })
}

export function unpack({ packedEndpoints, ...booted }: Assignment): Booted {
  return { ...booted, endpoints: deserialize(packedEndpoints) as Endpoints }
}

/** Names of the datasources whose databases stay open. */
export function unchanged([before]: readonly Assignment[], [after]: readonly Assignment[]): ReadonlySet<string> {
  const open = new Set(before?.datasources.map(settingsOf))
  const kept = after?.datasources.filter((datasource) => open.has(settingsOf(datasource))) ?? []
  return new Set(kept.map(({ name }) => name))
}

/** The parts into which a limit is divided, largest first; they differ by at most one. */
export function divide(limit: number, workers: number): readonly number[] {
  const least = Math.floor(limit / workers)
  return Array.from({ length: workers }, (_, index) => least + (index < limit % workers ? 1 : 0))
}
