/** What is wrong with a line of the leading comments, and the words for it. */

/** What is wrong with a line, and at which character behind its word. */
export interface Mistake {
  readonly at: number
  readonly message: string
  readonly cure: string
}

export function mistake(at: number, message: string, cure: string): Mistake {
  return { at, message, cure }
}

/** The text up to its first white space, and what is behind that. */
export function firstWord(text: string): [word: string, rest: string] {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(text) ?? []
  return [word, rest]
}

/** What the file says, in messages. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}..` : text)
}

/** Names or values, as many as a reader takes in. */
export function listed(names: readonly string[]): string {
  return names.length > 20 ? `${names.slice(0, 20).join(', ')} .. (${names.length})` : names.join(', ')
}
