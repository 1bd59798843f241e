/**
 * The type of a parameter whose values are texts -> a text that its database can read. Pure. What is not here can be
 * any text.
 */
import type { DatabaseType } from '../description.ts'
import type { Dialect } from '../model.ts'
import { withoutLength } from './column-types.ts'

const ofPostgres: ReadonlyMap<string, string> = new Map([
  ['timestamp without time zone', '2026-01-31T12:30:00'],
  ['time without time zone', '12:30:00'],
  ['time with time zone', '12:30:00Z'],
  ['interval', '1 day'],
  ['inet', '192.0.2.1'],
  ['cidr', '192.0.2.0/24'],
  ['macaddr', '08:00:2b:01:02:03'],
  ['macaddr8', '08:00:2b:01:02:03:04:05'],
  ['bytea', '\\x00'],
  ['"bit"', '1'],
  ['bit varying', '1'],
  ['"char"', 'a'],
  ['character', 'a'],
  ['money', '1.50'],
  ['xml', '<a/>'],
  ['jsonpath', '$'],
  ['point', '(0,0)'],
  ['line', '{1,-1,0}'],
  ['lseg', '[(0,0),(1,1)]'],
  ['box', '(1,1),(0,0)'],
  ['path', '((0,0),(1,1))'],
  ['polygon', '((0,0),(1,1),(1,0))'],
  ['circle', '<(0,0),1>'],
  ['pg_lsn', '0/0'],
  ['regclass', 'pg_class'],
  ['regtype', 'integer'],
  ...['int4range', 'int8range', 'numrange', 'tsrange', 'tstzrange', 'daterange'].map((name): [string, string] => [
    name,
    'empty',
  ]),
  ...['int4multirange', 'int8multirange', 'nummultirange', 'tsmultirange', 'tstzmultirange', 'datemultirange'].map(
    (name): [string, string] => [name, '{}'],
  ),
])

/** SQLite takes values of any type anywhere, so its parameters have none. */
const examples: Readonly<Record<Dialect, ReadonlyMap<string, string>>> = { postgres: ofPostgres, sqlite: new Map() }

/** Undefined where the type in JSON tells enough. */
export function exampleOfDatabaseType(
  type: DatabaseType | undefined,
  dialect: Dialect,
): string | readonly string[] | undefined {
  if (type === undefined) return undefined
  const name = withoutLength(type.base ?? type.name)
  const element = name.replace(/(?:\[\])+$/, '')
  const example = examples[dialect].get(element)
  return example === undefined || element === name ? example : [example]
}
