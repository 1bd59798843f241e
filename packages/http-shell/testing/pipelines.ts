/**
 * What is sent on one connection, byte for byte, and what must come back: a table that every service on this shell runs
 * against itself. A service says how its own requests look and which statuses it has for the refusals.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

/** A service that listens. Requests are whole, with `Host: x`; each is answered with 200. */
export interface Subject {
  readonly port: number
  /** Without a body. */
  readonly quick: string
  /** Without a body, answered after others would have been. */
  readonly slow: string
  /** With a body of a declared length. */
  readonly post: string
  /** Path of `post`. */
  readonly postPath: string
  /** A body that is not JSON is refused. */
  readonly postIsChecked?: boolean
  /** Statuses of refusals that are not the same everywhere. */
  readonly status: { readonly unknownMethod: number; readonly tunnel: number; readonly headTooLarge: number }
}

export interface Pipeline {
  readonly title: string
  readonly bytes: (subject: Subject) => string
  /** Statuses in their order; behind them the connection ends. */
  readonly expected: (subject: Subject) => readonly number[]
  /** The client ends its side behind the bytes. */
  readonly isHalfClosed?: true
}

const last = 'Connection: close\r\n'
const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n'

/** The same request with further header lines. */
export function withLines(request: string, lines: string): string {
  return request.replace('\r\n', `\r\n${lines}`)
}

