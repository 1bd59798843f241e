/** A statement of a file -> its text as SQLite reads it, with `?n` in the places of its parameters. */
import type { Statement } from '../../model.ts'
import type { Rendered } from '../../sql/position.ts'

/** `lists` says of each slot whether its value is a list. */
export function render(statement: Statement, lists: readonly boolean[]): Rendered {
  let text = statement.pieces[0] as string
  const ends: number[] = []
  for (const [index, { source, role, before, after }] of statement.slots.entries()) {
    const placeholder = `?${source + 1}`
    const list = `${role === 'notIn' ? 'NOT ' : ''}IN (SELECT value FROM json_each(${placeholder}))`
    text += lists[index] ? list : before + placeholder + after
    ends.push(text.length)
    text += statement.pieces[index + 1]
  }
  return { text, ends }
}
