/**
 * Random requests, from what every client sends to what none should: each part of a request is now and then odd, and
 * now and then a byte is changed, put in or left out. One character for each byte.
 */

const plainMethods = ['GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const oddMethods = ['get', 'BREW', 'TRACE', 'PRI', 'QUERY', 'M-SEARCH', 'GETX', 'GE', '', 'PROPFIND', 'G\0T', 'POST\t']
const plainNames = [
  'Accept',
  'accept-encoding',
  'Cookie',
  'User-Agent',
  'X-Forwarded-For',
  'x-datasource',
  'X-Road-Id',
  'Origin',
  'Content-Type',
  'Authorization',
  'If-None-Match',
  "!#$%&'*+-.^_`|~09",
  'Date',
  'Referer',
]
const oddNames = [
  'Cookie',
  'host',
  'Set-Cookie',
  'constructor',
  '__proto__',
  'toString',
  'Expect',
  'Upgrade',
  'Trailer',
  'TE',
  'Transfer-Encoding',
  'Content-Length',
  'Connection',
  'Proxy-Connection',
  'Keep-Alive',
  'HTTP2-Settings',
  'a b',
  'x\u00e4',
  '',
  ' x',
  'x ',
  'x\t',
  'x:',
]
const plainValues = [
  '',
  'x',
  'a, b',
  'text/html;q=0.9, */*',
  '"quoted"',
  'a\tb',
  '\u00e4\u00ff\u00a0',
  'session=1; b=2',
  '\u0080',
]
const oddValues = [
  'chunked',
  '100-continue',
  'h2c',
  'close',
  'keep-alive',
  'Upgrade',
  '0',
  '1',
  '\0',
  '\u0001',
  '\u007f',
  '\u000b',
  'a\rb',
  'a\nb',
  '\r\n x',
]
const blanks = ['', ' ', ' ', ' ', ' ', '\t', '  ', ' \t ']
const connections = ['keep-alive', 'Keep-Alive', 'close', 'Close']
/** For another protocol. */
const wishes = ['Upgrade, HTTP2-Settings', 'Upgrade', 'keep-alive, Upgrade', 'upgrade, close', 'UPGRADE']
const oddConnections = ['KEEP-ALIVE', 'keep-alive, x', 'upgrade', 'close, keep-alive', '', 'x']
const oddLengths = [
  '+1',
  '-1',
  '1 ',
  '01',
  '1,1',
  '0x1',
  '1 1',
  '99999999999999999999',
  '18446744073709551617',
  'a',
  '',
  '1.0',
  '1e1',
  '4294967297',
]
const oddVersions = [
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/1.2',
  'HTTP/11',
  'ICE/1.0',
  'RTSP/1.1',
  '',
]
const oddLineEnds = ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', '']
const targetCharacters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).filter(
  (character) => character !== '#',
)
const oddTargetCharacters = [' ', '\t', '\0', '#', '\u007f', '\u0080', '\u00ff', '\f', '\r', '\n', '##']

/** How often, out of so many, each part is odd. */
const oddOneIn = 40

/** `random` gives numbers from 0 to below 1. With `hasWishes` some ask for another protocol. */
export function randomRequest(random: () => number, hasWishes = false): string {
  const below = (count: number): number => Math.floor(random() * count)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const isOdd = (): boolean => below(oddOneIn) === 0
  const lineEnd = (): string => (isOdd() && isOdd() ? pick(oddLineEnds) : '\r\n')
  const text = (length: number): string => Array.from({ length }, () => String.fromCharCode(below(256))).join('')

  const target = (): string => {
    if (isOdd()) return pick(['*', 'http://x/y', '', '//', 'x', '/#x', '?', '/ /'])
    const characters = Array.from({ length: below(20) }, () =>
      isOdd() && isOdd() ? pick(oddTargetCharacters) : pick(targetCharacters),
    )
    return `/${characters.join('')}`
  }
  const body = below(3) === 0 ? text(below(50)) : ''
  const lines: string[] = []
  if (!isOdd())
    lines.push(`${pick(['Host', 'host', 'HOST', 'hOsT'])}:${pick(blanks)}${pick(['x', 'a.example:80', '', '[::1]'])}`)
  if (body !== '' || below(8) === 0) {
    const length = isOdd() ? pick(oddLengths) : String(body.length)
    lines.push(`${pick(['Content-Length', 'content-length'])}:${pick(blanks)}${length}${pick(blanks)}`)
  }
  if (hasWishes && below(12) === 0) lines.push(`Connection: ${pick(wishes)}`, `Upgrade: ${pick(['h2c', 'websocket'])}`)
  else if (below(4) === 0) lines.push(`Connection: ${isOdd() ? pick(oddConnections) : pick(connections)}`)
  const names = plainNames.toSorted(() => random() - 0.5).slice(0, below(6))
  for (const name of names) {
    const value = isOdd() ? pick(oddValues) : pick([...plainValues, 'x'.repeat(below(300))])
    lines.push(`${isOdd() ? pick(oddNames) : name}:${pick(blanks)}${value}${pick(blanks)}`)
  }
  const method = isOdd() ? pick(oddMethods) : pick(plainMethods)
  const version = isOdd() ? pick(oddVersions) : 'HTTP/1.1'
  const head = `${method}${isOdd() && isOdd() ? pick(['  ', '\t', '']) : ' '}${target()} ${version}${lineEnd()}`
  const ordered = lines.toSorted(() => random() - 0.5).map((line) => line + lineEnd())
  const request = `${isOdd() && isOdd() ? pick(['\r\n', '\n', ' ']) : ''}${head}${ordered.join('')}${lineEnd()}${body}`
  if (below(10) > 0) return request
  const at = below(request.length)
  const replacement = pick(['', String.fromCharCode(below(256)), request.charAt(at) + request.charAt(at)])
  return request.slice(0, at) + replacement + request.slice(at + 1)
}
