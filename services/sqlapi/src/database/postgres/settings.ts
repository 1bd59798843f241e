/**
 * What a session of the service is like, as commands: our settings, and how a session that others have used becomes like that
 * again. Texts only; when they are sent is session.ts's.
 */

/**
 * What DISCARD ALL does, less dropping the prepared statements, because most are ours: it gives the names of those that are not,
 * which were made by PREPARE.
 */
export const resetText = `
RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all();
DISCARD TEMP; DISCARD SEQUENCES; SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql;`

/** Drops prepared statements by their names. */
export function deallocateText(names: readonly string[]): string {
  return names.map((name) => `DEALLOCATE "${name.replaceAll('"', '""')}";`).join('')
}

/**
 * Settings that follow the start-up message and every reset. They do not stand in that message, because poolers refuse what
 * they do not know there.
 */
export function settingsText(statementTimeoutSeconds: number): string {
  return statementTimeoutSeconds === 0 ? '' : `SET statement_timeout = '${statementTimeoutSeconds}s';`
}
