/**
 * Asks the catalogue what types are called and are made of, and which columns can hold no null. One question for many.
 */
import type { DatabaseType } from '../../../description.ts'
import { toArrayText } from '../types/arrays.ts'
import type { ColumnDescription } from '../wire/frames.ts'

/** What the questions need of a connection. */
export interface Asker {
  list(query: string, values: readonly string[]): Promise<readonly (readonly (string | null)[])[]>
}

/** A type as results and parameters have it. */
export type TypeReference = Pick<ColumnDescription, 'dataTypeID' | 'typeModifier'>

export interface TypeNames {
  of(type: TypeReference): DatabaseType | undefined
}

/**
 * The name as the server prints it; without domains, and of arrays that of their elements with `[]`; labels of an enum.
 */
const typesQuery = `
WITH RECURSIVE wanted(n, id, modifier) AS (SELECT n, id, modifier FROM unnest($1::oid[], $2::int4[]) WITH ORDINALITY AS w(id, modifier, n)),
resolved(n, at, is_array) AS (
  SELECT w.n, CASE WHEN t.typoutput = 'array_out'::regproc THEN t.typelem ELSE t.oid END, t.typoutput = 'array_out'::regproc
  FROM wanted w JOIN pg_catalog.pg_type t ON t.oid = w.id
  UNION ALL
  SELECT r.n, t.typbasetype, r.is_array FROM resolved r JOIN pg_catalog.pg_type t ON t.oid = r.at WHERE t.typtype = 'd')
SELECT w.id, w.modifier, pg_catalog.format_type(w.id, w.modifier), pg_catalog.format_type(w.id, NULL),
  pg_catalog.format_type(t.oid, NULL) || CASE WHEN r.is_array THEN '[]' ELSE '' END,
  (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid)
FROM wanted w JOIN resolved r ON r.n = w.n JOIN pg_catalog.pg_type t ON t.oid = r.at WHERE t.typtype <> 'd'`

export async function askForTypes(asker: Asker, types: readonly TypeReference[]): Promise<TypeNames> {
  const wanted = new Map(types.map((type) => [keyOf(type), type]))
  const names = new Map<string, DatabaseType>()
  if (wanted.size > 0) {
    const all = [...wanted.values()]
    const values = [all.map(({ dataTypeID }) => dataTypeID), all.map(({ typeModifier }) => typeModifier)]
    for (const [id, modifier, name, plain, base, labels] of await asker.list(typesQuery, values.map(toNumbers))) {
      const type: DatabaseType = {
        name: name as string,
        ...(base === plain ? {} : { base: base as string }),
        ...(labels === null ? {} : { labels: JSON.parse(labels as string) as string[] }),
      }
      names.set(`${id} ${modifier}`, type)
    }
  }
  return { of: (type) => names.get(keyOf(type)) }
}

function keyOf({ dataTypeID, typeModifier }: TypeReference): string {
  return `${dataTypeID} ${typeModifier}`
}

export interface ColumnFacts {
  /** The name of the table whose column this is, if that column holds no null in any row. */
  tableOfNotNull(column: ColumnDescription): string | undefined
}

/**
 * Columns that are NOT NULL in their table and in all that inherit from it. Foreign tables promise nothing, nor do
 * constraints that are not validated, and a rule may answer something else instead of a table.
 */
const columnsQuery = `
WITH RECURSIVE wanted(id, number) AS (SELECT * FROM unnest($1::oid[], $2::int4[])),
tables(root, id) AS (
  SELECT DISTINCT w.id, w.id FROM wanted w UNION
  SELECT t.root, i.inhrelid FROM tables t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.id)
SELECT w.id, w.number, c.relname
FROM wanted w JOIN pg_catalog.pg_class c ON c.oid = w.id
JOIN pg_catalog.pg_attribute a ON a.attrelid = w.id AND a.attnum = w.number
WHERE NOT EXISTS (
  SELECT 1 FROM tables t JOIN pg_catalog.pg_class k ON k.oid = t.id
  LEFT JOIN pg_catalog.pg_attribute b ON b.attrelid = t.id AND b.attname = a.attname AND NOT b.attisdropped
  WHERE t.root = w.id AND (b.attnotnull IS NOT TRUE OR k.relkind NOT IN ('r', 'p') OR k.relhasrules OR EXISTS (
    SELECT 1 FROM pg_catalog.pg_constraint n
    WHERE n.conrelid = t.id AND n.contype = 'n' AND NOT n.convalidated AND b.attnum = ANY (n.conkey))))`

export async function askForColumns(asker: Asker, columns: readonly ColumnDescription[]): Promise<ColumnFacts> {
  const wanted = new Map(
    columns
      .filter(({ tableID }) => tableID !== 0)
      .map((column) => [`${column.tableID} ${column.columnNumber}`, column]),
  )
  const tables = new Map<string, string>()
  if (wanted.size > 0) {
    const all = [...wanted.values()]
    const values = [all.map(({ tableID }) => tableID), all.map(({ columnNumber }) => columnNumber)]
    for (const [id, number, table] of await asker.list(columnsQuery, values.map(toNumbers))) {
      tables.set(`${id} ${number}`, table as string)
    }
  }
  return { tableOfNotNull: ({ tableID, columnNumber }) => tables.get(`${tableID} ${columnNumber}`) }
}

function toNumbers(numbers: readonly number[]): string {
  return toArrayText(numbers.map(String))
}
