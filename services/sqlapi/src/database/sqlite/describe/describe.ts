/**
 * Scripts -> what SQLite says of each statement, by preparing them on a connection that can only read: nothing runs,
 * nothing is left beside the file. A statement takes microseconds, so this is done in the main thread; where another
 * process has locked the file nothing waits but this.
 */
import { setImmediate, setTimeout } from 'node:timers/promises'
import { toCamelCase } from '../../../json/keys.ts'
import type { DatabaseType, DescribedColumn, StatementDescription } from '../../../description.ts'
import type { Script, Statement } from '../../../model.ts'
import { dependencesOf } from '../../../sql/dependence.ts'
import { dependsOn, mayBeMade, toRefused, unchecked } from '../../described.ts'
import { grammar } from '../grammar.ts'
import { render } from '../render.ts'
import { findMistake, messageOf } from '../worker/mistake.ts'
import type { SqliteConnection, SqliteStatement } from '../worker/library.ts'
import { type AskedFile, withConnection } from './connection.ts'
import { typesOf } from './column-types.ts'
import { isBusy, type SqliteError, toFailed } from './mistakes.ts'
import { findNullability } from './nullability.ts'
import { isPragma } from './pragma.ts'
import { Tables } from './tables.ts'

/** How long a statement may wait for somebody who has locked the file. */
const lockTimeoutMs = 2000
const retryMs = 20

export async function describeScripts(
  location: AskedFile,
  scripts: readonly Script[],
): Promise<readonly (readonly StatementDescription[])[]> {
  if (location.path === undefined) return scripts.map(({ statements }) => statements.map(() => inMemory))
  return withConnection(location, async (connection) => {
    const tables = new Tables(connection)
    const descriptions: (readonly StatementDescription[])[] = []
    for (const script of scripts) {
      descriptions.push(await describeScript({ connection, tables }, script))
      // Others have their turn.
      await setImmediate()
    }
    return descriptions
  })
}

const inMemory = unchecked('a database in memory has no tables before the service runs')

interface Asked {
  readonly connection: SqliteConnection
  readonly tables: Tables
}

async function describeScript(asked: Asked, { statements }: Script): Promise<StatementDescription[]> {
  const dependences = dependencesOf(statements, grammar)
  const descriptions: StatementDescription[] = []
  for (const [index, statement] of statements.entries()) {
    const { on, mayOn } = dependences[index] as (typeof dependences)[number]
    if (on !== undefined) {
      descriptions.push(dependsOn(on))
      continue
    }
    const description = await describeStatement(asked, statement)
    descriptions.push(mayOn !== undefined && mayBeMade(description) ? dependsOn(mayOn) : description)
  }
  return descriptions
}

async function describeStatement(asked: Asked, statement: Statement): Promise<StatementDescription> {
  const { connection } = asked
  if (statement.refusal !== undefined) return toRefused(statement, statement.refusal)
  if (isPragma(statement)) return unchecked('a PRAGMA may act when it is prepared')
  const rendered = render(statement, [])
  const until = performance.now() + lockTimeoutMs
  for (;;) {
    try {
      return toDescribed(statement, connection.prepare(rendered.text), asked, rendered.text)
    } catch (error) {
      if (isBusy(error) && performance.now() < until) {
        await setTimeout(retryMs)
        continue
      }
      const offset = findMistake(rendered.text, (error as Error).message, (text) => messageOf(connection, text))
      return toFailed(error as SqliteError, { statement, rendered, offset })
    }
  }
}

type Columns = ReturnType<SqliteStatement['columns']>

/** What SQLite looks at only when the statement runs, or not on a connection that only reads. */
const doubts: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^(?:DETACH|ATTACH)\b/i, 'SQLite looks for the database only when the statement runs'],
  [/^(?:RELEASE|ROLLBACK[^;]+\bTO)\b/i, 'SQLite looks for the savepoint only when the statement runs'],
  [/^CREATE\s+VIRTUAL\b/i, 'SQLite looks for the module only when the statement runs'],
  [
    /^CREATE\b[^]+?\bTABLE\b[^]+\bCHECK\b|^CREATE\s+TABLE\b[^]+\bCHECK\b/i,
    'SQLite reads a CHECK only on a connection that writes',
  ],
  [/^CREATE\b[^]*?\b(?:VIEW|TRIGGER)\b/i, 'SQLite looks at what a view or a trigger names only when it is used'],
]

function toDescribed(
  { names, slots, pieces }: Statement,
  prepared: SqliteStatement,
  asked: Asked,
  text: string,
): StatementDescription {
  const columns = prepared.columns()
  const nullable = nullableOf(asked, text, columns)
  const types = typesOf(asked.tables, text, columns)
  return {
    outcome: 'described',
    doubt: doubts.find(([pattern]) => pattern.test(pieces[0] as string))?.[1],
    // SQLite takes values of any type anywhere.
    parameters: names.map((name, source) => ({
      name,
      type: undefined,
      isList: slots.some((slot) => slot.source === source && slot.role !== 'value'),
    })),
    columns:
      columns.length === 0
        ? undefined
        : columns.map((column, index) => toColumn(column, types[index], nullable[index])),
  }
}

function nullableOf({ tables }: Asked, text: string, columns: Columns): readonly (false | undefined)[] {
  const isNeverNull = columns.map(
    ({ database, table, column }) =>
      database !== null && table !== null && column !== null && tables.isNeverNull(database, table, column),
  )
  if (!isNeverNull.includes(true)) return []
  const nullability = findNullability(text, tables)
  return columns.map(({ table }, index) =>
    isNeverNull[index] === true && !nullability.mayBeNull(index, table as string) ? false : undefined,
  )
}

function toColumn(
  { name }: Columns[number],
  type: DatabaseType | undefined,
  nullable: false | undefined,
): DescribedColumn {
  return { key: toCamelCase(name), column: name, type, nullable }
}
