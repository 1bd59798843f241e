/**
 * The reader of plain requests beside Node's parser: whatever it takes for a plain request, Node has to take for the
 * same one, with the same end. What it does not take is Node's alone.
 */
import { deepStrictEqual } from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { randomFrom } from '@services/testing'
import { maxHeadBytes } from '../src/exchange/limits.ts'
import { createHttpServer } from '../src/node/node-http.ts'
import { type Head, RequestReader } from '../src/plain/request.ts'
import { randomRequest } from './requests.ts'

/** What a service sees of a request. */
interface Seen {
  readonly method: string
  readonly target: string
  readonly rawHeaders: readonly string[]
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface Compared {
  readonly requests: number
  /** Of these, taken as plain. */
  readonly taken: number
}

/** So many requests go over one connection, so that a wrong end of one shows in the next. */
const atOnce = 200

/** Throws an assertion error where the two differ. */
export async function compareReaders(requests: number, seed: number): Promise<Compared> {
  const random = randomFrom(seed)
  const reader = new RequestReader()
  let taken = 0
  let known: Head | undefined
  let lot: Seen[] = []
  let bytes: Buffer[] = []
  for (let count = 0; count < requests; count++) {
    const request = Buffer.from(randomRequest(random, true), 'latin1')
    // What stands before and behind it is not a part of it.
    const behind = random() < 0.5 ? Buffer.from('GET / HT') : Buffer.alloc(0)
    const found = reader.read(Buffer.concat([Buffer.from('\r\n'), request, behind]), 2, known)
    if (found !== 'plain' || reader.end - 2 > request.length) continue
    taken++
    known = random() < 0.5 ? reader.head : undefined
    const { method, target, head, bodyAt, end } = reader
    const { rawHeaders, headers } = head
    const body = request.toString('latin1', bodyAt - 2, end - 2)
    lot.push({ method, target, rawHeaders, headers, body })
    bytes.push(withoutWish(request.subarray(0, bodyAt - 2)), request.subarray(bodyAt - 2, end - 2))
    if (lot.length < atOnce && !head.isLast) continue
    deepStrictEqual(
      await readByNode(Buffer.concat(bytes)),
      lot,
      `seed ${seed}, request ${count}: ${JSON.stringify(bytes.map(String))}`,
    )
    lot = []
    bytes = []
  }
  deepStrictEqual(await readByNode(Buffer.concat(bytes)), lot, `seed ${seed}, the last requests`)
  return { requests, taken }
}

/** Behind one Node stops, and the reader passes over it. */
function withoutWish(head: Buffer): Buffer {
  return Buffer.from(head.toString('latin1').replace(/\r\nupgrade:[^\r\n]*/i, ''), 'latin1')
}

/** The requests that Node finds, until it finds something else; a last one says what that was. */
async function readByNode(bytes: Buffer): Promise<Seen[]> {
  const seen: Seen[] = []
  const settings = { maxHeaderSize: maxHeadBytes, requireHostHeader: false }
  const arrivals: Promise<void>[] = []
  const server = createHttpServer(settings, (message: IncomingMessage, response: ServerResponse) => {
    arrivals.push(note(message, response, seen))
  })
  server.maxHeadersCount = 0
  server.on('clientError', ({ message }) => {
    seen.push({ method: message, target: '', rawHeaders: [], headers: {}, body: '' })
  })
  const connection = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done: () => void) => done(),
  })
  server.emit('connection', connection)
  connection.push(bytes)
  let count = -1
  // All of it is parsed at once; bodies end some turns later.
  while (count < arrivals.length) {
    count = arrivals.length
    await new Promise(setImmediate)
    await Promise.all(arrivals)
  }
  connection.destroy()
  return seen
}

async function note(message: IncomingMessage, response: ServerResponse, seen: Seen[]): Promise<void> {
  const { method = '', url: target = '', rawHeaders, headers } = message
  const place = seen.length
  const noted = { method, target, rawHeaders, headers: { ...headers }, body: '' }
  seen[place] = noted
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  seen[place] = { ...noted, body: Buffer.concat(chunks).toString('latin1') }
  response.end()
}
