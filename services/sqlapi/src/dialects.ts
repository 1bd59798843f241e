/**
 * The table of dialects: what boot has to know of each kind of database, that is how its URLs look and how its SQL is
 * scanned. The other half of the row, how a database is opened, is in database/open.ts, because boot connects to none.
 * How it runs a statement, and what its errors mean, is in its folder below `database/`.
 */
import { grammar as postgresGrammar } from './database/postgres/grammar.ts'
import { url as postgresUrl } from './database/postgres/url.ts'
import { grammar as sqliteGrammar } from './database/sqlite/grammar.ts'
import { url as sqliteUrl } from './database/sqlite/url.ts'
import type { UrlRules } from './database/url-rules.ts'
import type { Dialect } from './model.ts'
import type { Grammar } from './sql/grammar.ts'

export interface DialectRow {
  readonly url: UrlRules
  readonly grammar: Grammar
  /** The name by which clients of the predecessor know it. */
  readonly driverClassName: string
}

export const dialects: Readonly<Record<Dialect, DialectRow>> = {
  postgres: { url: postgresUrl, grammar: postgresGrammar, driverClassName: 'org.postgresql.Driver' },
  sqlite: { url: sqliteUrl, grammar: sqliteGrammar, driverClassName: 'org.sqlite.JDBC' },
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
