/**
 * Tests of pipelines, from a table and random ones, which this package runs in full and each service for its own
 * refusals. A service that listens comes in; tests are registered.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { randomFrom } from '@services/testing'
import { randomPipeline } from './fuzz.ts'
import { converse, pipelines, type Subject } from './pipelines.ts'

export interface PipelineTests {
  /** Ids of the rules that these tests prove, as titles have them. */
  readonly rules?: string
  /** Called in the tests, when the service listens. */
  readonly subject: () => Subject
  /** How many random pipelines are tried. */
  readonly randomCount: number
  /** Only the cases of `wiring`: this package runs them all. */
  readonly isWiring?: boolean
}

/** Cases whose statuses differ among services: they prove that a service's refusals reach the shell. */
const wiring = new Set([
  'a method that no parser knows behind a slow request',
  'a tunnel behind a slow request',
  'a head beyond 65 536 bytes',
  'requests of two services in one: the second has a body that looks like a third',
])

const seed = Number(process.env['PIPELINES_SEED'] ?? 20_261_122)
/** Connections of random pipelines at the same time. */
const atOnce = 10

export function testPipelines({ rules = '', subject, randomCount, isWiring = false }: PipelineTests): void {
  const cases = isWiring ? pipelines.filter(({ title }) => wiring.has(title)) : pipelines
  describe(`a connection is answered request by request, in order, then refused once ${rules}`, () => {
    for (const { title, bytes, expected, isHalfClosed } of cases) {
      test(title, () => check(subject(), [bytes(subject())], expected(subject()), isHalfClosed))
    }
  })

  test(`random pipelines, cut anywhere (seed ${seed}) ${rules}`, async () => {
    const random = randomFrom(seed)
    for (let count = 0; count < randomCount; count += atOnce) {
      const lot = Array.from({ length: atOnce }, () => randomPipeline(subject(), random))
      await Promise.all(
        lot.map(({ pieces, expected, isHalfClosed }) => check(subject(), pieces, expected, isHalfClosed)),
      )
    }
  })
}

async function check(
  { port }: Subject,
  pieces: readonly string[],
  expected: readonly number[],
  isHalfClosed = false,
): Promise<void> {
  const answers = await converse(port, pieces, isHalfClosed)
  deepStrictEqual(
    answers.map(({ status }) => status),
    expected,
    JSON.stringify(pieces).slice(0, 10_000),
  )
}
