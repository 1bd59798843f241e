/**
 * The statements of the scenarios, written by hand as one does without sqlapi: the floor runs them, and the tools of
 * MCP Toolbox are made of them. For sqlapi the same are in `tree/sql`.
 */
import type { Project } from './scenario.ts'

export type ParameterType = 'integer' | 'float' | 'string' | 'boolean' | 'map'

export interface Statement {
  readonly project: Project
  readonly name: string
  readonly text: string
  /** In the order of their places. */
  readonly parameters: Readonly<Record<string, ParameterType>>
  /** Columns of SQLite that hold 0 and 1 and mean false and true. */
  readonly booleans?: readonly string[]
}

const itemColumns = `id, owner_id AS "ownerId", title, is_active AS "isActive", created_at AS "createdAt",
  unit_price AS "unitPrice", score, details`
const oneColumns = 'id, title, is_active AS "isActive", created_at AS "createdAt"'
const noteColumns = 'author_id AS "authorId", content'

const list: readonly Statement[] = [
  {
    project: 'bench',
    name: 'one',
    text: `SELECT ${oneColumns} FROM item WHERE id = $1`,
    parameters: { id: 'integer' },
  },
  {
    project: 'bench',
    name: 'hundred',
    text: `SELECT ${itemColumns} FROM item WHERE id > $1 ORDER BY id LIMIT 100`,
    parameters: { after: 'integer' },
  },
  {
    project: 'bench',
    name: 'thousand',
    text: `SELECT ${itemColumns} FROM item WHERE id > $1 ORDER BY id LIMIT 1000`,
    parameters: { after: 'integer' },
  },
  {
    project: 'bench',
    name: 'insert',
    text: `INSERT INTO note (author_id, content) VALUES ($1, $2) RETURNING ${noteColumns}`,
    parameters: { author_id: 'integer', content: 'string' },
  },
  { project: 'bench', name: 'parameters', ...twentyParameters() },
  {
    project: 'bench',
    name: 'document',
    text: 'SELECT $1::jsonb AS document',
    parameters: { document: 'map' },
  },
  {
    project: 'bench',
    name: 'wait',
    text: 'SELECT id, title FROM item, pg_sleep($2) WHERE id = $1',
    parameters: { id: 'integer', seconds: 'float' },
  },
  { project: 'bench', name: 'hold', text: 'SELECT true AS done FROM pg_sleep(1)', parameters: {} },
  {
    project: 'bench',
    name: 'divide',
    text: 'SELECT 100 / $1::int4 AS quotient',
    parameters: { divisor: 'integer' },
  },
  {
    project: 'bench',
    name: 'million',
    text: `SELECT n AS id, 'Item "' || n || '" õunapuu' AS title, n % 3 = 0 AS "isActive", n / 8::float8 AS score
      FROM generate_series(1, $1::int4) AS n`,
    parameters: { rows: 'integer' },
  },
  {
    project: 'lite',
    name: 'one',
    text: `SELECT ${oneColumns} FROM item WHERE id = ?`,
    parameters: { id: 'integer' },
    booleans: ['isActive'],
  },
  {
    project: 'lite',
    name: 'insert',
    text: `INSERT INTO note (author_id, content) VALUES (?, ?) RETURNING ${noteColumns}`,
    parameters: { author_id: 'integer', content: 'string' },
  },
]

/** By the path of their endpoint. */
export const statements: ReadonlyMap<string, Statement> = new Map(
  list.map((statement) => [`/${statement.project}/${statement.name}`, statement]),
)

/** The values of a request in the order of their places. */
export function valuesOf({ parameters }: Statement, input: Readonly<Record<string, unknown>>): unknown[] {
  return Object.keys(parameters).map((name) => input[name])
}

function twentyParameters(): Pick<Statement, 'text' | 'parameters'> {
  const kinds = [
    ['t', 'text', 'string'],
    ['i', 'int4', 'integer'],
    ['f', 'float8', 'float'],
    ['b', 'bool', 'boolean'],
  ] as const
  const all = kinds.flatMap(([letter, sqlType, type]) =>
    [1, 2, 3, 4, 5].map((i) => ({ name: `${letter}${i}`, sqlType, type })),
  )
  const columns = all.map(({ name, sqlType }, index) => `$${index + 1}::${sqlType} AS ${name}`)
  return {
    text: `SELECT ${columns.join(', ')}`,
    parameters: Object.fromEntries(all.map(({ name, type }) => [name, type])),
  }
}
