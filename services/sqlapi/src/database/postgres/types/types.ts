/**
 * PostgreSQL's types as this service sees them, as tables: object identifiers of parameters by JSON kind, and for each
 * column type how its text form becomes JSON. Types that are not built in (enums, domains, arrays of either) are looked
 * up once in the catalogue (catalog.ts); here are only values and no I/O.
 */

import type { ResultShapes } from '../../../model.ts'

/** Object identifiers of the types that parameters are declared with; 0 leaves the type to PostgreSQL. */
export const oid = {
  unspecified: 0,
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  text: 25,
  oid: 26,
  json: 114,
  jsonArray: 199,
  float4: 700,
  float8: 701,
  boolArray: 1000,
  int4Array: 1007,
  textArray: 1009,
  int8Array: 1016,
  float8Array: 1022,
  date: 1082,
  timestamp: 1114,
  timestampArray: 1115,
  dateArray: 1182,
  timestamptz: 1184,
  timestamptzArray: 1185,
  numericArray: 1231,
  numeric: 1700,
  uuid: 2950,
  uuidArray: 2951,
  jsonb: 3802,
  jsonbArray: 3807,
} as const

/**
 * How a column's text becomes JSON (manual, "PostgreSQL types"): `verbatim` is JSON already (integers), `json` too, of
 * any length and on any number of lines, `float` except for NaN and the infinities, `decimal` too, but there these are
 * strings; `plain` is a string without anything to escape; `typedJson` and `typedJsonb` are beside the name of their
 * type; the rest says itself.
 */
export type ScalarKind =
  | 'verbatim'
  | 'json'
  | 'typedJson'
  | 'typedJsonb'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'plain'
  | 'string'
  | 'timestamp'
  | 'timestamptz'

/** The kinds of `json` and `jsonb`. */
export const jsonKinds: ReadonlySet<ScalarKind> = new Set(['json', 'typedJson', 'typedJsonb'])

/** A column is a scalar or an array of scalars; `delimiter` is between the elements (`;` for box, else a comma). */
export interface ColumnType {
  readonly kind: ScalarKind
  readonly array: boolean
  readonly delimiter: string
}

const scalar = (kind: ScalarKind): ColumnType => ({ kind, array: false, delimiter: ',' })
const arrayOf = (kind: ScalarKind): ColumnType => ({ kind, array: true, delimiter: ',' })

/** Scalar kinds by object identifier; every other type is its own text, as any string. */
const scalarKinds: readonly (readonly [number, ScalarKind])[] = [
  [oid.bool, 'boolean'],
  [oid.int8, 'verbatim'],
  [oid.int2, 'verbatim'],
  [oid.int4, 'verbatim'],
  [oid.oid, 'verbatim'],
  [oid.json, 'json'],
  [oid.jsonb, 'json'],
  [oid.float4, 'float'],
  [oid.float8, 'float'],
  [oid.timestamp, 'timestamp'],
  [oid.timestamptz, 'timestamptz'],
  // date, time, timetz, numeric, uuid
  ...[oid.date, 1083, 1266, oid.numeric, oid.uuid].map((id) => [id, 'plain'] as const),
]

export const scalarKindOf: ReadonlyMap<number, ScalarKind> = new Map(scalarKinds)

/** Types that need no look-up: the scalars above, the common types that are strings, and the arrays of both. */
const builtinTypes: ReadonlyMap<number, ColumnType> = new Map<number, ColumnType>([
  ...scalarKinds.map(([id, kind]) => [id, scalar(kind)] as const),
  // bytea, "char", name, text, xml, bpchar, varchar, interval, money, inet, cidr
  ...[17, 18, 19, oid.text, 142, 1042, 1043, 1186, 790, 869, 650].map((id) => [id, scalar('string')] as const),
  // void, unknown, record
  ...[2278, 705, 2249].map((id) => [id, scalar('string')] as const),
  [oid.boolArray, arrayOf('boolean')],
  ...[oid.int8Array, 1005, oid.int4Array, 1028].map((id) => [id, arrayOf('verbatim')] as const),
  ...[oid.jsonArray, oid.jsonbArray].map((id) => [id, arrayOf('json')] as const),
  ...[1021, oid.float8Array].map((id) => [id, arrayOf('float')] as const),
  [oid.timestampArray, arrayOf('timestamp')],
  [oid.timestamptzArray, arrayOf('timestamptz')],
  // text[], bpchar[], varchar[], date[], time[], numeric[], uuid[]
  ...[oid.textArray, 1014, 1015, oid.dateArray, 1183, oid.numericArray, oid.uuidArray].map(
    (id) => [id, arrayOf('string')] as const,
  ),
])

export const integerTypes: ReadonlySet<number> = new Set([oid.int2, oid.int4, oid.int8, oid.oid])

export interface TypeTables {
  readonly scalarKindOf: ReadonlyMap<number, ScalarKind>
  readonly builtinTypes: ReadonlyMap<number, ColumnType>
}

const elementOf = new Map<number, number>([
  [oid.numericArray, oid.numeric],
  [oid.jsonArray, oid.json],
  [oid.jsonbArray, oid.jsonb],
])

/** The tables of a datasource whose values are to have these shapes. */
export function typeTables({ numeric, json }: ResultShapes): TypeTables {
  const others = new Map<number, ScalarKind>()
  if (numeric === 'number') others.set(oid.numeric, 'decimal')
  if (json === 'pgobject') others.set(oid.json, 'typedJson').set(oid.jsonb, 'typedJsonb')
  const types = new Map(builtinTypes)
  for (const [id, kind] of others) types.set(id, scalar(kind))
  for (const [id, element] of elementOf) {
    const kind = others.get(element)
    if (kind !== undefined) types.set(id, arrayOf(kind))
  }
  return { scalarKindOf: new Map([...scalarKindOf, ...others]), builtinTypes: types }
}
