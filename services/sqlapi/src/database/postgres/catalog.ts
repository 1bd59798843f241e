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
 * Functions written in a procedural or SQL language whose source mentions what outlives a statement. Such a function may be
 * reached by any statement, through a trigger or a view, so its presence concerns the whole datasource.
 */
const sessionFunctionsQuery = String.raw`
SELECT EXISTS (
  SELECT FROM pg_proc p
  JOIN pg_language l ON l.oid = p.prolang
  WHERE l.lanname NOT IN ('internal', 'c')
    AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    AND p.prosrc ~* '\m(set_config|pg_(try_)?advisory_|dblink_connect|setseed)|(^|;|\m(begin|then|else|loop|execute)\M|'')\s*(set|reset|listen|unlisten|prepare|deallocate|discard|declare\s+\w+\s+\w*\s*cursor\s+with\s+hold|create\s+(or\s+replace\s+)?((local|global)\s+)?temp)\M'
)`

export const queries = { types: typesQuery, sessionFunctions: sessionFunctionsQuery }

/** One row of the types query -> the type. */
export function toColumnType(row: readonly (string | null)[]): [number, ColumnType] {
  const [id, base, isArray, delimiter] = row
  const kind = scalarKindOf.get(Number(base)) ?? 'string'
  return [Number(id), { kind, array: isArray === 't', delimiter: delimiter ?? ',' }]
}

/** What one datasource's connections have learnt of its catalogue, shared by them all. */
export class Catalog {
  readonly #found = new Map<number, ColumnType>()
  /** The database has functions that may change the session, so any statement may. */
  hasSessionFunctions = false

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