const headers = (count: number): string => Array.from({ length: count }, (_, i) => `a${i}: b\r\n`).join('')
const chunked = (path: string, coding: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`

/** What has been used to have one request read as two: what it is, header lines, bytes before the next request. */
const smuggled: readonly (readonly [what: string, lines: string, body?: string])[] = [
  ['a length and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n'],
  ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 2', '0\r\n\r\n'],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 2', '{}'],
  ['the same length twice', 'Content-Length: 2\r\nContent-Length: 2', '{}'],
  ['two lengths in one line', 'Content-Length: 2, 2', '{}'],
  ['a length with a sign', 'Content-Length: +2', '{}'],
  ['a length in hexadecimal', 'Content-Length: 0x2', '{}'],
  ['a length with letters', 'Content-Length: 2a', '{}'],
  ['no length', 'Content-Length:', '{}'],
  ['a length in two parts', 'Content-Length: 1 2', '{}'],
  ['a length beyond 64 bits', 'Content-Length: 18446744073709551618', '{}'],
  ['a blank before the colon', 'Content-Length : 2', '{}'],
  ['a tab before the colon', 'Content-Length\t: 2', '{}'],
  ['a header in two lines', 'X: a\r\n b\r\nContent-Length : 2', '{}'],
  ['a line that begins with a blank', ' Content-Length: 2', '{}'],
  ['a bare line feed', 'X: a\nContent-Length: 2', '{}'],
  ['a bare carriage return', 'X: a\rContent-Length: 2', '{}'],
  ['a NUL in a value', 'X: a\0\r\nContent-Length: 2', '{}'],
  ['chunks in another coding', 'Transfer-Encoding: xchunked', '0\r\n\r\n'],
  ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', '0\r\n\r\n'],
  ['chunks behind a vertical tab', 'Transfer-Encoding: \vchunked', '0\r\n\r\n'],
]

export const pipelines: readonly Pipeline[] = [
  {
    title: 'a request with nonsense behind it',
    bytes: ({ post }) => `${post}\0\x01nonsense\r\n\r\n`,
    expected: () => [200, 400],
  },
  {
    title: 'slow and quick requests with nonsense behind them',
    bytes: ({ slow, quick, post }) => `${slow}${quick}${post}${slow}nonsense`,
    expected: () => [200, 200, 200, 200, 400],
  },
  {
    title: 'nonsense in front of a request',
    bytes: ({ quick }) => `nonsense\r\n\r\n${quick}`,
    expected: () => [400],
  },
  {
    title: 'a head that is broken behind a slow request',
    bytes: ({ slow, quick }) => `${slow}${withLines(quick, 'no colon\r\n')}${quick}`,
    expected: () => [200, 400],
  },
  {
    title: 'a tunnel behind a slow request',
    bytes: ({ slow, quick }) => `${slow}${quick}CONNECT other.example:443 HTTP/1.1\r\nHost: x\r\n\r\nbytes`,
    expected: ({ status }) => [200, 200, status.tunnel],
  },
  {
    title: 'a method that no parser knows behind a slow request',
    bytes: ({ slow, quick }) => `${slow}BREW /none/none HTTP/1.1\r\nHost: x\r\n\r\n${quick}`,
    expected: ({ status }) => [200, status.unknownMethod],
  },
  {
    title: 'wishes for another protocol between other requests',
    bytes: ({ slow, quick, post }) =>
      `${slow}${withLines(quick, upgrade)}${post}${withLines(slow, upgrade)}${withLines(quick, upgrade)}${withLines(quick, last)}`,
    expected: () => [200, 200, 200, 200, 200, 200],
  },
  {
    title: 'wishes for another protocol with bodies between other requests [F5]',
    bytes: ({ slow, quick, post, postPath }) =>
      `${slow}${withLines(post, upgrade)}${post}${withLines(chunked(postPath, 'chunked'), upgrade)}${withLines(quick, last)}`,
    expected: () => [200, 200, 200, 200, 200],
  },
  {
    title: 'a wish for another protocol with nonsense behind it',
    bytes: ({ quick }) => `${withLines(quick, upgrade)}nonsense`,
    expected: () => [200, 400],
  },
  {
    title: 'a client that ends its side behind its requests',
    bytes: ({ slow, quick, post }) => `${quick}${slow}${post}${slow}`,
    expected: () => [200, 200, 200, 200],
    isHalfClosed: true,
  },
  {
    title: 'a client that ends its side in a body',
    bytes: ({ slow, post }) => `${slow}${post.slice(0, -1)}`,
    expected: () => [200, 400],
    isHalfClosed: true,
  },
  {
    title: 'a client that ends its side in a head',
    bytes: ({ slow, quick }) => `${slow}${quick.slice(0, -2)}`,
    expected: () => [200, 400],
    isHalfClosed: true,
  },
  {
    title: 'a chunk that is not valid behind a slow request',
    bytes: ({ slow, postPath }) => `${slow}${chunked(postPath, 'chunked').replace('2\r\n', 'zz\r\n')}`,
    expected: () => [200, 400],
  },
  {
    title: 'a transfer coding beside chunked',
    bytes: ({ slow, quick, postPath }) => `${slow}${chunked(postPath, 'gzip, chunked')}${quick}`,
    expected: () => [200, 501],
  },
  {
    title: 'a transfer coding that is not chunked',
    bytes: ({ quick, postPath }) => `${quick}POST ${postPath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nxx`,
    expected: () => [200, 400],
  },
  {
    title: 'chunked in other letters',
    bytes: ({ quick, postPath }) => `${chunked(postPath, 'CHUNKED')}${withLines(quick, last)}`,
    expected: () => [200, 200],
  },
  {
    title: 'no Host header behind a slow request',
    bytes: ({ slow, quick }) => `${slow}${quick.replace('Host: x\r\n', '')}${quick}`,
    expected: () => [200, 400],
  },
  {
    title: 'HTTP/1.0 without a Host header behind a slow request',
    bytes: ({ slow, quick }) => `${slow}${quick.replace('HTTP/1.1\r\nHost: x\r\n', 'HTTP/1.0\r\n')}`,
    expected: () => [200, 200],
  },
  {
    title: 'two Host headers behind a slow request',
    bytes: ({ slow, quick }) => `${slow}${withLines(quick, 'hoST: y\r\n')}${quick}`,
    expected: () => [200, 400],
  },
  {
    title: 'a Host header that names no host behind a slow request',
    bytes: ({ slow, quick }) => `${slow}${quick.replace('Host: x\r\n', 'Host: x, y\r\n')}${quick}`,
    expected: () => [200, 400],
  },
  {
    title: '1500 short headers',
    bytes: ({ quick }) => withLines(quick, last + headers(1500)),
    expected: () => [200],
  },
  {
    title: '6000 short headers',
    bytes: ({ quick }) => withLines(quick, last + headers(6000)),
    expected: () => [200],
  },
  {
    title: 'a head beyond 65 536 bytes',
    bytes: ({ quick }) => quick + withLines(quick, headers(7000)) + quick,
    expected: ({ status }) => [200, status.headTooLarge],
  },
  {
    title: 'a head far beyond 65 536 bytes',
    bytes: ({ slow, quick }) => slow + withLines(quick, headers(40_000)),
    expected: ({ status }) => [200, status.headTooLarge],
  },
  ...smuggled.map(([what, lines, body = '']) => ({
    title: `${what}: what is behind it is not a request`,
    bytes: ({ slow, quick, postPath }: Subject) =>
      `${slow}POST ${postPath} HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n${body}${quick}`,
    expected: () => [200, 400],
  })),
  {
    title: 'a head in lines of a letter and a line feed only',
    bytes: ({ slow, quick }) => slow + quick.replaceAll('\r\n', '\n') + quick,
    expected: () => [200, 400],
  },
  {
    title: 'empty lines before requests',
    bytes: ({ quick, post }) => `\r\n${quick}\r\n\r\n${post}\r\n${withLines(quick, last)}`,
    expected: () => [200, 200, 200],
  },
  {
    title: 'requests of two services in one: the second has a body that looks like a third',
    bytes: ({ quick, postPath }) =>
      `POST ${postPath} HTTP/1.1\r\nHost: x\r\nContent-Length: ${quick.length}\r\n\r\n${quick}${withLines(quick, last)}`,
    expected: ({ postIsChecked }) => [postIsChecked === true ? 400 : 200, 200],
  },
  {
    title: 'more requests than may run at the same time',
    bytes: ({ slow, quick }) => slow + quick.repeat(500) + withLines(slow, last),
    expected: () => Array.from({ length: 502 }, () => 200),
  },
]

export interface Reply {
  readonly status: number
  readonly text: string
}

/** Longer than anything that these tests wait for, even on a machine that has much else to do. */
const longestMs = 300_000

/**
 * Sends the pieces one by one and gives every answer, when the server has ended the connection. Interim ones are left
 * out. Throws when it does not end.
 */
export async function converse(
  port: number,
  pieces: readonly string[],
  isHalfClosed = false,
  limitMs = longestMs,
): Promise<Reply[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  const ended = Promise.withResolvers<void>()
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => ended.resolve())
  socket.on('close', () => ended.resolve())
  socket.on('end', () => ended.resolve())
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece, 'latin1')
    if (pieces.length > 1) await new Promise(setImmediate)
  }
  if (isHalfClosed) socket.end()
  const timer = setTimeout(() => {
    const received = Buffer.concat(chunks).toString('latin1')
    ended.reject(new Error(`not ended after ${limitMs} ms, received ${JSON.stringify(received.slice(-1000))}`))
  }, limitMs)
  try {
    await ended.promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
  return readAnswers(Buffer.concat(chunks).toString('latin1'))
}

/** Answers with a length each; anything else is returned as one with the status 0. */
function readAnswers(received: string): Reply[] {
  const answers: Reply[] = []
  let rest = received
  while (rest !== '') {
    const [head = '', status = ''] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(rest) ?? []
    if (head === '') return [...answers, { status: 0, text: rest }]
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0)
    const text = rest.slice(head.length, head.length + length)
    if (!status.startsWith('1')) answers.push({ status: text.length === length ? Number(status) : 0, text })
    rest = rest.slice(head.length + length)
  }
  return answers
}
