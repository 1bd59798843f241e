/**
 * What has to be asked of PostgreSQL's catalogue: types that are not in the built-in table, and whether the database has
 * functions that may change the session. Texts and answers only; the asking is session.ts's.
 */
import { builtinTypes, type ColumnType, scalarKindOf } from './types.ts'

/**
 * For each type: what it is made of after domains are unwrapped, and what its elements are, likewise unwrapped, where it
 * is an array (`array_out` tells real arrays from int2vector and oidvector, which print themselves otherwise).
 */
const typesQuery = `
WITH RECURSIVE wanted(id) AS (SELECT unnest($1::oid[])),
resolved(id, at, element, delimiter) AS (
  SELECT w.id, CASE WHEN t.typoutput = 'array_out'::regproc THEN t.typelem ELSE t.oid END,
         t.typoutput = 'array_out'::regproc,
         coalesce((SELECT e.typdelim FROM pg_type e WHERE e.oid = t.typelem), ',')
  FROM wanted w JOIN pg_type t ON t.oid = w.id
  UNION ALL
  SELECT r.id, t.typbasetype, r.element, r.delimiter FROM resolved r JOIN pg_type t ON t.oid = r.at WHERE t.typtype = 'd'
)
SELECT r.id, r.at, r.element, r.delimiter FROM resolved r JOIN pg_type t ON t.oid = r.at WHERE t.typtype <> 'd'`

/**
 * Whether any statement might change the session without saying so: through a function in a procedural or SQL language whose
 * source sets something or runs SQL that it puts together, or through a view, rule, default, policy, constraint or index that
 * calls one of the system's functions that do (stored expressions name functions by number). Any statement may reach those, so
 * the answer concerns the whole datasource.
 */
const sessionFunctionsQuery = String.raw`
WITH risky AS (
  SELECT ':funcid (' || string_agg(oid::text, '|') || ') ' AS call
  FROM pg_proc
  WHERE pronamespace = 'pg_catalog'::regnamespace
    AND proname ~ '^(set_config|setseed|pg_(try_)?advisory_lock.*|(query|cursor)_to_xml.*|ts_stat)$'
),
stored(expression) AS (
  SELECT r.ev_action::text FROM pg_rewrite r WHERE r.oid >= 16384
  UNION ALL SELECT adbin::text FROM pg_attrdef
  UNION ALL SELECT to_jsonb(p) ->> 'prosqlbody' FROM pg_proc p WHERE p.oid >= 16384
  UNION ALL SELECT concat(polqual::text, polwithcheck::text) FROM pg_policy
  UNION ALL SELECT conbin::text FROM pg_constraint WHERE oid >= 16384
  UNION ALL SELECT tgqual::text FROM pg_trigger
  UNION ALL SELECT concat(indexprs::text, indpred::text) FROM pg_index WHERE indexrelid >= 16384
)
SELECT EXISTS (
  SELECT FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE l.lanname NOT IN ('internal', 'c') AND p.oid >= 16384 AND (
    l.lanname NOT IN ('sql', 'plpgsql')
    OR p.prosrc ~* '\m(set_config|pg_(try_)?advisory_lock|(query|cursor)_to_xml|dblink_connect|setseed|execute)|(^|;|\m(begin|then|else|loop)\M|'')\s*(set|reset|listen|unlisten|prepare|deallocate|discard|declare|create\s+(or\s+replace\s+)?((local|global)\s+)?temp)\M'
  )
) OR EXISTS (SELECT FROM stored, risky WHERE expression ~ call)`

export const queries = { types: typesQuery, sessionFunctions: sessionFunctionsQuery }

/** One row of the types query -> the type. */
export function toColumnType(row: readonly (string | null)[]): [number, ColumnType] {
  const [id, base, isArray, delimiter] = row
  const kind = scalarKindOf.get(Number(base)) ?? 'string'
  return [Number(id), { kind, array: isArray === 't', delimiter: delimiter ?? ',' }]
}

const maxAgeMs = 60_000

/** What one datasource's connections have learnt of its catalogue, shared by them all. */
export class Catalog {
  readonly #found = new Map<number, ColumnType>()
  /** The database has functions that may change the session, so any statement may; assumed until it is known. */
  hasSessionFunctions = true
  #askedAt = -Infinity

  /** Functions may be made behind our back, so the answer is asked for again now and then. */
  get isOld(): boolean {
    return performance.now() - this.#askedAt > maxAgeMs
  }

  touch(): void {
    this.#askedAt = performance.now()
  }

  typeOf(id: number): ColumnType | undefined {
    return builtinTypes.get(id) ?? this.#found.get(id)
  }

  addTypes(rows: readonly (readonly (string | null)[])[], asked: readonly number[]): void {
    // A type that was dropped meanwhile is not in the answer; its values are still text.
    for (const id of asked) this.#found.set(id, { kind: 'string', array: false, delimiter: ',' })
    for (const row of rows) {
      const [id, type] = toColumnType(row)
      this.#found.set(id, type)
    }
  }
}
