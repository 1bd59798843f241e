/** Which requests the log of requests tells of, by its settings, and that other settings take their place at once. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { EventStream, type FieldsOf, info, type RequestLevel, RequestLog, unlogged } from '@services/observe'

const table = { answered: unlogged<{ status: number; ms: number }>(), request: info<{ status: number }>('Request') }

function open() {
  const events = new EventStream<FieldsOf<typeof table>>(table)
  const told: number[] = []
  const log = new RequestLog(events, 'answered', {
    isError: ({ status }) => status >= 400,
    ms: ({ ms }) => ms,
    tell: ({ status }) => void told.push(status),
  })
  const answer = (): void => {
    events.emit('answered', { status: 200, ms: 99 })
    events.emit('answered', { status: 201, ms: 100 })
    events.emit('answered', { status: 404, ms: 1 })
  }
  return { events, log, told, answer }
}

const levels: Readonly<Record<RequestLevel, readonly number[]>> = {
  off: [],
  errors: [404],
  slow: [201, 404],
  all: [200, 201, 404],
}

for (const [requests, expected] of Object.entries(levels) as [RequestLevel, readonly number[]][]) {
  test(`${requests} tells of those before it too [O2.3]`, () => {
    const { log, told, answer } = open()
    log.use({ requests, slowMs: 100 })
    answer()
    deepStrictEqual(told, expected)
  })
}

test('other settings count from the next request on, and off costs no listener [O2.3]', () => {
  const { events, log, told, answer } = open()
  strictEqual(events.isEnabled('answered'), false)
  for (const requests of ['all', 'off', 'errors'] as const) {
    log.use({ requests, slowMs: 100 })
    strictEqual(events.isEnabled('answered'), requests !== 'off')
    answer()
  }
  deepStrictEqual(told, [...levels.all, ...levels.errors])
  log.close()
  answer()
  deepStrictEqual(told, [...levels.all, ...levels.errors])
})
