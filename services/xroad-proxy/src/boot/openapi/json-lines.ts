/**
 * Lines in a JSON text, found by the rules of JSON: a reader of YAML refuses characters and depths that JSON allows.
 * For texts that `JSON.parse` has read; of two equal keys the last one counts, as it does there. Pure, not
 * recursive.
 */
import type { Path } from '@services/config-file'

/** The line of a member or an item; of the innermost value around it, if it is missing. Counts from 1. */
export function lineInJson(text: string, path: Path): number {
  let found = skipSpace(text, 0)
  let value = found
  for (const step of path) {
    const next = text[value] === '{' ? findMember(text, value, String(step)) : findItem(text, value, Number(step))
    if (next === undefined) break
    ;({ found, value } = next)
  }
  return lineAt(text, found)
}

/** The first line that is nested deeper than this; undefined if there is none. */
export function lineOfDepth(text: string, levels: number): number | undefined {
  const end = endOfValue(text, skipSpace(text, 0), levels)
  return text[end - 1] === '[' || text[end - 1] === '{' ? lineAt(text, end) : undefined
}

interface Entry {
  /** Where the key is, or the item. */
  readonly found: number
  readonly value: number
}

function findMember(text: string, start: number, name: string): Entry | undefined {
  let place: Entry | undefined
  for (let at = skipSpace(text, start + 1); text[at] === '"';) {
    const end = endOfString(text, at)
    // After the colon.
    const value = skipSpace(text, skipSpace(text, end) + 1)
    if (JSON.parse(text.slice(at, end)) === name) place = { found: at, value }
    at = nextOf(text, value)
  }
  return place
}

function findItem(text: string, start: number, index: number): Entry | undefined {
  if (text[start] !== '[') return undefined
  let at = skipSpace(text, start + 1)
  for (let count = 0; at < text.length && text[at] !== ']'; count++) {
    if (count === index) return { found: at, value: at }
    at = nextOf(text, at)
  }
  return undefined
}

/** Where the next key or item begins, after the value at this place and its comma. */
function nextOf(text: string, value: number): number {
  const end = skipSpace(text, endOfValue(text, value))
  return text[end] === ',' ? skipSpace(text, end + 1) : end
}

/** Or the place after the mark that opens one level too many. */
function endOfValue(text: string, start: number, levels: number = Infinity): number {
  if (text[start] === '"') return endOfString(text, start)
  if (text[start] !== '{' && text[start] !== '[') return endOf(scalar, text, start)
  let depth = 0
  for (let at = start; at < text.length; at = endOf(untilMark, text, at)) {
    const mark = text[at]
    if (mark === '"') at = endOfString(text, at) - 1
    else if (mark === '{' || mark === '[') depth++
    else if (mark === '}' || mark === ']') depth--
    if (depth === 0 || depth > levels) return at + 1
  }
  return text.length
}

const space = /[ \t\r\n]*/y
const scalar = /[^,\]}\s]*/y
/** One character, and all up to the next that matters. */
const untilMark = /[^][^"[\]{}]*/y

function skipSpace(text: string, at: number): number {
  return endOf(space, text, at)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
