/**
 * What the description is made from: plain values from any source. The files tell methods, paths and names of
 * parameters; comments tell words; the lock or the databases tell types. Whatever nobody knows is left out, and the
 * description says less.
 */
import type { JsonType } from '../../endpoint-types/json-types.ts'
import type { Method } from '../../model.ts'

/** Everything that one description tells. */
export interface Api {
  readonly version: string
  readonly operations: readonly Operation[]
  /** What the header X-Datasource may name; empty where it is not looked at. */
  readonly datasources: readonly string[]
  /** Whether errors of databases tell all that these say. */
  readonly hasFullErrors: boolean
}

/** One file, published as one URL. A POST file has a batch form as well, which needs no words of its own. */
export interface Operation {
  readonly method: Method
  /** First segment of the URL. */
  readonly project: string
  /** URL path with a leading slash, not encoded. */
  readonly path: string
  readonly summary?: string | undefined
  readonly description?: string | undefined
  /** The project where there are none. */
  readonly tags?: readonly string[] | undefined
  /** Why, or an empty text. */
  readonly deprecated?: string | undefined
  /** The project leads to no datasource, so a request has to name one. */
  readonly needsDatasource: boolean
  /** In the order of the SQL. */
  readonly parameters: readonly Parameter[]
  /** In the order of the row; empty where the file never gives rows, undefined when it is unknown. */
  readonly columns?: readonly Column[] | undefined
}

export interface Parameter {
  readonly name: string
  /** It is where a list is expanded: `IN (:name)`, `ARRAY[:name]`. */
  readonly isExpanded: boolean
  readonly type?: JsonType | undefined
  /** A value that the endpoint accepts, where the type alone does not tell one. */
  readonly example?: unknown
  /** A value is checked against the type before it is bound, and repeated keys of a query string are its elements. */
  readonly isDeclared?: boolean | undefined
  /** What is bound where the request has no value, as JSON; undefined where a value is required. */
  readonly fallback?: { readonly json: unknown } | undefined
  readonly choices?: readonly unknown[] | undefined
  readonly description?: string | undefined
}

export interface Column {
  /** As it is in the row. */
  readonly key: string
  readonly type?: ColumnType | undefined
  /** False only where the database promises that no row has null. */
  readonly isNullable: boolean
  readonly description?: string | undefined
}

/** `pgobject` is how the predecessor wrote JSON: `{"type":"jsonb","value":"the JSON as text"}`. */
export type ColumnType = JsonType | 'pgobject'
