/**
 * Work on the data of one caller: it is bounded before anything is made of it, and done in steps. Counted are steps and
 * bytes, never time.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CallerGone } from '../../../src/errors.ts'
import { StepQueue } from '../../../src/serve/lanes/in-steps.ts'
import { toReader } from '../../../src/serve/lanes/request-reader.ts'
import { type Incoming, readIncoming, render } from '../../../src/serve/lanes/soap-attachments.ts'
import { countValues, maxRequestValues } from '../../../src/soap/check/amount.ts'
import { toRequestCheckInSteps } from '../../../src/soap/check/check.ts'
import { CompiledContracts } from '../../../src/soap/check/compiled-contracts.ts'
import { choiceProblems } from '../../../src/soap/check/choices.ts'
import type { ContractNode } from '../../../src/soap/check/contract.ts'
import { AttachmentList } from '../../../src/soap/request/attachments.ts'
import { readFormInSteps } from '../../../src/soap/request/form.ts'
import { parseTemplate } from '../../../src/soap/request/template.ts'
import { finish, type Steps } from '../../../src/steps.ts'
import { Budget } from '../../../src/upstream/budget.ts'
import { Room } from '../../../src/upstream/room.ts'
import { startLanes } from '../../support/lanes.ts'

const generated = { uuid: 'u', user_id: '', issue: '' } as unknown as Parameters<typeof render>[2]

function run<Result>(steps: Steps<Result>): { readonly pauses: number; readonly result: Result } {
  let pauses = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) pauses++
  return { pauses, result: step.value }
}

const count = (text: string): number => finish(countValues(Buffer.from(text)))

describe('the number of values', () => {
  test('is that of JSON, whatever stands in texts [G5]', () => {
    const counts: Readonly<Record<string, number>> = {
      '{}': 1,
      ' [ ] ': 1,
      '{"a":1}': 2,
      '{"a":[],"b":[{}]}': 4,
      '{"a":"[1,2,{","b\\"]":[1 , 2,"\\\\"]}': 6,
    }
    for (const [text, expected] of Object.entries(counts)) strictEqual(count(text), expected, text)
  })

  test('is bounded before the body is parsed, and the refusal names the limit and the param [G5]', () => {
    const list = (length: number): string => `{"x":{"y":1},"rows":[${'1,'.repeat(length - 5)}1]}`
    strictEqual(count(list(maxRequestValues)), maxRequestValues)
    throws(() => count(list(maxRequestValues + 1)), {
      code: 'request_too_large',
      message: /100000 values \(max_request_values\), which the param rows exceeds/,
    })
    const { pauses } = run(countValues(Buffer.from(`{"a":"${'x'.repeat(5 * 1024 * 1024)}","b":"${'y'.repeat(9)}"}`)))
    ok(pauses >= 1)
  })

  test('counts for all JSON of a form together [G5]', () => {
    const part = (name: string): string =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n[${'1,'.repeat(60_000)}1]\r\n`
    const read = (body: string) =>
      finish(
        readFormInSteps(Buffer.from(body), 'multipart/form-data; boundary=b', { params: ['p', 'q'], attached: [] }),
      )
    ok(read(`${part('p')}--b--`))
    throws(() => read(`${part('p')}${part('q')}--b--`), { code: 'request_too_large', message: /the param q exceeds/ })
  })
})

describe('a template', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ n: index, text: 'x'.repeat(100) }))

  test('is rendered in steps with the same result, whatever it repeats [G5]', () => {
    const sources = [
      '{{#each a}}<i n="{{@index}}">{{n}}{{text}}{{text}}</i>{{/each}}',
      '{{#each_value a}}<i>{{n}}{{text}}{{text}}</i>\n{{/each_value}}<e/>',
      '{{#a}}{{#with this}}{{n}}{{text}}{{text}}{{/with}}{{/a}}',
      '{{#each b}}{{#each @root.a}}{{n}}{{text}}{{/each}}{{/each}}',
    ]
    for (const source of sources) {
      const { template } = parseTemplate(source)
      const grown: number[] = []
      const onGrowth = (characters: number): undefined => void grown.push(characters)
      const values = { a: rows, b: [1, 2] }
      const { pauses, result } = run(template.renderInSteps(values, generated, { onGrowth }))
      ok(pauses >= 2, source)
      deepStrictEqual(
        grown,
        grown.toSorted((a, b) => a - b),
      )
      ok(
        grown.every((made, index) => made - (grown[index - 1] ?? 0) <= 2_100_000),
        `${source}: ${grown.join()}`,
      )
      const parts = [0, 5_000, 10_000, 15_000].map((from) =>
        parseTemplate(source).template.render({ a: rows.slice(from, from + 5_000), b: [1] }, generated),
      )
      if (!source.includes('@') && !source.includes('<e/>')) strictEqual(result, parts.join(''))
      strictEqual(result.split('19999xxx').length - 1, source.includes('@root') ? 2 : 1)
    }
  })

  test('that makes nothing of many items pauses as well [G5]', () => {
    const { template } = parseTemplate(`{{#each a}}${'{{#if_present z}}{{z}}{{/if_present}}'.repeat(20)}{{/each}}`)
    const { pauses, result } = run(template.renderInSteps({ a: rows }, generated))
    strictEqual(result, '')
    ok(pauses >= 5, String(pauses))
  })

  test('attaches each file once, however often it pauses [G5]', () => {
    const { template } = parseTemplate('{{swa_ref f}}{{#each a}}{{swa_ref this}},{{/each}}')
    const attachments = new AttachmentList('u')
    const file = 'QUJD'.repeat(100_000)
    const values = { f: 'QUJD', a: Array.from({ length: 20 }, () => file) }
    const { pauses, result } = run(template.renderInSteps(values, generated, { attachments }))
    ok(pauses >= 2)
    strictEqual(attachments.all.length, 21)
    deepStrictEqual(
      result.match(/cid:\d+/g),
      attachments.all.map((_, index) => `cid:${index + 1}`),
    )
  })
})

describe('a check', () => {
  const nodes = Array.from({ length: 20 }, (_, index): ContractNode => ({ kind: 'text', name: `n${index}`, type: 0 }))
  const scopes = [[{ kind: 'list', name: 'a', scope: 1 } as const], nodes]
  const contracts = new CompiledContracts({ types: [{ base: 'int' }], scopes })
  const check = toRequestCheckInSteps(contracts, 0, () => undefined)
  const items: Record<string, unknown>[] = Array.from({ length: 50_000 }, () => ({}))

  test('of a list pauses between its items and looks at each of them [G5]', () => {
    const { pauses, result } = run(check({ a: [...items, { n3: 'x' }] }))
    ok(pauses >= 9, String(pauses))
    deepStrictEqual(
      result.map(({ param }) => param),
      ['a[50000].n3'],
    )
    strictEqual(run(check({ a: items.slice(0, 100) })).pauses, 0)
  })

  test('of texts pauses often enough for types that take long [G5]', () => {
    const dates = new CompiledContracts({
      types: [{ base: 'dateTime' }],
      scopes: [[{ kind: 'list', name: 'a', type: 0 }]],
    })
    const times = Array.from({ length: 90_000 }, () => '2026-01-31T12:00:00Z')
    ok(run(toRequestCheckInSteps(dates, 0, () => undefined)({ a: times })).pauses >= 4)
  })

  test('of choices in a list pauses, and ends with its hundredth problem [G5]', () => {
    const branch = (param: string) => ({ params: [param], required: [param] })
    const choice = { branches: [branch('x'), branch('y')], isRequired: false, around: [], within: ['a'] }
    ok(run(choiceProblems({ a: items }, [choice])).pauses >= 4)
    const wrong = items.map(() => ({ x: 1, y: 1 }))
    const { pauses, result } = run(choiceProblems({ a: wrong }, [choice]))
    deepStrictEqual([pauses, result.length], [0, 100])
  })
})

test('one step of one request runs in each turn of the event loop [G5]', async () => {
  const queue = new StepQueue()
  const writer = { isOpen: true } as Incoming['writer']
  let turn = 0
  const turns: number[] = []
  const count = (): void => void (turn++, (next = setImmediate(count)))
  let next = setImmediate(count)
  function* work(): Steps<void> {
    for (let index = 0; index < 5; index++) {
      yield
      turns.push(turn)
    }
  }
  await Promise.all([queue.run(work(), writer), queue.run(work(), writer), queue.run(work(), writer)])
  clearImmediate(next)
  deepStrictEqual([turns.length, new Set(turns).size], [15, 15])
})

test('work hears that its caller has left, or that what it waits for will not come [G4] [G5]', async () => {
  const queue = new StepQueue()
  const heard: unknown[] = []
  function* work(waiting?: Promise<void>): Steps<void> {
    try {
      yield waiting
    } catch (error) {
      heard.push(error)
      throw error
    } finally {
      heard.push('settled')
    }
  }
  const problem = new Error('no room')
  await rejects(queue.run(work(), { isOpen: false } as Incoming['writer']), CallerGone)
  await rejects(queue.run(work(Promise.reject(problem)), { isOpen: true } as Incoming['writer']), problem)
  strictEqual(heard[0] instanceof CallerGone, true)
  deepStrictEqual(heard.slice(1), ['settled', problem, 'settled'])
})

test('24 large requests at once stay within max_inflight_bytes [G5]', async () => {
  const budget = new Budget(64 * 1024 * 1024)
  const body = Buffer.from(JSON.stringify({ a: Array.from({ length: 90_000 }, (_, index) => index) }))
  const { template } = parseTemplate('{{#each a}}<item>{{this}}</item>{{/each}}')
  const endpoint = { envelope: template, params: ['a'] } as unknown as Incoming['endpoint']
  let most = 0
  const queue = new StepQueue()
  const calls = Array.from({ length: 24 }, async () => {
    const room = new Room(budget, 60)
    const writer = {
      get isOpen() {
        most = Math.max(most, budget.used)
        return true
      },
    } as unknown as Incoming['writer']
    const request = { headers: [] } as unknown as Incoming['request']
    const incoming: Incoming = { endpoint, request, body, writer, trace: {} as Incoming['trace'], room }
    const reader = toReader(['a'], undefined, {} as Parameters<typeof toReader>[2])
    function* toEnvelope(): Steps<Buffer> {
      return yield* render(incoming, yield* readIncoming(reader, incoming), generated)
    }
    const envelope = await queue.run(toEnvelope(), writer)
    room.close()
    return envelope.length
  })
  const lengths = new Set(await Promise.all(calls))
  strictEqual(lengths.size, 1)
  ok(most > 20 * 1024 * 1024 && most <= budget.maxBytes, String(most))
  strictEqual(budget.used, 0)
})

test('a body of too many values is 413 and lists of 10 000 items go out [G5]', async (context) => {
  const envelope = '<v>{{#each rows}}<i>{{a}}{{b}}{{c}}</i>{{/each}}</v>'
  const lanes = await startLanes({
    dsl: Object.fromEntries(
      ['off', 'warn', 'refuse'].map((mode) => [
        `t/${mode}.yml`,
        JSON.stringify({ method: 'POST', params: ['rows'], validate_requests: mode, envelope }),
      ]),
    ),
  })
  context.after(() => lanes.close())
  const send = (mode: string, rows: unknown) =>
    lanes.call(`/t/${mode}`, { method: 'POST', body: JSON.stringify({ rows }) })
  for (const mode of ['off', 'warn', 'refuse']) {
    const { status, text } = await send(
      mode,
      Array.from({ length: 490_000 }, () => 1),
    )
    strictEqual(status, 413)
    match(text, /max_request_values.*the param rows/)
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ a: `a${index}`, b: index, c: true }))
    ok((await send(mode, rows)).status !== 413)
  }
})

test('a text with quotes and backslashes counts as one value [B8] [G5]', () => {
  for (const text of ['', '"', '\\', '\\"', '"\\', '\\\\"", [1, 2', ', "a": [1']) {
    strictEqual(finish(countValues(Buffer.from(JSON.stringify([text, 1])))), 3, text)
  }
})
