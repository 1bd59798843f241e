/** Asks the catalogue what there is, for code that has named something that does not exist. */
import type { CatalogNames } from '../../../description.ts'
import type { Asker } from './catalog-questions.ts'

/** More are not looked at: a guess is not worth it. */
const maxNames = 20_000

const tablesQuery = `
SELECT CASE WHEN pg_catalog.pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END,
       string_agg(a.attname, E'\\n' ORDER BY a.attnum)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
GROUP BY c.oid, c.relname, n.nspname LIMIT ${maxNames}`

const functionsQuery = `
SELECT DISTINCT CASE WHEN pg_catalog.pg_function_is_visible(p.oid) THEN p.proname ELSE n.nspname || '.' || p.proname END
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE p.proname !~ '^_' LIMIT ${maxNames}`

/** Without the types of rows and of arrays, which nobody misspells by themselves. */
const othersQuery = `
SELECT pg_catalog.format_type(t.oid, NULL) FROM pg_catalog.pg_type t
WHERE t.typtype IN ('b', 'd', 'e', 'r') AND t.typelem = 0 AND t.typname !~ '^_'
UNION SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_' LIMIT ${maxNames}`

export async function askForNames(asker: Asker): Promise<CatalogNames> {
  const [tables, functions, others] = await Promise.all([
    asker.list(tablesQuery, []),
    asker.list(functionsQuery, []),
    asker.list(othersQuery, []),
  ])
  return {
    tables: tables.map(([name, columns]) => ({ name: name ?? '', columns: columns?.split('\n') ?? [] })),
    functions: functions.map(([name]) => name ?? ''),
    others: others.map(([name]) => name ?? ''),
  }
}
