/**
 * An event -> one line of log, as text or as JSON. Both are made of the same fields, in the order in which they come,
 * without those that are undefined. No control or invisible character reaches a line as itself, whoever sent it. Levels
 * are levels.ts.
 */
import type { EventRow } from './events.ts'

export const logFormats = ['text', 'json'] as const

export type LogFormat = (typeof logFormats)[number]

/** Fields of an event: texts, numbers and booleans. */
type Fields = Readonly<Record<string, unknown>>

export type LineWriter = (fields: Fields) => string

/** What the lines of a service look like. */
export interface LineStyle {
  /** The target of events that name none. */
  readonly target: string
  /**
   * In the format `text`: values that are in quotes. Values of letters, digits and a few signs are not asked about.
   */
  readonly quoted: RegExp
  /** Characters of a text; a longer one is cut, and says so. */
  readonly maxFieldLength: number
}

/** What the lines of one event are made of. */
interface Line {
  readonly event: string
  readonly row: EventRow<object>
  readonly style: LineStyle
}

/** Writes the lines of one event, each with its end. */
export function lineWriter(line: Line, format: LogFormat): LineWriter {
  return writers[format](line)
}

const writers: Readonly<Record<LogFormat, (line: Line) => LineWriter>> = { text: textWriter, json: jsonWriter }

const simple = /^[\w./:+@,()'~-]+$/

/** `2026-07-01T10:20:30.123Z  INFO sqlapi: Listening address=0.0.0.0:8080` */
function textWriter({ row: { level, message, target }, style }: Line): LineWriter {
  const { quoted, maxFieldLength } = style
  const source = ` ${level.toUpperCase().padStart(5)} ${target ?? style.target}: `
  const toValue = (value: unknown): string => {
    if (typeof value !== 'string') return String(value)
    if (simple.test(value) && value.length <= maxFieldLength) return value
    const text = cut(value, maxFieldLength)
    return escapeUnseen(quoted.test(text) ? JSON.stringify(text) : text)
  }
  return (fields: Fields) => {
    let text = message
    let pairs = ''
    for (const name of Object.keys(fields)) {
      const value = fields[name]
      if (value === undefined) continue
      if (name === 'message') text = escapeUnseen(cut(value as string, maxFieldLength))
      else pairs += ` ${name}=${toValue(value)}`
    }
    return `${now()}${source}${text}${pairs}\n`
  }
}

/**
 * `{"level":"info","time":"2026-07-01T10:20:30.123Z","target":"sqlapi","event":"listening","message":"Listening", ..}`
 */
function jsonWriter({ event, row: { level, message, target }, style }: Line): LineWriter {
  const beforeTime = `{"level":"${level}","time":"`
  const afterTime = `",${JSON.stringify({ target: target ?? style.target, event }).slice(1, -1)}`
  return (fields: Fields) => {
    // The message comes first, whatever its place among the fields.
    const members = JSON.stringify({ message, ...cutTexts(fields, style.maxFieldLength) })
    return `${beforeTime}${now()}${afterTime},${escapeUnseen(members.slice(1))}\n`
  }
}

/** The same object where no text is too long. */
function cutTexts(fields: Fields, maxLength: number): Fields {
  for (const name in fields) {
    const value = fields[name]
    if (typeof value === 'string' && value.length > maxLength) return cutEach(fields, maxLength)
  }
  return fields
}

function cutEach(fields: Fields, maxLength: number): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cut(value, maxLength) : value]),
  )
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}… (truncated)` : text
}

let shownSecond = 0
let shownMs = 0
let upToSecond = ''
let shown = ''

/** The lines of one second share their time up to its fraction, those of one millisecond all of it. */
function now(): string {
  const ms = Date.now()
  if (ms === shownMs) return shown
  const second = Math.floor(ms / 1000)
  if (second !== shownSecond) upToSecond = new Date(ms).toISOString().slice(0, -'123Z'.length)
  shown = `${upToSecond}${String(ms - second * 1000).padStart(3, '0')}Z`
  shownSecond = second
  shownMs = ms
  return shown
}

/** Control characters, line separators, invisible and direction-changing characters, halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

const plain = /^[ -~]*$/

/** JSON stays JSON, and says the same. */
export function escapeUnseen(text: string): string {
  // Most lines are, and this look is the quicker one.
  if (plain.test(text)) return text
  return text.replaceAll(unseen, (found) => found.split('').map(toEscape).join(''))
}

function toEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
