/**
 * SOAP messages that other projects keep for their own tests: X-Road's proxy and SOAP libraries. None is kept here:
 * `XROAD_PROXY_REAL_MESSAGES` names a folder, every *.xml, *.query and *.answer below it is read. Each must give the
 * JSON that a second, plain reading gives, or be refused by both. A file that starts with a boundary is taken for
 * multipart/related.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import type { Translation } from '../../../src/model.ts'
import { readResponse } from '../../../src/soap/message/response.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'
import { elementsOf, localName, readTree, toAnswer, type XmlElement } from '../../support/xml.ts'

const folder = process.env['XROAD_PROXY_REAL_MESSAGES'] ?? ''
const skip = existsSync(folder) ? false : 'XROAD_PROXY_REAL_MESSAGES names no folder with messages'

interface Message {
  readonly contentType: string | undefined
  /** What the second reading starts from. */
  readonly document: Buffer
}

test('messages of other projects are translated [S-endpoint.soap D3.1 D3.6 D3.8]', { skip }, (t) => {
  const counts = { translated: 0, faults: 0, inParts: 0, refused: 0 }
  for (const path of messages()) {
    const name = relative(folder, path)
    const body = readFileSync(path)
    const { contentType, document } = toMessage(body)
    const read = attempt(() => readResponse(body, contentType))
    const root = attempt(() => readTree(decode(document)))
    if (read instanceof Error) {
      ok(read instanceof XmlError, `${name}: ${String(read)}`)
      ok(root instanceof Error, `${name} is refused: ${read.message}`)
      counts.refused++
      t.diagnostic(`refused ${name}: ${read.message}`)
      continue
    }
    ok(!(root instanceof Error), `${name} is read, and should not be`)
    deepStrictEqual({ body: read.body, headers: read.headers }, toAnswer(root), name)
    deepStrictEqual(isFault(read), hasFault(root), name)
    JSON.parse(`[${read.body},${read.headers},${read.fault?.detail ?? 'null'}]`)
    counts.translated++
    if (read.fault !== undefined) counts.faults++
    if (contentType !== undefined) counts.inParts++
  }
  ok(counts.translated > 0, 'there are no messages')
  t.diagnostic(JSON.stringify(counts))
})

function messages(): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:xml|query|answer)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function toMessage(body: Buffer): Message {
  const text = body.toString('latin1')
  const boundary = /^(?:\r?\n)*--(\S+)[ \t]*\r?\n/.exec(text)?.[1]
  if (boundary === undefined) return { contentType: undefined, document: body }
  const line = new RegExp(String.raw`\r?\n--${boundary.replaceAll(/\W/g, String.raw`\$&`)}(?:--)?[ \t]*(?=\r?\n|$)`)
  const [, part = ''] = `\n${text}`.split(line)
  return {
    contentType: `multipart/related; boundary="${boundary}"`,
    document: Buffer.from(part.replace(/^[^]*?\n\r?\n/, ''), 'latin1'),
  }
}

function decode(document: Buffer): string {
  const encoding = /^<\?xml[^>]*encoding="([^"]+)"/.exec(document.toString('latin1'))?.[1] ?? 'utf-8'
  return new TextDecoder(encoding, { fatal: true }).decode(document)
}

function isFault({ fault }: Translation): boolean {
  return fault !== undefined
}

function hasFault(root: XmlElement): boolean {
  if (localName(root) === 'Fault') return true
  const bodies = localName(root) === 'Envelope' ? elementsOf(root).filter((each) => localName(each) === 'Body') : []
  return bodies.some((each) => elementsOf(each).some((child) => localName(child) === 'Fault'))
}

function attempt<Value>(run: () => Value): Value | Error {
  try {
    return run()
  } catch (error) {
    return error as Error
  }
}
