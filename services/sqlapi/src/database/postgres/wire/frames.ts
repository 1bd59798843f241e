/**
 * What comes from the server -> frames (PostgreSQL manual, "Message Formats": one byte of type, four of length, a
 * body). Owns only where a frame begins and ends, however the bytes are cut into chunks; what is in it is read by those
 * who asked, and the few readers that several of them need are here.
 */

import type { Rendered } from '../../../sql/position.ts'

/** Frame types by their letters, those that somebody acts on. */
export const frameType = {
  parseComplete: 0x31, // 1
  bindComplete: 0x32, // 2
  commandComplete: 0x43, // C
  dataRow: 0x44, // D
  error: 0x45, // E
  notice: 0x4e, // N
  copyIn: 0x47, // G
  copyOut: 0x48, // H
  emptyQuery: 0x49, // I
  parameterStatus: 0x53, // S
  rowDescription: 0x54, // T
  readyForQuery: 0x5a, // Z
  parameterDescription: 0x74, // t
} as const

/** Gets a frame's type and its body: `source` from `at` to before `end`, to be read before the call returns. */
export type Receive = (type: number, source: Buffer, at: number, end: number) => void

const headerSize = 5

export class FrameReader {
  readonly #receive: Receive
  readonly #maxBody: number
  /** Gets the type of a frame whose body is longer than wanted; the body is passed over. */
  readonly #tooLong: (type: number) => void
  readonly #header = Buffer.alloc(headerSize)
  #headerFilled = 0
  /** A frame that came in part: its body so far. */
  #body: Buffer | undefined
  #bodyFilled = 0
  /** Bytes of a body that is too long which are still to come. */
  #skip = 0

  constructor(receive: Receive, maxBody: number, tooLong: (type: number) => void) {
    this.#receive = receive
    this.#maxBody = maxBody
    this.#tooLong = tooLong
  }

