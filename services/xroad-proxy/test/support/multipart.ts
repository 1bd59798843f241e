/**
 * Multipart messages for tests: forms are made byte by byte, and what arrives is taken apart in the most literal way.
 */
import { Buffer } from 'node:buffer'

export interface SeenPart {
  /** Lines of the head, as they came. */
  readonly head: readonly string[]
  readonly bytes: Buffer
}

/** The parts of a message whose boundary, in quotes, its Content-Type names. Fails for what is not exactly RFC 2046. */
export function takeApart(contentType: string, body: Buffer): readonly SeenPart[] {
  const [, boundary] = /; boundary="([^"]+)"/.exec(contentType) ?? []
  if (boundary === undefined) throw new Error(`no boundary: ${contentType}`)
  const text = body.toString('latin1')
  const [before, ...parts] = `\r\n${text}`.split(`\r\n--${boundary}`)
  if (before !== '' || parts.pop() !== '--\r\n') throw new Error('the message does not begin or end with its boundary')
  return parts.map((part) => {
    const end = part.indexOf('\r\n\r\n')
    return {
      head: part.slice(0, end).split('\r\n').slice(1),
      bytes: Buffer.from(part.slice(end + 4), 'latin1'),
    }
  })
}

export function headerOf({ head }: SeenPart, name: string): string | undefined {
  return head.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
}

/** Head of a part and its content. */
export type FormPart = readonly [head: readonly string[], content: string | Buffer]

export const formType = 'multipart/form-data; boundary=b'

/** Text is sent in UTF-8. */
export function toForm(...parts: readonly FormPart[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--b\r\n${head.map((line) => `${line}\r\n`).join('')}\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ])
}

export function field(name: string, value: string): FormPart {
  return [[`Content-Disposition: form-data; name="${name}"`], value]
}

export function file(name: string, content: string | Buffer, type = 'application/pdf'): FormPart {
  return [[`Content-Disposition: form-data; name="${name}"; filename="x"`, `Content-Type: ${type}`], content]
}
