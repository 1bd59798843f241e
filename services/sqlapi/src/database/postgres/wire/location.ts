/**
 * A PostgreSQL URL -> where and how the driver is to connect. Pure but for certificate files that the URL names. TLS settings
 * mean what they mean to libpq (PostgreSQL manual, "SSL Support"); nothing is left for the driver to look up in the
 * environment.
 */
import { parse } from 'pg-connection-string'
import { type Host, hostsOf, withOneHost } from '../hosts.ts'
import type { Target } from './standing.ts'
import { ownSettings, readOptions, type Setting } from '../settings/settings.ts'

export interface Location {
  /** The servers that the URL names, at least one, in its order. */
  readonly hosts: readonly Host[]
  /** Which of them are wanted. */
  readonly target: Target
  /** They are tried in an order of chance. */
  readonly isRandom: boolean
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
  /** SCRAM is bound to the TLS connection where the server offers it. */
  readonly enableChannelBinding: boolean
  /** After so many seconds without a packet TCP probes the connection. */
  readonly keepaliveSeconds: number
  /** What the URL's `options` set. */
  readonly options: readonly Setting[]
}

/**
 * `timeZone` as the configuration has it; `keepaliveSeconds` for a URL that does not say; `dateStyle` as the session is to have it.
 */
export function readLocation(
  url: string,
  timeZone = 'UTC',
  keepaliveSeconds = usualKeepaliveSeconds,
  dateStyle?: string,
): Location {
  const parsed = parse(withOneHost(url), { useLibpqCompat: true }) as ReturnType<typeof parse> &
    Record<string, string | undefined>
  const { user, password, database, ssl, options, application_name } = parsed
  const role = user || 'postgres'
  const own = Object.fromEntries(ownSettings(timeZone, dateStyle).map(({ name, value }) => [name, value]))
  const startup = { user: role, database: database || role, application_name: application_name ?? 'sqlapi' }
  return {
    hosts: hostsOf(url),
    target: (parsed['target_session_attrs'] ?? 'any') as Target,
    isRandom: parsed['load_balance_hosts'] === 'random',
    user: role,
    password: password ?? '',
    database: startup.database,
    ssl: toTls(ssl, parsed),
    sslnegotiation: parsed['sslnegotiation'] ?? 'postgres',
    isSslOptional: parsed['sslmode'] === 'prefer',
    startup: { ...startup, ...(options ? { options } : {}), ...own },
    enableChannelBinding: parsed['channel_binding'] === 'prefer',
    keepaliveSeconds: Number(parsed['keepalives_idle'] ?? keepaliveSeconds),
    options: readOptions(options ?? ''),
  }
}

/** Without a word in the URL; firewalls forget a connection after some minutes. */
const usualKeepaliveSeconds = 20

function toTls(ssl: unknown, parsed: Readonly<Record<string, unknown>>): false | object {
  if (ssl !== true && typeof ssl !== 'object') return false
  const { sslpassword: passphrase, ssl_min_protocol_version: minVersion, ssl_max_protocol_version: maxVersion } = parsed
  const wanted = Object.entries({ passphrase, minVersion, maxVersion }).filter(([, value]) => value !== undefined)
  return { ...(ssl === true ? {} : ssl), ...Object.fromEntries(wanted) }
}
