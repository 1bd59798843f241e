/**
 * Column names of a result -> keys of its row objects. Runs once per statement and result shape, not per row.
 */

/** One key of a row object and the column that it shows. */
export interface KeyedColumn {
  readonly key: string
  readonly column: number
}

/** The keys in column order. Of two columns with one key the last is shown, where the first is. */
export function planColumns(names: readonly string[]): KeyedColumn[] {
  const columns = new Map(names.map((name, column) => [toCamelCase(name), column]))
  return Array.from(columns, ([key, column]) => ({ key, column }))
}

/** `user_id` and `USER_ID` -> `userId`; a name without an underscore, or of nothing else, stays as it is. */
export function toCamelCase(name: string): string {
  if (!name.includes('_')) return name
  const [first, ...others] = name
    .toLowerCase()
    .split('_')
    .filter((word) => word !== '')
  return first === undefined ? name : first + others.map(capitalize).join('')
}

/** A letter whose capital is more than one letter (`ß`) stays small. */
function capitalize(word: string): string {
  const letter = String.fromCodePoint(word.codePointAt(0) as number)
  const capital = letter.toUpperCase()
  return capital.length === letter.length ? capital + word.slice(letter.length) : word
}
