/**
 * Random pipelines: good requests, slow ones, wishes for another protocol, in any order and cut anywhere, with or
 * without something behind them that is not a request. Each begun request has its own answer, in order; then comes at
 * most one refusal.
 */
import { type Subject, withLines } from './pipelines.ts'

export interface RandomPipeline {
  readonly pieces: readonly string[]
  readonly expected: readonly number[]
  readonly isHalfClosed: boolean
}

/** `random` gives numbers from 0 to below 1. */
export function randomPipeline(subject: Subject, random: () => number): RandomPipeline {
  const { quick, slow, post, status } = subject
  const below = (count: number): number => Math.floor(random() * count)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  const wish = 'Connection: upgrade\r\nUpgrade: websocket\r\n'
  const good = [quick, quick, post, post, slow, withLines(quick, wish), withLines(slow, wish)]
  const requests = Array.from({ length: below(12) }, () => pick(good))
  const [behind, refusal, isHalfClosed] = pick<readonly [string, number | undefined, boolean]>([
    ['nonsense', 400, false],
    ['\0\0\0\0', 400, false],
    [`${quick.slice(0, -2)}no colon\r\n\r\n${quick}`, 400, false],
    [withLines(quick, 'Host: y\r\n') + quick, 400, false],
    [`BREW /none/none HTTP/1.1\r\nHost: x\r\n\r\n${quick}`, status.unknownMethod, false],
    [`CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n${quick}`, status.tunnel, false],
    [`POST ${subject.postPath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501, false],
    [post.slice(0, -1), 400, true],
    [withLines(quick, 'Connection: close\r\n'), 200, false],
    ['', undefined, true],
  ])
  // A connection on which nothing was asked has nothing to end with.
  const bytes = requests.join('') + behind
  const pieces: string[] = []
  for (let at = 0; at < bytes.length;) {
    const size = pick([1 + below(40), 200, 2000, bytes.length])
    pieces.push(bytes.slice(at, at + size))
    at += size
  }
  const expected = [...requests.map(() => 200), ...(refusal === undefined ? [] : [refusal])]
  return { pieces, expected, isHalfClosed }
}
