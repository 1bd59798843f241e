/**
 * A position in the SQL that was sent -> line and column of the file. Pure: a statement and the offsets at which its
 * pieces are in the text that was made of it come in. Code that renders a statement knows these offsets; between them
 * stand placeholders, which may be longer or shorter than the parameters of the file.
 */
import type { ParameterSlot, Statement } from '../model.ts'

/** 1-based; columns count code points, so that a character is one column however it is stored. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** A text that was made of a statement. */
export interface Rendered {
  readonly text: string
  /** For each slot, the offset behind what was put into its place: there its next piece begins. */
  readonly ends: readonly number[]
}

/**
 * Where the character at `offset` of the rendered text is in the file; what is in a placeholder is at its
 * parameter.
 */
export function positionOf(statement: Statement, { ends }: Pick<Rendered, 'ends'>, offset: number): Position {
  return positionInSource(statement, sourceOf(statement), sourceOffset(statement, ends, offset))
}

/** Where the character at `offset` of a statement's own text, as `sourceOf` gives it, is in the file. */
export function positionInSource(statement: Statement, source: string, offset: number): Position {
  const before = source.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const column = lengthInPoints(before.slice(lineStart))
  if (lineStart === 0) return { line: statement.line, column: statement.column + column }
  return { line: statement.line + before.split('\n').length - 1, column: column + 1 }
}

/** Where the first parameter is in the file that became `$number`. */
export function positionOfParameter(statement: Statement, rendered: Rendered, number: number): Position | undefined {
  const place = placeOfParameter(statement, rendered, number)
  // The sign itself may be where an operator did.
  return place && positionOf(statement, rendered, place.at + 1)
}

/** Name of the parameter that became `$number`. */
export function nameOfParameter(statement: Statement, rendered: Rendered, number: number): string | undefined {
  const place = placeOfParameter(statement, rendered, number)
  return place && statement.slots[place.slot]?.name
}

interface PlaceOfParameter {
  /** Number of the first slot. */
  readonly slot: number
  /** Offset of the `$`. */
  readonly at: number
}

function placeOfParameter(
  { pieces }: Statement,
  { text, ends }: Rendered,
  number: number,
): PlaceOfParameter | undefined {
  const placeholder = new RegExp(`\\$${number}(?!\\d)`)
  for (const [slot, end] of ends.entries()) {
    const start = (ends[slot - 1] ?? 0) + (pieces[slot] as string).length
    const found = text.slice(start, end).search(placeholder)
    if (found !== -1) return { slot, at: start + found }
  }
  return undefined
}

/** The statement as its file has it, with the parameters in their places. */
export function sourceOf({ pieces, slots }: Statement): string {
  let source = pieces[0] as string
  for (const [index, slot] of slots.entries()) {
    source += slotSource(slot, pieces[index] as string) + (pieces[index + 1] as string)
  }
  return source
}

/** Offset (of UTF-16 units) of the character with this number, counted from 1 as PostgreSQL counts. */
export function offsetOfPoint(text: string, number: number): number {
  let offset = 0
  for (let left = number - 1; left > 0 && offset < text.length; left--) {
    offset += (text.codePointAt(offset) as number) > 0xffff ? 2 : 1
  }
  return offset
}

/** The same where the server counts bytes. */
export function offsetOfByte(text: string, number: number): number {
  return Buffer.from(text)
    .subarray(0, number - 1)
    .toString().length
}

/** Counts up to offsets that only grow, so that a text with many of them is counted once. */
export function positionCounter(text: string): (offset: number) => Position {
  let line = 1
  let column = 1
  let counted = 0
  let next = text.indexOf('\n')
  return (offset) => {
    for (; next !== -1 && next < offset; next = text.indexOf('\n', counted)) {
      line++
      column = 1
      counted = next + 1
    }
    for (; counted < offset; column++) counted += (text.codePointAt(counted) as number) > 0xffff ? 2 : 1
    return { line, column }
  }
}

function sourceOffset({ pieces, slots }: Statement, ends: readonly number[], offset: number): number {
  let rendered = 0
  let source = 0
  for (const [index, slot] of slots.entries()) {
    const piece = pieces[index] as string
    if (offset < rendered + piece.length) return source + offset - rendered
    const start = rendered + piece.length
    rendered = ends[index] as number
    source += piece.length
    // The operator of a list is where its own stood; all else is the parameter.
    if (offset < rendered) return offset === start ? source : source + slot.before.length
    source += slotSource(slot, piece).length
  }
  return source + offset - rendered
}

/** What of the file a slot replaces. In a slice such as `[1:n]` the colon belongs to the piece before. */
function slotSource({ name, role, before, after }: ParameterSlot, piece: string): string {
  const hasColon = role === 'value' && /(?:^|[^:]):$/.test(piece)
  return `${before}${hasColon ? '' : ':'}${name}${after}`
}

function lengthInPoints(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1) length++
  return length
}
