/** Looks up in the catalogue what statements need, with one question for many statements, and says what is missing. */
import type { Mistake } from '../../../description.ts'
import type { Asker } from './catalog-questions.ts'
import type { Need } from '../needs/needs.ts'

/** What is wrong with a need, in PostgreSQL's words. */
export interface Lack {
  readonly mistake: Mistake
  readonly message: string
  readonly hint: string | undefined
  /** The name in the statement that it is about. */
  readonly name: string
}

/**
 * Names that are not qualified are found by the search path, as the server finds them. A column need not be there to be
 * asked for: it may be that of another table.
 */
const query = `
WITH need AS (SELECT * FROM pg_catalog.json_to_recordset($1::json)
  AS n(id int, what text, "schema" text, name text, "right" text, columns text[], existing text[], "of" text, "isFilled" boolean))
SELECT n.id, current_user,
  CASE n.what
    WHEN 'table' THEN c.relkind::text
    WHEN 'place' THEN 'there'
    WHEN 'free' THEN (SELECT 'taken' FROM pg_catalog.pg_class t
      WHERE t.relname = n.name AND t.relnamespace = s.oid)
    WHEN 'schema' THEN s.nspname
    WHEN 'role' THEN (SELECT r.rolname FROM pg_catalog.pg_roles r WHERE r.rolname = n.name)
    WHEN 'type' THEN (SELECT min(t.typname) FROM pg_catalog.pg_type t WHERE t.typname = n.name
      AND CASE WHEN n.schema IS NULL THEN pg_catalog.pg_type_is_visible(t.oid) ELSE t.typnamespace = s.oid END)
    WHEN 'function' THEN (SELECT min(p.proname) FROM pg_catalog.pg_proc p WHERE p.proname = n.name
      AND CASE WHEN n.schema IS NULL THEN pg_catalog.pg_function_is_visible(p.oid) ELSE p.pronamespace = s.oid END)
    WHEN 'setting' THEN (SELECT min(g.name) FROM pg_catalog.pg_settings g WHERE lower(g.name) = lower(n.name))
  END,
  s.oid IS NOT NULL,
  CASE
    WHEN n.schema IS NOT NULL AND s.oid IS NOT NULL AND NOT pg_catalog.has_schema_privilege(s.oid, 'USAGE') THEN 'schema'
    WHEN n.what IN ('free', 'place') AND NOT pg_catalog.has_schema_privilege(s.oid, 'CREATE') THEN 'schema'
    WHEN n.what = 'schema' AND n.right = 'OWNER' AND NOT pg_catalog.pg_has_role(s.nspowner, 'USAGE') THEN 'owner'
    WHEN n.what = 'type' AND n.right = 'OWNER' AND (SELECT NOT bool_or(pg_catalog.pg_has_role(t.typowner, 'USAGE')) FROM pg_catalog.pg_type t
      WHERE t.typname = n.name AND CASE WHEN n.schema IS NULL THEN pg_catalog.pg_type_is_visible(t.oid) ELSE t.typnamespace = s.oid END) THEN 'owner'
    WHEN n.what = 'role' AND n.right = 'MEMBER' AND (SELECT NOT pg_catalog.pg_has_role(r.oid, 'MEMBER') FROM pg_catalog.pg_roles r WHERE r.rolname = n.name) THEN 'role'
    WHEN n.what = 'function' AND n.right IS NOT NULL AND NOT (
      SELECT coalesce(bool_or(pg_catalog.has_function_privilege(p.oid, n.right)), true) FROM pg_catalog.pg_proc p WHERE p.proname = n.name
      AND CASE WHEN n.schema IS NULL THEN pg_catalog.pg_function_is_visible(p.oid) ELSE p.pronamespace = s.oid END) THEN 'function'
    WHEN c.oid IS NULL OR n.right IS NULL OR n.right = 'ANALYZE' THEN NULL
    WHEN n.right = 'OWNER' THEN CASE WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') OR pg_catalog.pg_has_role(o.nspowner, 'USAGE') THEN NULL ELSE 'owner' END
    WHEN n.right = 'MAINTAIN' THEN CASE
      WHEN pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN NULL
      WHEN pg_catalog.current_setting('server_version_num')::int >= 170000 AND pg_catalog.has_table_privilege(c.oid, 'MAINTAIN') THEN NULL
      ELSE 'owner' END
    WHEN c.relkind = 'S' AND n.right ~ 'USAGE|^UPDATE$' THEN CASE WHEN pg_catalog.has_sequence_privilege(c.oid, n.right) THEN NULL ELSE 'sequence' END
    WHEN n.right ~ 'INSERT, ' AND pg_catalog.current_setting('server_version_num')::int >= 170000 AND pg_catalog.has_table_privilege(c.oid, 'MAINTAIN') THEN NULL
    WHEN n.right ~ 'USAGE' OR pg_catalog.has_table_privilege(c.oid, n.right) THEN NULL
    WHEN n.right IN ('SELECT', 'INSERT', 'UPDATE') AND pg_catalog.has_any_column_privilege(c.oid, n.right) THEN NULL
    ELSE 'table' END,
  (SELECT min(x) FROM unnest(n.existing) AS x WHERE c.oid IS NOT NULL
   AND (n.right IS DISTINCT FROM 'ANALYZE' OR pg_catalog.pg_has_role(c.relowner, 'USAGE')) AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attname = x AND NOT a.attisdropped)),
  (SELECT min(a.attname) FROM pg_catalog.pg_attribute a
   WHERE a.attrelid = c.oid AND NOT a.attisdropped AND n.right IN ('SELECT', 'INSERT', 'UPDATE')
   AND (a.attname = ANY (n.columns) OR (a.attnum > 0 AND '*' = ANY (n.columns)))
   AND NOT pg_catalog.has_column_privilege(c.oid, a.attnum, n.right)),
  CASE WHEN n."isFilled" THEN (
    SELECT min(q.oid::regclass::text) FROM pg_catalog.pg_attrdef d
    JOIN pg_catalog.pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
    JOIN pg_catalog.pg_depend u ON u.classid = 'pg_catalog.pg_attrdef'::regclass AND u.objid = d.oid AND u.refclassid = 'pg_catalog.pg_class'::regclass
    JOIN pg_catalog.pg_class q ON q.oid = u.refobjid
    WHERE d.adrelid = c.oid AND NOT a.attname = ANY (coalesce(n.columns, '{}')) AND CASE q.relkind WHEN 'S' THEN NOT pg_catalog.has_sequence_privilege(q.oid, 'USAGE, UPDATE') ELSE false END) END
FROM need n
LEFT JOIN pg_catalog.pg_namespace s ON s.nspname = CASE WHEN n.what = 'schema' THEN n.name WHEN n.what IN ('free', 'place') THEN coalesce(n.schema,
    (SELECT k.relnamespace::regnamespace::text FROM pg_catalog.pg_class k WHERE k.relname = n.of AND pg_catalog.pg_table_is_visible(k.oid)),
    current_schema()) ELSE n.schema END
LEFT JOIN pg_catalog.pg_class c ON n.what = 'table' AND c.relname = n.name
  AND CASE WHEN n.schema IS NULL THEN pg_catalog.pg_table_is_visible(c.oid) ELSE c.relnamespace = s.oid END
LEFT JOIN pg_catalog.pg_namespace o ON o.oid = c.relnamespace`

