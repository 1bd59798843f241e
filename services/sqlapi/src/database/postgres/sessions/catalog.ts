/**
 * What one datasource has learnt of its database's catalogue: types that are not in the built-in table, and through
 * session-code.ts which stored code may change the session. Only has the texts of the questions and reads the answers;
 * session.ts asks.
 */
import { PoolerWatch } from '../pooler/pooler-watch.ts'
import { type RiskyCode, SessionCode } from '../stored-code/session-code.ts'
import { type ColumnType, type ScalarKind, type TypeTables, typeTables } from '../types/types.ts'
import type { ResultShapes } from '../../../model.ts'

/**
 * For each type: what it is made of after domains are unwrapped, and what its elements are, likewise unwrapped, where
 * that is an array (`array_out` tells real arrays from int2vector and oidvector, which print themselves otherwise). An
 * array inside an array, which only a domain can make, is its own text.
 */
const typesQuery = `
WITH RECURSIVE resolved(id, at, element, delimiter) AS (
  SELECT w.id, w.id, false, ','::"char" FROM unnest($1::oid[]) AS w(id)
  UNION ALL
  SELECT r.id, CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.typelem END, r.element OR t.typtype <> 'd',
         CASE t.typtype WHEN 'd' THEN r.delimiter ELSE (SELECT e.typdelim FROM pg_type e WHERE e.oid = t.typelem) END
  FROM resolved r JOIN pg_type t ON t.oid = r.at
  WHERE t.typtype = 'd' OR (t.typoutput = 'array_out'::regproc AND NOT r.element)
)
SELECT r.id, r.at, r.element, r.delimiter FROM resolved r JOIN pg_type t ON t.oid = r.at
WHERE t.typtype <> 'd' AND (r.element OR t.typoutput <> 'array_out'::regproc)`

export const queries = { types: typesQuery }

/** One row of the types query -> the type. */
function toColumnType(
  row: readonly (string | null)[],
  scalarKindOf: ReadonlyMap<number, ScalarKind>,
): [number, ColumnType] {
  const [id, base, isArray, delimiter] = row
  const kind = scalarKindOf.get(Number(base)) ?? 'string'
  return [Number(id), { kind, array: isArray === 't', delimiter: delimiter ?? ',' }]
}

const usualShapes: ResultShapes = { numeric: 'string', json: 'value' }

const maxAgeMs = 60_000

/** What one datasource's connections have learnt of its catalogue, shared by them all. */
export class Catalog {
  readonly #found = new Map<number, ColumnType>()
  readonly #tables: TypeTables
  readonly code: SessionCode
  readonly poolers: PoolerWatch
  /**
   * For connections that others use between two transactions: `ISO` alone would leave the order of day and month to
   * them.
   */
  dateStyle: string | undefined
  #askedAt = -Infinity

  constructor(
    onSessionCode?: (found: RiskyCode) => void,
    results: ResultShapes = usualShapes,
    onPooler?: (sign: string) => void,
  ) {
    this.#tables = typeTables(results)
    this.code = new SessionCode(onSessionCode)
    this.poolers = new PoolerWatch(onPooler)
  }

  /** Others may create functions at any time, so the catalogue is asked again now and then. */
  get isOld(): boolean {
    return performance.now() - this.#askedAt > maxAgeMs
  }

  touch(): void {
    this.#askedAt = performance.now()
  }

  /** The last question has only been answered in part. */
  expire(): void {
    this.#askedAt = -Infinity
  }

  typeOf(id: number): ColumnType | undefined {
    return this.#tables.builtinTypes.get(id) ?? this.#found.get(id)
  }

  addTypes(rows: readonly (readonly (string | null)[])[], asked: readonly number[]): void {
    // A type that was dropped meanwhile is not in the answer; its values are still text.
    for (const id of asked) this.#found.set(id, { kind: 'string', array: false, delimiter: ',' })
    for (const row of rows) {
      const [id, type] = toColumnType(row, this.#tables.scalarKindOf)
      this.#found.set(id, type)
    }
  }
}
