/**
 * Databases that are thrown away, for tests: one is prepared by a script, and each copy of it has a URL of its own.
 * What the datasource itself holds is neither read nor changed.
 */
import type { Dialect } from '../model.ts'
import type { PreparedDatabase } from './prepared-database.ts'

/** `url` with its credentials. Rejects with the reason: the server cannot be reached, the script is wrong. */
export function prepareDatabase(dialect: Dialect, url: string, script: string): Promise<PreparedDatabase> {
  return preparers[dialect](url, script)
}

const preparers: Readonly<Record<Dialect, (url: string, script: string) => Promise<PreparedDatabase>>> = {
  async postgres(url, script) {
    const { preparePostgres } = await import('./postgres/copies.ts')
    return preparePostgres(url, script)
  },
  async sqlite(_url, script) {
    const { prepareSqlite } = await import('./sqlite/copies.ts')
    return prepareSqlite(script)
  },
}