/** Of each list of needs the first that is not met. */
export async function lookUp(asker: Asker, lists: readonly (readonly Need[])[]): Promise<(Lack | undefined)[]> {
  const all = lists.flat()
  if (all.length === 0) return lists.map(() => undefined)
  const values = JSON.stringify(all.map((need, id) => ({ ...need, id })))
  const lacks = new Map<number, Lack>()
  for (const row of await asker.list(query, [values])) {
    const id = Number(row[0])
    const lack = lackOf(all[id] as Need, row)
    if (lack !== undefined) lacks.set(id, lack)
  }
  let id = 0
  return lists.map((needs) => {
    const own = needs.map(() => lacks.get(id++))
    return own.find((lack) => lack !== undefined)
  })
}

function lackOf(
  need: Need,
  [, role, found, hasSchema, denied, column, deniedColumn, sequence]: readonly (string | null)[],
) {
  const { what, schema, name, right = '' } = need
  const lack = (mistake: Mistake, message: string, about = name, hint?: string): Lack => {
    return { mistake, message, hint, name: about }
  }
  const grant = (privilege: string, on: string): string => `let the owner run GRANT ${privilege} ON ${on} TO ${role}`
  const shown = schema === undefined ? name : `${schema}.${name}`
  const [first = ''] = right.split(',')
  const isMade = what === 'free' || what === 'place'
  if (schema !== undefined && hasSchema !== 't')
    return lack('unknown-name', `schema "${schema}" does not exist`, schema)
  if (denied === 'schema') {
    const privilege = isMade ? 'CREATE' : 'USAGE'
    return lack(
      'permission',
      `permission denied for schema ${schema ?? 'of the search path'}`,
      name,
      grant(privilege, `SCHEMA ${schema ?? 'public'}`),
    )
  }
  if (what === 'free') {
    const hint = 'give it another name, or write IF NOT EXISTS'
    return found === null ? undefined : lack('syntax', `relation "${name}" already exists`, name, hint)
  }
  if (what === 'place') return undefined
  if (found === null) return missing(need, shown, lack)
  if (what === 'table' && need.kinds?.includes(found as string) === false) {
    return lack(
      'syntax',
      `"${name}" is not ${nounOf(need.kinds)}`,
      name,
      'name one, or write the command for what it is',
    )
  }
  if (denied === 'role') return lack('permission', `permission denied to set role "${name}"`)
  if (denied === 'owner') return lack('permission', `must be owner of ${shown}`, name, 'connect as its owner')
  if (denied === 'function')
    return lack('permission', `permission denied for function ${shown}`, name, grant(right, `FUNCTION ${shown}`))
  if (denied === 'sequence')
    return lack('permission', `permission denied for sequence ${shown}`, name, grant(first, `SEQUENCE ${shown}`))
  if (denied === 'table') return lack('permission', `permission denied for table ${shown}`, name, grant(first, shown))
  if (column !== null) return lack('unknown-column', `column "${column}" of relation "${name}" does not exist`, column)
  if (deniedColumn !== null) {
    return lack(
      'permission',
      `permission denied for table ${shown} (column ${deniedColumn})`,
      name,
      grant(`${right} (${deniedColumn})`, shown),
    )
  }
  if (sequence === null) return undefined
  return lack(
    'permission',
    `permission denied for sequence ${sequence}, which a default of ${shown} uses`,
    name,
    grant('USAGE', `SEQUENCE ${sequence}`),
  )
}

