/**
 * Odd contents of answers: very deep, very many, very large, several parts. Pure: texts and bytes out. `Notation` says
 * how a lane writes them, so that each oddity exists once for XML and JSON.
 */
import { escapeXml } from '../read/xml.ts'
import type { MockReply } from '../wire.ts'

/** How content is written on a lane. */
export interface Notation {
  readonly text: (content: string) => string
  readonly array: readonly [open: string, close: string]
  readonly item: readonly [open: string, close: string]
  readonly separator: string
  readonly level: readonly [open: string, close: string]
}

export const xmlNotation: Notation = {
  text: (content) => `<text>${escapeXml(content)}</text>`,
  array: ['', ''],
  item: ['<item>', '</item>'],
  separator: '',
  level: ['<level>', '</level>'],
}

export const jsonNotation: Notation = {
  text: (content) => JSON.stringify(content),
  array: ['[', ']'],
  item: ['"', '"'],
  separator: ',',
  level: ['[', ']'],
}

export function deepContent({ level: [open, close] }: Notation, levels: number): string {
  return open.repeat(levels) + close.repeat(levels)
}

export function manyContent({ array, item, separator }: Notation, elements: number): string {
  const items = Array.from({ length: elements }, () => `${item[0]}1${item[1]}`)
  return array[0] + items.join(separator) + array[1]
}

/** Letters of Estonian that ISO-8859-1 has. */
export function latin1Content(notation: Notation): string {
  return notation.text('Jõgeva, Räpina, Põlva, Türi, ÕÄÖÜ')
}

export const prolog = {
  plain: '<?xml version="1.0" encoding="UTF-8"?>',
  doctype: '<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE answer [<!ENTITY declared "expanded">]>',
} as const

/** Stands for the content of a large answer until `fill` puts it there. */
export const hole = '@@hole@@'

const itemBytes = 4096
const itemsAtOnce = 16

export interface Filled {
  readonly length: number
  readonly pieces: Iterable<Buffer>
}

/**
 * The bytes around the hole and, in its place, items until there are exactly `bytes`, or one empty item where that is
 * more.
 */
export function fill(frame: Buffer, { array, item, separator }: Notation, bytes: number): Filled {
  const at = frame.indexOf(hole)
  const before = Buffer.concat([frame.subarray(0, at), Buffer.from(array[0] + item[0])])
  const after = Buffer.concat([Buffer.from(item[1] + array[1]), frame.subarray(at + hole.length)])
  const room = Math.max(0, bytes - before.length - after.length)
  const next = Buffer.from(item[1] + separator + item[0])
  return { length: before.length + room + after.length, pieces: yieldPieces(before, next, room, after) }
}

/** In pieces of some 64 KiB; the last item takes what is left over. */
function* yieldPieces(before: Buffer, next: Buffer, room: number, after: Buffer): Generator<Buffer> {
  const unit = Buffer.concat([Buffer.alloc(itemBytes, 'x'), next])
  const batch = Buffer.concat(Array.from({ length: itemsAtOnce }, () => unit))
  let left = room
  yield before
  for (const piece of [batch, unit]) {
    for (; left >= piece.length; left -= piece.length) yield piece
  }
  yield Buffer.alloc(left, 'x')
  yield after
}

const boundary = 'mock-boundary'

export function multipart(answer: MockReply): MockReply {
  const rootType = answer.type.split(';')[0] as string
  const type = `multipart/related; type="${rootType}"; start="<root@mock>"; boundary="${boundary}"`
  const head = `--${boundary}\r\nContent-Type: ${answer.type}\r\nContent-ID: <root@mock>\r\n\r\n`
  const attachment =
    `\r\n--${boundary}\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n` +
    `Content-ID: <attachment@mock>\r\n\r\n\u0000\u0001attachment\u00FF\r\n--${boundary}--\r\n`
  const body = Buffer.concat([Buffer.from(head), answer.body, Buffer.from(attachment, 'latin1')])
  return { ...answer, type, body }
}
