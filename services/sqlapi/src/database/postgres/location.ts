/**
 * A PostgreSQL URL -> where and how the driver is to connect. Pure but for certificate files that the URL names. TLS settings
 * mean what they mean to libpq (PostgreSQL manual, "SSL Support"); nothing is left for the driver to look up in the
 * environment.
 */
import { parse } from 'pg-connection-string'
import { ownSettings, readOptions, type Setting } from './settings.ts'

export interface Location {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** False for none, else the options of a TLS connection. */
  readonly ssl: false | object
  /** Whether TLS is asked for first or begins at once. */
  readonly sslnegotiation: string
  /** `sslmode=prefer`: without TLS where the server has none. */
  readonly isSslOptional: boolean
  /** Parameters of the start-up message, so that RESET ALL returns to them. */
  readonly startup: Readonly<Record<string, string>>
  /** What the URL's `options` set. */
  readonly options: readonly Setting[]
}

const own = Object.fromEntries(ownSettings.map(({ name, value }) => [name, value]))

export function readLocation(url: string): Location {
  const parsed = parse(url, { useLibpqCompat: true }) as ReturnType<typeof parse> & Record<string, string | undefined>
  const { host, port, user, password, database, ssl, options, application_name } = parsed
  const role = user || 'postgres'
  const startup = { user: role, database: database || role, application_name: application_name ?? 'sqlapi' }
  return {
    host: host || 'localhost',
    port: Number(port || 5432),
    user: role,
    password: password ?? '',
    database: startup.database,
    ssl: ssl === true ? {} : ((ssl || false) as false | object),
    sslnegotiation: parsed['sslnegotiation'] ?? 'postgres',
    isSslOptional: parsed['sslmode'] === 'prefer',
    startup: { ...startup, ...(options ? { options } : {}), ...own },
    options: readOptions(options ?? ''),
  }
}
