/**
 * Failures on demand: the service codes that begin with `mock.` -> what the mock does then, on all lanes. One row each:
 * name, meaning of the rest of the code, description and action; docs/mock.md shows the table. odd-replies.ts makes
 * what they send.
 */
import { gzipSync } from 'node:zlib'
import type { Failure } from './mock-call.ts'
import { inLatin1, oddHeaders, sendLarge, withProlog } from './odd-replies.ts'
import { deepContent, manyContent, multipart, prolog } from './oddities.ts'

const mebibyte = 1024 * 1024
const oversizedBytes = 64 * mebibyte
const levels = 200
const elements = 150_000
const maxLargeBytes = 1024 * mebibyte

/** Lanes answer it before they have read the body of the request. */
export const earlyAnswer = 'mock.early-answer'

export const failures: readonly Failure[] = [
  {
    name: 'mock.request',
    description:
      'no failure: the request line, headers and body as they arrived (SOAP: the envelope, escaped, and of each attachment id, type, size and SHA-256; REST: the echo)',
    act: ({ wire, received }) => wire.send(received()),
  },
  {
    name: 'mock.fault',
    takes: 'code',
    description:
      'SOAP: a Fault with this code on HTTP 200, in a direct call in its version on 500. REST: an error of a Security Server, 500 for `server.`, else 400',
    act: ({ wire, error }, code) => wire.send(error(code, 'A failure that was asked for')),
  },
  {
    name: 'mock.fault12',
    takes: 'code',
    description: 'SOAP: a SOAP 1.2 Fault with this code in an HTTP 500. REST: as `mock.fault`',
    act: ({ wire, error12 }, code) => wire.send(error12(code)),
  },
  {
    name: 'mock.provider-fault',
    description:
      'an error of the provider in an HTTP 500, without X-Road-Error. SOAP: a Fault `SOAP-ENV:Server`, in SOAP 1.2 `env:Receiver`. REST: JSON',
    act: ({ wire, providerError }) => wire.send(providerError('A failure of the provider that was asked for')),
  },
  {
    name: 'mock.status',
    takes: 'status',
    description: 'this HTTP status, 200 to 599, with a line of text',
    act: ({ wire, ordinary }, status) => {
      const body = Buffer.from(`Answer of the mock with status ${status}\n`)
      wire.send({ status: Number(status), type: 'text/plain; charset=utf-8', headers: ordinary().headers, body })
    },
  },
  {
    name: 'mock.slow-headers',
    description: 'silence: no head, until the client leaves',
    act: () => undefined,
  },
  {
    name: 'mock.stalled-body',
    description: 'head and half of the body, then silence',
    act: ({ wire, ordinary }) => wire.sendHalf(ordinary(), 'declared'),
  },
  {
    name: 'mock.slow-body',
    description: 'the body arrives a byte every 100 ms',
    act: ({ wire, ordinary }) => wire.trickle(ordinary()),
  },
  {
    name: 'mock.oversized',
    description: 'a body of 64 MiB, its Content-Length declared',
    act: (call) => sendLarge(call, oversizedBytes, 'declared'),
  },
  {
    name: 'mock.oversized-chunked',
    description: 'a body of 64 MiB, chunked',
    act: (call) => sendLarge(call, oversizedBytes, 'chunked'),
  },
  {
    name: 'mock.large',
    takes: 'bytes',
    description:
      'a valid body of exactly so many bytes (up to 1 GiB; never less than an empty answer has), its Content-Length declared',
    act: (call, bytes) => sendLarge(call, Number(bytes), 'declared'),
  },
  {
    name: 'mock.large-chunked',
    takes: 'bytes',
    description: 'the same, chunked',
    act: (call, bytes) => sendLarge(call, Number(bytes), 'chunked'),
  },
  {
    name: 'mock.compressed',
    description: 'a gzip body with Content-Encoding, whatever the request accepts',
    act: ({ wire, ordinary }) => {
      const answer = ordinary()
      const headers = [...answer.headers, ['Content-Encoding', 'gzip']] as const
      wire.send({ ...answer, headers, body: gzipSync(answer.body) })
    },
  },
  {
    name: 'mock.truncated',
    description: 'half of the declared body, then an orderly end of the connection',
    act: ({ wire, ordinary }) => wire.sendHalf(ordinary(), 'declared', () => wire.hangUp()),
  },
  {
    name: 'mock.truncated-chunked',
    description: 'half of a chunked body, then an orderly end of the connection',
    act: ({ wire, ordinary }) => wire.sendHalf(ordinary(), 'chunked', () => wire.hangUp()),
  },
  {
    name: 'mock.reset',
    description: 'head and half of the body, then a TCP reset',
    act: ({ wire, ordinary }) =>
      wire.sendHalf(ordinary(), 'declared', () => setTimeout(() => wire.reset(), resetDelayMs)),
  },
  {
    name: 'mock.reset-before-answer',
    description: 'a TCP reset once the request is read',
    act: ({ wire }) => wire.reset(),
  },
  {
    name: 'mock.malformed',
    description: 'XML or JSON that is cut in half, in a complete HTTP answer',
    act: ({ wire, ordinary }) => {
      const answer = ordinary()
      wire.send({ ...answer, body: answer.body.subarray(0, answer.body.length >> 1) })
    },
  },
  {
    name: 'mock.malformed-http',
    description: 'a line that is not HTTP, then the end of the connection',
    act: ({ wire }) => wire.sendRaw('This is no HTTP at all\r\n\r\n'),
  },
  {
    name: 'mock.redirect',
    description: '302 with the address of the request itself in Location',
    act: ({ wire, target, ordinary }) => {
      const headers = [...ordinary().headers, ['Location', target]] as const
      wire.send({ status: 302, type: '', headers, body: Buffer.alloc(0) })
    },
  },
  {
    name: 'mock.wrong-charset',
    description: 'declares UTF-8 and sends ISO-8859-1',
    act: (call) => call.wire.send(inLatin1(call, 'utf-8')),
  },
  {
    name: 'mock.latin1',
    description: 'declares ISO-8859-1 and sends it',
    act: (call) => call.wire.send(inLatin1(call, 'ISO-8859-1')),
  },
  {
    name: 'mock.doctype',
    description: 'XML with a DOCTYPE that declares an entity (on REST too)',
    act: ({ wire, aroundXml }) => wire.send(withProlog(aroundXml('&declared;'), prolog.doctype)),
  },
  {
    name: 'mock.entity',
    description: 'XML with an undeclared entity (on REST too)',
    act: ({ wire, aroundXml }) => wire.send(aroundXml('&undeclared;')),
  },
  {
    name: 'mock.deep',
    description: `${levels} levels`,
    act: ({ wire, around, notation }) => wire.send(around(deepContent(notation, levels))),
  },
  {
    name: 'mock.many-events',
    description: `${elements.toLocaleString('en').replace(',', ' ')} elements`,
    act: ({ wire, around, notation }) => wire.send(around(manyContent(notation, elements))),
  },
  {
    name: 'mock.empty',
    description: '200 with an empty body',
    act: ({ wire, ordinary }) => wire.send({ ...ordinary(), body: Buffer.alloc(0) }),
  },
  {
    name: 'mock.multipart',
    description: 'multipart/related: the answer as root part, and an attachment',
    act: ({ wire, ordinary }) => wire.send(multipart(ordinary())),
  },
  {
    name: 'mock.repeat-headers',
    description: 'Set-Cookie twice, hop-by-hop headers, and a Connection header that names X-Mock-Hop',
    act: ({ wire, ordinary }) => {
      const answer = ordinary()
      wire.send({ ...answer, headers: [...answer.headers, ...oddHeaders] })
    },
  },
  {
    name: earlyAnswer,
    description: 'answers before the body of the request is read (SOAP: once the service code is)',
    act: ({ wire, ordinary }) => wire.send(ordinary()),
  },
]

/** Time for what was written to leave: a reset drops what has not. */
const resetDelayMs = 50

/** The failure that a service code asks for, and its argument; undefined when the mock knows no such failure. */
export function readFailure(serviceCode: string): readonly [Failure, string] | undefined {
  const failure = failures.find(
    ({ name, takes }) => serviceCode === name || (takes !== undefined && serviceCode.startsWith(`${name}.`)),
  )
  if (failure === undefined) return undefined
  const argument = serviceCode.slice(failure.name.length + 1)
  const isRight = failure.takes === undefined || rules[failure.takes](argument)
  return isRight ? [failure, argument] : undefined
}

const rules: Readonly<Record<'code' | 'status' | 'bytes', (argument: string) => boolean>> = {
  code: (argument) => argument !== '',
  status: (argument) => /^[2-5]\d\d$/.test(argument),
  bytes: (argument) => /^\d{1,10}$/.test(argument) && Number(argument) <= maxLargeBytes,
}
