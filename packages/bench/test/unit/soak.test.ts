/** What a soak makes of its samples and of what its actors say. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { toSoakMarkdown } from '../../src/soak/report.ts'
import { type Outcome, runSoak, WrongAnswer } from '../../src/soak/soak.ts'
import { findGrowth, type Sample } from '../../src/soak/verdict.ts'

function samples(count: number, of: (part: number) => Partial<Sample>): Sample[] {
  const still = { residentMB: 150, handles: 50, requests: 1000, p50Ms: 3, p99Ms: 20 }
  return Array.from({ length: count }, (_, index) => ({ seconds: index * 10, ...still, ...of(index / (count - 1)) }))
}

test('a process that only warms up does not grow [O6.1]', () => {
  const warming = samples(60, (part) => ({ residentMB: part < 0.2 ? 100 + part * 500 : 200 }))
  deepStrictEqual(findGrowth(warming), [])
})

test('memory, handles and the median time that grow are told [O6.1]', () => {
  deepStrictEqual(findGrowth(samples(60, (part) => ({ residentMB: 150 + 200 * part }))), [
    'grew from 224.6 to 326.3 MB',
  ])
  deepStrictEqual(findGrowth(samples(60, (part) => ({ handles: Math.round(50 + 200 * part) })))?.length, 1)
  match(findGrowth(samples(60, (part) => ({ p50Ms: 3 + 100 * part })))?.join() ?? '', /ms \(median\)/)
})

test('noise is not growth, and a short run says nothing [O6.1]', () => {
  deepStrictEqual(findGrowth(samples(60, (part) => ({ residentMB: 150 + 20 * Math.sin(part * 50) }))), [])
  strictEqual(findGrowth(samples(6, () => ({}))), undefined)
})

test('outcomes are counted, a wrong answer and what is lost are problems [O6.1]', async () => {
  let acts = 0
  const act = (outcome: Outcome) => (): Promise<Outcome> => Promise.resolve(outcome)
  const report = await runSoak({
    minutes: 0.005,
    server: {
      pid: process.pid,
      port: 0,
      startSeconds: 0,
      usage: () => ({ cpuSeconds: 0, peakBytes: 0 }),
      stop: () => Promise.resolve(),
    },
    actors: [
      { name: 'reads', count: 2, pauseMs: 1, act: act('right'), isProbe: true },
      { name: 'late', count: 1, pauseMs: 1, act: act('cut') },
      {
        name: 'liar',
        count: 1,
        pauseMs: 1,
        act: () =>
          ++acts === 1 ? Promise.reject(new WrongAnswer('200 of somebody else')) : Promise.resolve('refused'),
      },
    ],
    settle: () => Promise.resolve(['write of 7 was acknowledged and is lost']),
  })
  deepStrictEqual(report.problems, ['liar: 200 of somebody else', 'write of 7 was acknowledged and is lost'])
  ok((report.counts.get('reads')?.right ?? 0) > 0)
  ok((report.counts.get('late')?.cut ?? 0) > 0)
  strictEqual(report.isGrowthJudged, false)
  match(
    toSoakMarkdown('sqlapi', 'a machine', report),
    /^sqlapi, 0\.005 minutes: 2 problems; too short to judge growth\. a machine\n/,
  )
})
