/** Reads the document over and over for as many seconds as a message says, and tells how far it got. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SaxesParser } from 'saxes'
import type * as Response from '../../src/soap/message/response.ts'
import { sha256 } from '../answers.ts'
import { registerAnswer } from './xml-document.ts'

export interface Done {
  readonly bytesPerSecond: number
  readonly result: string
}

const [, , what, service = ''] = process.argv
/** Earlier versions have it in another file, and under another name. */
const sources = ['src/soap/message/response.ts', 'src/soap/message/answer.ts', 'src/soap/answer.ts']
const source = sources.map((path) => join(service, path)).find(existsSync)
const loaded = (await import(pathToFileURL(source ?? '').href)) as Record<string, typeof Response.readResponse>
const readResponse = (loaded['readResponse'] ?? loaded['readAnswer']) as typeof Response.readResponse
const bytes = Buffer.from(registerAnswer().xml)

/** From bytes to JSON text, as the SOAP lane does it. */
function translate(): string {
  const { body, headers } = readResponse(bytes, 'text/xml; charset=utf-8')
  return `{"body":${body},"headers":${headers}}`
}

/** The least that a reader can do: the same parser with the same options, and its events counted. */
function parse(): string {
  let events = 0
  const count = (): void => {
    events += 1
  }
  const parser = new SaxesParser({ xmlns: false, position: false, defaultXMLVersion: '1.0', forceXMLVersion: true })
  parser.on('opentag', count)
  parser.on('text', (text) => {
    if (text.trim() !== '') events += 1
  })
  parser.on('closetag', ({ isSelfClosing }) => {
    if (!isSelfClosing) events += 1
  })
  parser.write(bytes.toString()).close()
  return String(events)
}

const [read, digest] = what === 'translate' ? [translate, sha256] : [parse, String]

process.on('message', (seconds: number) => {
  let rounds = 0
  let result = ''
  const since = performance.now()
  const until = since + seconds * 1000
  for (; performance.now() < until; rounds++) result = read()
  const bytesPerSecond = (rounds * bytes.length) / ((performance.now() - since) / 1000)
  process.send?.({ bytesPerSecond, result: digest(result) } satisfies Done)
})
