/**
 * A PostgreSQL URL -> where and how the driver is to connect. Pure except for certificate files that the URL names. TLS
 * settings mean what they mean to libpq (PostgreSQL manual, "SSL Support"); nothing is left for the driver to look up
 * in the environment.
 */
import { parse } from 'pg-connection-string'
import { type Host, hostsOf, placeOf, withOneHost } from '../hosts.ts'
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
  /** Gives the one of now, where the above was that of a file. */
  readonly currentPassword?: (() => Promise<string>) | undefined
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
  /** For each address of a server; undefined where the URL sets no limit. */
  readonly connectTimeoutSeconds: number | undefined
  /** TCP probes the connection after this many seconds without a packet. */
  readonly keepaliveSeconds: number
  /** What the URL's `options` set. */
  readonly options: readonly Setting[]
}

/** How to set up sessions, as far as a start-up message says it. */
export interface Wishes {
  /** As the configuration has it; UTC where it is left out. */
  readonly timeZone?: string | undefined
  /** For a URL that does not say. */
  readonly keepaliveSeconds?: number | undefined
  readonly dateStyle?: string | undefined
}

/** A URL as it was read, with the contents of the files that it names. */
export type ReadUrl = ReturnType<typeof parse> & Record<string, string | undefined>

/**
 * Reads the files too. Throws where one cannot be read. The parser decodes names of databases in part, and escapes
 * every other percent sign again if it finds a space or a sign that escapes nothing; so it gets none of these.
 */
export function readUrl(url: string): ReadUrl {
  const withoutDatabase = withOneHost(url).replace(/^(\w+:\/\/[^/?#]*)\/[^?#]*/, '$1/')
  const escaped = withoutDatabase.replaceAll(' ', '%20').replaceAll(/%(?![\da-f]{2})/gi, '%25')
  const parsed = parse(escaped, { useLibpqCompat: true }) as ReadUrl
  return { ...parsed, database: placeOf(url).database } as ReadUrl
}

export function readLocation(url: string, wishes: Wishes = {}): Location {
  return toLocation(url, readUrl(url), wishes)
}

export function toLocation(url: string, parsed: ReadUrl, wishes: Wishes): Location {
  const { timeZone = 'UTC', keepaliveSeconds = usualKeepaliveSeconds, dateStyle } = wishes
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
    connectTimeoutSeconds: toTimeout(Number(parsed['connect_timeout'] ?? 0)),
    keepaliveSeconds: Number(parsed['keepalives_idle'] ?? keepaliveSeconds),
    options: readOptions(options ?? ''),
  }
}

/** Without a word in the URL; firewalls forget a connection after some minutes. */
const usualKeepaliveSeconds = 20

/** No timer is longer. */
const maxTimeoutSeconds = 2_147_483

function toTimeout(seconds: number): number | undefined {
  return seconds > 0 ? Math.min(seconds, maxTimeoutSeconds) : undefined
}

function toTls(ssl: unknown, parsed: Readonly<Record<string, unknown>>): false | object {
  if (ssl !== true && typeof ssl !== 'object') return false
  const { sslpassword: passphrase, ssl_min_protocol_version: minVersion, ssl_max_protocol_version: maxVersion } = parsed
  const wanted = Object.entries({ passphrase, minVersion, maxVersion }).filter(([, value]) => value !== undefined)
  return { ...(ssl === true ? {} : ssl), ...Object.fromEntries(wanted) }
}
