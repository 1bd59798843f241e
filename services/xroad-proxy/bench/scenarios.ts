/** What is raced: for each scenario the requests with their right answers, who takes part and what is to be reached. */
import {
  largeAnswer,
  personJson,
  personResult,
  persons,
  savedAnswer,
  savedBody,
  smallAnswer,
  toCode,
} from './answers.ts'

/**
 * `package` is the proxy as it is published, `sources` as it stands in the repository, `release` that of an older
 * version.
 */
export type Build = 'package' | 'sources' | 'release'
export type ContenderName = Build | 'undici' | 'haproxy' | 'floor with context' | 'floor' | 'node-soap'

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly target: string
  readonly body?: string
  /** The right answer. */
  readonly expected: string
  /** What node-soap gives in its place. */
  readonly expectedOfClient?: string
}

export interface Scenario {
  readonly name: string
  readonly title: string
  /** The first one has the targets, the last one is what all are compared with. */
  readonly contenders: readonly [ContenderName, ...ContenderName[], ContenderName]
  /** So many call at a time. */
  readonly connections: number
  readonly requests: readonly Request[]
  /** Driven for so long before a round counts, if it is not the usual time. */
  readonly rampSeconds?: number
  /** How many times as many requests per second as others the first contender is to reach at the least. */
  readonly targets?: readonly { readonly ratio: number; readonly of: ContenderName }[]
}

const connections = 32
export const restTitle = 'REST, GET, 200 bytes of JSON'
export const smallRequests = persons.map((n): Request => {
  return { method: 'GET', target: `/bench/small?id=${n}`, expected: smallAnswer(n) }
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'rest-get',
    title: restTitle,
    contenders: ['package', 'sources', 'undici', 'haproxy', 'floor with context', 'floor'],
    connections,
    requests: smallRequests,
    targets: [
      { ratio: 2.5, of: 'floor' },
      { ratio: 0.45, of: 'haproxy' },
    ],
  },
  {
    name: 'rest-post',
    title: 'REST, POST of 1 KB',
    contenders: ['package', 'undici', 'haproxy', 'floor'],
    connections,
    requests: persons.map((n) => ({
      method: 'POST',
      target: '/bench/save',
      body: savedBody(n),
      expected: savedAnswer(n),
    })),
  },
  {
    name: 'rest-large',
    title: 'REST, GET, answer of 100 KB',
    contenders: ['package', 'undici', 'haproxy', 'floor'],
    connections,
    requests: [{ method: 'GET', target: '/bench/large', expected: largeAnswer() }],
  },
  {
    name: 'soap',
    title: 'SOAP, answer of 1.5 KB',
    contenders: ['package', 'sources', 'node-soap'],
    connections,
    requests: persons.map((n) => ({
      method: 'POST',
      target: '/bench/person',
      body: JSON.stringify({ code: toCode(n), purpose: 'Õppetoetuse taotlus' }),
      expected: personJson(n),
      expectedOfClient: personResult(n),
    })),
    targets: [
      { ratio: 4, of: 'node-soap' },
      { ratio: 5.5, of: 'node-soap' },
    ],
  },
]
