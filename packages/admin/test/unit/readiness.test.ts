/** What readiness makes of the answers of its parts. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { until } from '@services/testing'
import { type Part, Readiness } from '../../src/index.ts'

interface Given extends Partial<Part> {
  readonly serves?: () => boolean
}

function start(t: TestContext, ...given: Given[]): Readiness {
  const parts = given.map((part, i) => {
    const usual = { name: `p${i}`, kind: 'datasource', optional: false, everyMs: 20, timeoutMs: 50 }
    return { ...usual, ask: () => Promise.resolve(), ...part }
  })
  const readiness = new Readiness(parts, given[0]?.serves ?? (() => true))
  t.after(() => readiness.close())
  return readiness
}

const down = (): Promise<never> => Promise.reject(new Error('no'))

function stateOf(readiness: Readiness): string[] {
  const { status, parts } = readiness.read()
  return [status, ...parts.map(({ state }) => state)]
}

function untilStateIs(readiness: Readiness, ...wanted: string[]): Promise<void> {
  return until(() => stateOf(readiness).join() === wanted.join(), wanted.join())
}

test('without an answer a part is unknown, and the service is not ready [O1.2]', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const readiness = start(t, { ask: () => promise, timeoutMs: 60_000 })
  await sleep(30)
  deepStrictEqual(stateOf(readiness), ['not_ready', 'unknown'])
  resolve()
  await untilStateIs(readiness, 'ready', 'up')
})

test('an optional part that is down leaves it ready, another one does not [O1.2]', async (t) => {
  await untilStateIs(start(t, { ask: down, optional: true }, {}), 'ready', 'down', 'up')
  await untilStateIs(start(t, { ask: down }, {}), 'not_ready', 'down', 'up')
})

test('without parts it is ready as soon as it serves [O1.2]', () => {
  let serves = false
  const readiness = new Readiness([], () => serves)
  strictEqual(readiness.read().status, 'not_ready')
  serves = true
  deepStrictEqual(readiness.read(), { status: 'ready', parts: [] })
})

test('`since` changes with the state only [O1.2]', async (t) => {
  let isUp = true
  const readiness = start(t, { ask: () => (isUp ? Promise.resolve() : down()) })
  await untilStateIs(readiness, 'ready', 'up')
  const [first] = readiness.read().parts
  match(first?.since ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  await sleep(100)
  strictEqual(readiness.read().parts[0]?.since, first?.since)
  isUp = false
  await untilStateIs(readiness, 'not_ready', 'down')
  ok((readiness.read().parts[0]?.since ?? '') > (first?.since ?? ''))
})

test('what answers too late is down, and is not asked again before it has given up [O1.2]', async (t) => {
  let asked = 0
  let isAborted = false
  const { promise, resolve } = Promise.withResolvers<void>()
  const ask = (signal: AbortSignal): Promise<void> => {
    asked++
    signal.addEventListener('abort', () => (isAborted = true))
    return promise
  }
  const readiness = start(t, { ask })
  await untilStateIs(readiness, 'not_ready', 'down')
  ok(isAborted)
  await sleep(100)
  strictEqual(asked, 1)
  resolve()
  await until(() => asked > 1, 'the next question')
})

test('a success of the last second saves the question [O1.2]', async (t) => {
  let asked = 0
  const ask = (): Promise<never> => {
    asked++
    return down()
  }
  let success = performance.now()
  const readiness = start(t, { ask, lastSuccess: () => success })
  await untilStateIs(readiness, 'ready', 'up')
  strictEqual(asked, 0)
  success = -Infinity
  await untilStateIs(readiness, 'not_ready', 'down')
  ok(asked > 0)
})

test('where a bad answer is doubted the next one counts, and one alone changes nothing [O1.2]', async (t) => {
  const asked: PromiseWithResolvers<void>[] = []
  const ask = (): Promise<void> => {
    const question = Promise.withResolvers<void>()
    asked.push(question)
    return question.promise
  }
  const readiness = start(t, { ask, doubtMs: 20, timeoutMs: 60_000 })
  let count = 0
  /** Settles with the next question, before which the answer to the last one has been heard. */
  const next = async (): Promise<PromiseWithResolvers<void>> => {
    await until(() => asked.length > count, 'a question')
    return asked[count++] as PromiseWithResolvers<void>
  }
  const answers = async (...isGood: boolean[]): Promise<void> => {
    for (const each of isGood) {
      const question = await next()
      if (each) question.resolve()
      else question.reject(new Error('no'))
    }
    await until(() => asked.length > count, 'that the answers have been heard')
  }
  await answers(false)
  deepStrictEqual(stateOf(readiness), ['not_ready', 'unknown'])
  await answers(true)
  const [first] = readiness.read().parts
  await answers(false, true, true, false)
  deepStrictEqual([stateOf(readiness), readiness.read().parts[0]?.since], [['ready', 'up'], first?.since])
  await answers(false)
  deepStrictEqual(stateOf(readiness), ['not_ready', 'down'])
  await answers(false, true)
  deepStrictEqual(stateOf(readiness), ['ready', 'up'])
  // One that nobody answers would keep this process until its time is over.
  for (const question of asked) question.resolve()
})

test('the end takes the place of everything else [O1.2]', async (t) => {
  const readiness = start(t, {})
  await untilStateIs(readiness, 'ready', 'up')
  readiness.end()
  deepStrictEqual(stateOf(readiness), ['ending', 'up'])
})

function partOf(name: string, ask: Part['ask'] = () => Promise.resolve()): Part {
  return { name, kind: 'datasource', optional: false, everyMs: 20, timeoutMs: 60_000, ask }
}

test('other parts are reported once each has been asked; one that stays is not asked anew [O3.1]', async (t) => {
  const stays = partOf('stays')
  const readiness = new Readiness([stays, partOf('goes')], () => true)
  t.after(() => readiness.close())
  await untilStateIs(readiness, 'ready', 'up', 'up')
  const [before] = readiness.read().parts
  const { promise, resolve } = Promise.withResolvers<void>()
  const replaced = readiness.replace([stays, partOf('comes', () => promise)])
  await sleep(30)
  deepStrictEqual(
    readiness.read().parts.map(({ name }) => name),
    ['stays', 'goes'],
  )
  resolve()
  await replaced
  const { status, parts } = readiness.read()
  deepStrictEqual([status, ...parts.map(({ name, state }) => `${name} ${state}`)], ['ready', 'stays up', 'comes up'])
  strictEqual(parts[0]?.since, before?.since)
})

test('of several sets of parts the last one counts [O3.1]', async (t) => {
  const readiness = new Readiness([partOf('a')], () => true)
  t.after(() => readiness.close())
  const never = Promise.withResolvers<void>()
  let asked = 0
  const lost = readiness.replace([partOf('b', () => (asked++, never.promise))])
  await until(() => asked === 1, 'a question')
  await readiness.replace([partOf('c', down)])
  await lost
  deepStrictEqual(
    readiness.read().parts.map(({ name, state }) => `${name} ${state}`),
    ['c down'],
  )
  strictEqual(readiness.read().status, 'not_ready')
  never.resolve()
})
