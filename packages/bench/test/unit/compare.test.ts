/**
 * What the comparison says of given figures: the guard must be known to fail when it should, and only then, and what
 * looks slower has to be raced again before it is judged.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { compare, exitCode, thereAndBack, type Trial } from '../../src/against/compare.ts'
import { chanceOfSoMany, guard, judgeRatios } from '../../src/against/regression.ts'
import { median } from '../../src/report/median.ts'
import { againstMarkers, insertResult, toReport } from '../../src/report/report.ts'

const repeat = (count: number, value: number): number[] => Array.from({ length: count }, () => value)
const silently = (): void => undefined
const patient = { races: 1, seconds: 3600 }

test('guard: what is as fast as before, or faster, is fine at once', () => {
  strictEqual(guard.limit, 0.97)
  strictEqual(judgeRatios([1]), 'fine')
  strictEqual(judgeRatios([2, 0.3, 0.2, 1, 1.1]), 'fine')
  strictEqual(judgeRatios(repeat(5, 0.97)), 'fine')
})

test('guard: slow races alone ask for more, and enough of them are a regression', () => {
  strictEqual(judgeRatios(repeat(6, 0.96)), 'unclear')
  strictEqual(judgeRatios(repeat(7, 0.96)), 'slower')
  strictEqual(judgeRatios([...repeat(20, 0.8), ...repeat(5, 1.2)]), 'slower')
  strictEqual(judgeRatios([...repeat(14, 0.8), ...repeat(11, 1.2)]), 'unclear')
})

test('guard: the chance is that of a coin', () => {
  strictEqual(chanceOfSoMany(0, 7), 1)
  strictEqual(chanceOfSoMany(10, 10), 1 / 1024)
  strictEqual(chanceOfSoMany(9, 10), 11 / 1024)
  strictEqual(chanceOfSoMany(13, 25), 0.5)
})

test('guard: noise seldom passes for a regression, and a regression seldom for noise', () => {
  const alarms = (truth: number, noise: number): number => {
    const random = seeded(7)
    const runs = Array.from({ length: 500 }, () => judgeRun(() => truth * Math.exp(noise * (random() + random() - 1))))
    return runs.filter((judgement) => judgement === 'slower').length / runs.length
  }
  ok(alarms(1, 0.1) < 0.005)
  ok(alarms(1, 0.6) < 0.02)
  ok(alarms(0.98, 0.2) < 0.02)
  ok(alarms(0.9, 0.1) > 0.95)
  ok(alarms(0.6, 0.6) > 0.9)
})

/** One race at a time until it is clear, 25 at the most. */
function judgeRun(ratioOfRace: () => number): string {
  const ratios: number[] = []
  do ratios.push(ratioOfRace())
  while (ratios.length < 25 && judgeRatios(ratios) === 'unclear')
  return judgeRatios(ratios)
}

function seeded(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

/** A trial whose races give these speeds of new to old, the last one over and over. */
function given(name: string, speeds: readonly number[], starts: boolean[] = []): Trial {
  let races = 0
  return {
    name,
    title: name,
    merit: 'requests/s',
    race(isThisFirst) {
      starts.push(isThisFirst)
      const speed = speeds[Math.min(races++, speeds.length - 1)]!
      const ours = { speed: speed * 50, requestsPerSecond: speed * 50, p99Ms: 3, cpu: 6, cpuToLoad: 1.1, peak: 110 }
      return Promise.resolve({
        ours,
        theirs: { speed: 50, requestsPerSecond: 50, p99Ms: 2, cpu: 5, cpuToLoad: 1, peak: 100 },
      })
    },
  }
}

test('what looks slower is raced again until it is clear, and nothing else is', async () => {
  const starts: boolean[] = []
  const trials = [given('fast', [1.2]), given('slow', [0.9], starts), given('noisy', [0.9, 1.1])]
  const all = await compare(trials, patient, silently)
  deepStrictEqual(
    all.map(({ title, judgement, speeds }) => [title, judgement, speeds.length]),
    [
      ['fast', 'fine', 1],
      ['slow', 'slower', 7],
      ['noisy', 'fine', 2],
    ],
  )
  deepStrictEqual(starts, [true, false, true, false, true, false, true], 'they take turns at coming first')
  strictEqual(exitCode(all), 1)
  strictEqual(exitCode(all.filter(({ title }) => title !== 'slow')), 0)
})

test('so many races as are asked for are held, and with no time left one of each', async () => {
  const count = async (limits: { races: number; seconds: number }): Promise<number[]> =>
    (await compare([given('fast', [1.2]), given('slow', [0.9])], limits, silently)).map(({ speeds }) => speeds.length)
  deepStrictEqual(await count({ races: 9, seconds: 3600 }), [9, 9])
  deepStrictEqual(await count({ races: 9, seconds: -1 }), [1, 1])
})

test('the table has a row for each scenario, with the ratios of new to old', async () => {
  const bare: Trial = {
    name: 'boot',
    title: 'boot',
    merit: 'time',
    race: () => Promise.resolve({ ours: { speed: 0.5 }, theirs: { speed: 0.4 } }),
  }
  const all = await compare([given('slow', [0.9, 0.8]), bare], patient, silently)
  const lines = toReport(all, 'sqlapi 0.1.0 (abc)', 'PostgreSQL 18').split('\n')
  match(lines[0]!, /PostgreSQL 18\. Ratios of this version to sqlapi 0\.1\.0 \(abc\): /)
  deepStrictEqual(lines.slice(2), [
    '| scenario | judged by | slower than 0.97 x | speed | lowest | highest | requests/s | p99 | CPU time | to the load | peak memory | races |',
    '| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| slow | requests/s | YES | 0.80 | 0.80 | 0.90 | 0.80 | 1.50 | 1.20 | 1.10 | 1.10 | 7 |',
    '| boot | time | no | 1.25 | 1.25 | 1.25 |  |  |  |  |  | 1 |',
  ])
  const unclear = await compare([given('slow', [0.9])], { races: 1, seconds: -1 }, silently)
  match(toReport(unclear, 'old', ''), /\| unclear \|[^]*`unclear`: slower on the face of it/)
  strictEqual(exitCode(unclear), 0)
})

test('measured by itself, each version comes twice, there and back', async () => {
  for (const isThisFirst of [true, false]) {
    const order: string[] = []
    const pair = await thereAndBack({ ours: 'new', theirs: 'old' }, isThisFirst, (side) => {
      order.push(side)
      return Promise.resolve({ speed: order.length, peak: side === 'new' ? 5 : 7 })
    })
    deepStrictEqual(order, isThisFirst ? ['new', 'old', 'old', 'new'] : ['old', 'new', 'new', 'old'])
    deepStrictEqual(pair, { ours: { speed: 2.5, peak: 5 }, theirs: { speed: 2.5, peak: 7 } })
  }
})

test('the median is the middle of what was measured, or between the two in the middle', () => {
  strictEqual(median([3, 1, 2]), 2)
  strictEqual(median([4, 1, 2, 3]), 2.5)
})

test('a result goes between its own markers of a page, in the place of the last one', () => {
  const [a, b] = [againstMarkers('a'), { begin: '<!-- b -->', end: '<!-- end of b -->' }]
  const page = `above\n${b.begin}\nB\n${b.end}\nbetween\n${a.begin}\nold\n${a.end}\nbelow\n`
  const changed = insertResult(page, a, 'NEW')
  strictEqual(changed, page.replace('\nold\n', '\n\nNEW\n\n'))
  strictEqual(insertResult(changed, a, 'NEW'), changed)
  throws(() => insertResult('no markers', a, ''), /lost its markers/)
})