type MakeLack = (mistake: Mistake, message: string, about?: string, hint?: string) => Lack

function missing({ what, name, kinds = '' }: Need, shown: string, lack: MakeLack): Lack | undefined {
  switch (what) {
    case 'table':
      return kinds === 'iI' || kinds === 'S'
        ? lack('unknown-name', `${kinds === 'S' ? 'sequence' : 'index'} "${shown}" does not exist`)
        : lack('unknown-table', `relation "${shown}" does not exist`)
    case 'function':
      return lack('unknown-function', `function ${shown} does not exist`)
    case 'setting':
      // Anybody may make up one with a dot; these are settings that the server does not list.
      if (name.includes('.') || /^(?:role|session_authorization|seed|transaction_.*|xmloption)$/i.test(name))
        return undefined
      return lack('unknown-name', `unrecognized configuration parameter "${name}"`)
    case 'schema':
    case 'role':
    case 'type':
      return lack('unknown-name', `${what} "${shown}" does not exist`)
    default:
      return undefined
  }
}

const nouns: Readonly<Record<string, string>> = {
  m: 'a materialized view',
  v: 'a view',
  S: 'a sequence',
  iI: 'an index',
  f: 'a foreign table',
}

function nounOf(kinds: string): string {
  return nouns[kinds] ?? 'a table'
}
