/**
 * The table of dialects: what code that connects to no database has to know of each kind, that is how its URLs look,
 * how its SQL is scanned and what it lacks. Such code asks for what a row says, never for the name of a dialect, so
 * that a new row answers each of its questions. The other half of the row, how a database is opened, is in
 * database/open.ts, because boot connects to none. How it runs a statement, and what its errors mean, is in its folder
 * below `database/`.
 */
import { grammar as postgresGrammar } from './database/postgres/grammar.ts'
import { url as postgresUrl } from './database/postgres/url.ts'
import { grammar as sqliteGrammar } from './database/sqlite/grammar.ts'
import { url as sqliteUrl } from './database/sqlite/url.ts'
import type { UrlRules } from './database/url-rules.ts'
import type { Dialect } from './model.ts'
import type { Grammar } from './sql/grammar.ts'

export interface DialectRow {
  /** As messages call it. */
  readonly title: string
  readonly url: UrlRules
  readonly grammar: Grammar
  /** The name by which clients of the predecessor know it. */
  readonly driverClassName: string
  readonly lacks: Lacks
  /** A statement may carry the `traceparent` of its request as a comment. */
  readonly takesTraceComments: boolean
}

/**
 * Why a kind of database cannot do what some fields of a datasource are about, as it follows `has no effect:`;
 * undefined where it can.
 */
export interface Lacks {
  /** One that is reached over a network, and on which others may have databases too. */
  readonly server: string | undefined
  readonly replicas: string | undefined
  readonly timeZones: string | undefined
  /** Values that `results` may give another shape. */
  readonly shapedValues: string | undefined
}

export const dialects: Readonly<Record<Dialect, DialectRow>> = {
  postgres: {
    title: 'PostgreSQL',
    url: postgresUrl,
    grammar: postgresGrammar,
    driverClassName: 'org.postgresql.Driver',
    lacks: { server: undefined, replicas: undefined, timeZones: undefined, shapedValues: undefined },
    takesTraceComments: true,
  },
  sqlite: {
    title: 'SQLite',
    url: sqliteUrl,
    grammar: sqliteGrammar,
    driverClassName: 'org.sqlite.JDBC',
    lacks: {
      server: 'a SQLite file is reached over no network',
      replicas: 'a SQLite file has no replicas',
      timeZones: 'times in SQLite have no time zone',
      shapedValues: 'SQLite has neither numeric nor json values',
    },
    takesTraceComments: false,
  },
}

export const dialectNames = Object.keys(dialects) as readonly Dialect[]

/** Whose URL it is, if it is that of a supported database. */
export function dialectOf(url: string): Dialect | undefined {
  return dialectNames.find((name) =>
    prefixesOf(name).some((prefix) => url.slice(0, prefix.length).toLowerCase() === prefix),
  )
}

function prefixesOf(name: Dialect): readonly string[] {
  return dialects[name].url.prefixes
}

/** How the URL of a datasource may begin. */
export const urlPrefixes: readonly string[] = dialectNames.flatMap(prefixesOf)
