/**
 * Columns of a result -> their declared types, and whether all values have them. SQLite calls the columns of a compound
 * query by one of its queries, so a value may have the type of another: these columns have no type.
 */
import type { DatabaseType } from '../../../description.ts'
import type { SqliteStatement } from '../worker/library.ts'
import type { Tables } from './tables.ts'
import { isCompound, mentions, wordTree } from './word-tree.ts'

export function typesOf(
  tables: Tables,
  text: string,
  columns: ReturnType<SqliteStatement['columns']>,
): readonly (DatabaseType | undefined)[] {
  if (columns.every(({ type }) => isUnknown(type)) || mayBeCompound(tables, text)) return columns.map(() => undefined)
  return columns.map(({ database, table, column, type }) => {
    if (isUnknown(type)) return undefined
    const isExact = database !== null && table !== null && column !== null && tables.isExact(database, table, column)
    return { name: type, ...(isExact && { isExact }) }
  })
}

function isUnknown(type: string | null): type is null {
  return type === null || type === ''
}

function mayBeCompound(tables: Tables, text: string): boolean {
  const words = wordTree(text)
  return isCompound(words) || (tables.hasCompoundView && mentions(words, tables.views))
}