  read(chunk: Buffer): void {
    let at = this.#continue(chunk)
    while (at + headerSize <= chunk.length) {
      const type = chunk[at] as number
      const body = at + headerSize
      const end = at + 1 + chunk.readUInt32BE(at + 1)
      if (end > chunk.length) break
      if (end - body > this.#maxBody) this.#tooLong(type)
      else this.#receive(type, chunk, body, end)
      at = end
    }
    if (at < chunk.length) this.#keep(chunk, at)
  }

  /** Completes the frame that the chunks before have begun; gives the place behind it. */
  #continue(chunk: Buffer): number {
    let at = 0
    if (this.#headerFilled > 0) at = this.#fillHeader(chunk, at)
    if (this.#skip > 0) {
      const skipped = Math.min(this.#skip, chunk.length - at)
      this.#skip -= skipped
      at += skipped
    }
    const body = this.#body
    if (body === undefined) return at
    const count = Math.min(body.length - this.#bodyFilled, chunk.length - at)
    chunk.copy(body, this.#bodyFilled, at, at + count)
    this.#bodyFilled += count
    if (this.#bodyFilled === body.length) {
      this.#body = undefined
      this.#receive(this.#header[0] as number, body, 0, body.length)
    }
    return at + count
  }

  /** Keeps the beginning of a frame until the rest comes. */
  #keep(chunk: Buffer, from: number): void {
    const at = this.#fillHeader(chunk, from)
    if (this.#body !== undefined) this.#bodyFilled = chunk.copy(this.#body, 0, at)
    else if (this.#skip > 0) this.#skip -= chunk.length - at
  }

  #fillHeader(chunk: Buffer, from: number): number {
    const count = Math.min(headerSize - this.#headerFilled, chunk.length - from)
    chunk.copy(this.#header, this.#headerFilled, from, from + count)
    this.#headerFilled += count
    if (this.#headerFilled === headerSize) {
      this.#headerFilled = 0
      const size = this.#header.readUInt32BE(1) - 4
      if (size <= this.#maxBody) {
        this.#body = Buffer.allocUnsafeSlow(size)
        this.#bodyFilled = 0
      } else {
        this.#skip = size
        this.#tooLong(this.#header[0] as number)
      }
    }
    return from + count
  }
}

export interface ColumnDescription {
  readonly name: string
  /** Object identifier of the table that it comes from, and its number there; 0 for an expression. */
  readonly tableID: number
  readonly columnNumber: number
  readonly dataTypeID: number
  /** Length, precision and scale, as the type keeps them; -1 for none. */
  readonly typeModifier: number
}

/** Columns of a RowDescription. */
export function readColumns(source: Buffer, from: number): ColumnDescription[] {
  const columns: ColumnDescription[] = []
  let at = from + 2
  for (let left = source.readUInt16BE(from); left > 0; left--) {
    const end = source.indexOf(0, at)
    columns.push({
      name: source.toString('utf8', at, end),
      tableID: source.readUInt32BE(end + 1),
      columnNumber: source.readInt16BE(end + 5),
      dataTypeID: source.readUInt32BE(end + 7),
      typeModifier: source.readInt32BE(end + 13),
    })
    at = end + 19
  }
  return columns
}

/** Types of a ParameterDescription. */
export function readParameterTypes(source: Buffer, at: number): number[] {
  const count = source.readUInt16BE(at)
  return Array.from({ length: count }, (_, index) => source.readUInt32BE(at + 2 + 4 * index))
}

/** Column texts of a DataRow. */
export function readTexts(source: Buffer, from: number): (string | null)[] {
  const texts: (string | null)[] = []
  let at = from + 2
  for (let left = source.readUInt16BE(from); left > 0; left--) {
    const size = source.readInt32BE(at)
    at += 4
    texts.push(size < 0 ? null : source.toString('utf8', at, at + size))
    if (size > 0) at += size
  }
  return texts
}

/** Name and value of a ParameterStatus. */
export function readSetting(source: Buffer, at: number, end: number): [name: string, value: string] {
  const [name = '', value = ''] = source.toString('utf8', at, end).split('\0')
  return [name, value]
}

/** An error as the server reports it. `code` is the SQLSTATE. */
export class ServerError extends Error {
  readonly code: string | undefined
  /** Not translated: `ERROR`, or `FATAL` and `PANIC` for one that ends the connection. */
  readonly severity: string | undefined
  /** Name of the function in the server's source. */
  readonly routine: string | undefined
  /** Where in the text that was sent, counted from 1. */
  readonly position: number | undefined
  /** Number of the `$n` whose value could not be read. */
  readonly parameter: number | undefined
  /** Name of the constraint that was broken. */
  readonly constraint: string | undefined
  /** What the server adds to its message. */
  readonly detail: string | undefined
  /** What the server thinks would help. */
  readonly hint: string | undefined
  /** Where in stored code it happened. */
  readonly context: string | undefined
  /** The text that was sent, where it was made of a statement of a file. For code that reports the error. */
  sent: SentText | undefined

  constructor(
    message: string,
    fields: Partial<Omit<ServerError, keyof Error | 'sent'>> & { readonly code?: string | undefined } = {},
  ) {
    super(message)
    this.code = fields.code
    this.severity = fields.severity
    this.routine = fields.routine
    this.position = fields.position
    this.parameter = fields.parameter
    this.constraint = fields.constraint
    this.detail = fields.detail
    this.hint = fields.hint
    this.context = fields.context
  }
}

export interface SentText {
  readonly rendered: Rendered
  /** The server takes the text for single bytes and counts these. */
  readonly inBytes: boolean
  /** The login of the session, for a right that it lacks. */
  readonly role: string
}

/**
 * Line of the context that says which parameter could not be read, in whatever language the server speaks: `unnamed
 * portal parameter $1`, in Spanish without the sign. Other lines name functions, in quotes or with parentheses.
 */
const ofParameter = /^(?:[^"'«»„“「『()$\d\n]*\$|portal sin nombre, parámetro )(\d+)/mu

/** Throws if the frame is an ErrorResponse or a NoticeResponse whose fields have no end: readers look for it. */
export function requireFields(type: number, source: Buffer, at: number, end: number): void {
  if (type !== frameType.error && type !== frameType.notice) return
  const isEmpty = end === at + 1
  if (source[end - 1] === 0 && (isEmpty || source[end - 2] === 0) && end > at) return
  throw new Error('The server has sent an error without an end')
}

/** Fields of an ErrorResponse: a letter and a text each. */
export function readError(source: Buffer, from: number, end: number): ServerError {
  requireFields(frameType.error, source, from, end)
  const fields = new Map<string, string>()
  let at = from
  while (at < end && source[at] !== 0) {
    const stop = source.indexOf(0, at + 1)
    fields.set(String.fromCharCode(source[at] as number), source.toString('utf8', at + 1, stop))
    at = stop + 1
  }
  const position = fields.get('P')
  // There is no field for it.
  const parameter = ofParameter.exec(fields.get('W') ?? '')?.[1]
  return new ServerError(fields.get('M') ?? '', {
    code: fields.get('C'),
    severity: fields.get('V') ?? fields.get('S'),
    routine: fields.get('R'),
    position: position === undefined ? undefined : Number(position),
    parameter: parameter === undefined ? undefined : Number(parameter),
    constraint: fields.get('n'),
    detail: fields.get('D'),
    hint: fields.get('H'),
    context: fields.get('W'),
  })
}
