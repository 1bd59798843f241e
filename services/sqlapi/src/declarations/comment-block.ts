/**
 * The leading comments of a file: file text -> their lines, and the comment `/* declaration: ..` if there is one. Knows
 * where the block ends, not what its lines say (words.ts does). Both dialects read it alike.
 *
 * White space, `--` lines and the YAML comment belong to the block. Another block comment ends it, and so does SQL.
 */
import type { YamlComment } from '../model.ts'
import { positionCounter } from '../sql/position.ts'

/** What is behind the dashes of a `--` line. */
export interface CommentLine {
  readonly text: string
  /** Offset of the text in the file. */
  readonly start: number
}

export interface CommentBlock {
  readonly lines: readonly CommentLine[]
  /** Lines with only comments before them, except after a block comment that has ended the block: they do not count. */
  readonly behind: readonly CommentLine[]
  /** The first one. */
  readonly yaml: YamlComment | undefined
  /** Offset behind the lines that count. */
  readonly end: number
}

const blank = /\s*/y
const dashes = /--+/y
const yamlStart = /\/\*+(?=\s*declaration\s*:)/y

export function readCommentBlock(text: string): CommentBlock {
  const lines: CommentLine[] = []
  const behind: CommentLine[] = []
  let yaml: YamlComment | undefined
  let into = lines
  let end = text.length
  for (let at = endOf(blank, text, 0); at < text.length; at = endOf(blank, text, at)) {
    const start = endOf(dashes, text, at)
    if (start > at) {
      const lineEnd = indexOr(text, '\n', start)
      into.push({ text: text.slice(start, lineEnd), start })
      at = lineEnd
      continue
    }
    const close = text.startsWith('/*', at) ? text.indexOf('*/', at + 2) : -1
    const yamlAt = endOf(yamlStart, text, at)
    if (close === -1 || yamlAt === at) end = Math.min(end, at)
    if (close === -1) break
    if (yamlAt === at) into = behind
    else if (into === lines) yaml ??= { text: text.slice(yamlAt, close), ...positionCounter(text)(yamlAt) }
    at = close + 2
  }
  return { lines, behind, yaml, end }
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function indexOr(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from)
  return at === -1 ? text.length : at
}
