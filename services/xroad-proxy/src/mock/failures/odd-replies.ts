/**
 * Replies that are odd as a whole: another charset, another prolog, more headers, many bytes. oddities.ts makes their
 * contents.
 */
import type { Header, MockReply } from '../wire.ts'
import type { MockCall } from './mock-call.ts'
import { fill, hole, latin1Content, prolog } from './oddities.ts'

export const oddHeaders: readonly Header[] = [
  ['Set-Cookie', 'first=1; Path=/'],
  ['Set-Cookie', 'second=2; Path=/'],
  ['X-Mock-Twice', 'one'],
  ['X-Mock-Twice', 'two'],
  ['Connection', 'keep-alive, X-Mock-Hop'],
  ['X-Mock-Hop', 'of this connection'],
  ['Keep-Alive', 'timeout=30'],
  ['Proxy-Authenticate', 'Basic realm="mock"'],
  ['Proxy-Connection', 'keep-alive'],
  ['TE', 'trailers'],
  ['Upgrade', 'h2c'],
]

export async function sendLarge(call: MockCall, bytes: number, framing: 'declared' | 'chunked'): Promise<void> {
  const { wire, around, notation } = call
  const frame = around(hole)
  const { length, pieces } = fill(frame.body, notation, bytes)
  await wire.stream(frame, pieces, framing === 'declared' ? length : undefined)
}

export function inLatin1({ around, notation }: MockCall, declared: string): MockReply {
  const answer = around(latin1Content(notation))
  const text = answer.body.toString('utf8').replace('encoding="UTF-8"', `encoding="${declared}"`)
  const type = answer.type.replace('utf-8', declared)
  return { ...answer, type, body: Buffer.from(text, 'latin1') }
}

export function withProlog(answer: MockReply, start: string): MockReply {
  return { ...answer, body: Buffer.from(answer.body.toString('utf8').replace(prolog.plain, start)) }
}
