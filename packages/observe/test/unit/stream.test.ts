/**
 * The stream of events with several subscribers: a log as services have it, and metrics that count what it does not
 * say.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { debug, error, EventStream, type FieldsOf, info, openLog, readLevels, type Subscriber } from '@services/observe'

const table = {
  listening: info<{ address: string }>('Listening'),
  request: info<{ endpoint: string; status: number; ms: number }>('Request'),
  statement: debug<{ sql: string }>('Statement', { target: 'database' }),
  connection: debug<{ state: 'open' | 'closed' }>('Connection'),
  startupFailure: error<{ message: string }>('Cannot start', { always: true }),
}
type Fields = FieldsOf<typeof table>

function logInto(lines: string[], level: string): Subscriber<Fields> {
  return openLog(table, {
    levels: readLevels(level, (target) => target),
    format: 'text',
    style: { target: 'example', quoted: /\s/, maxFieldLength: 100 },
    destination: { write: (line) => void lines.push(line.replace(/^\S+ +/, '')) },
  })
}

/** What a metrics page needs: counts by label, and a gauge. Two handlers, because an event is a name and its fields. */
class Metrics implements Subscriber<Fields> {
  readonly requests = new Map<string, number>()
  connections = 0
  readonly #handlers: { readonly [Name in keyof Fields]?: (fields: Fields[Name]) => void } = {
    request: ({ endpoint, status }) => {
      const labels = `${endpoint} ${status}`
      this.requests.set(labels, (this.requests.get(labels) ?? 0) + 1)
    },
    connection: ({ state }) => (this.connections += state === 'open' ? 1 : -1),
  }

  hears(event: keyof Fields): boolean {
    return Object.hasOwn(this.#handlers, event)
  }

  hear<Name extends keyof Fields>(event: Name, fields: Fields[Name]): void {
    this.#handlers[event]?.(fields)
  }
}

test('log and metrics hear the same events, each those that it wants', () => {
  const events = new EventStream<Fields>(table)
  const lines: string[] = []
  const metrics = new Metrics()
  events.subscribe(logInto(lines, 'info'))
  events.subscribe(metrics)
  events.emit('listening', { address: '[::]:80' })
  events.emit('connection', { state: 'open' })
  events.emit('connection', { state: 'open' })
  events.emit('request', { endpoint: 'a', status: 200, ms: 1 })
  events.emit('request', { endpoint: 'a', status: 200, ms: 2 })
  events.emit('request', { endpoint: 'b', status: 400, ms: 3 })
  events.emit('connection', { state: 'closed' })
  events.emit('statement', { sql: 'SELECT 1' })
  deepStrictEqual(lines, [
    'INFO example: Listening address=[::]:80\n',
    'INFO example: Request endpoint=a status=200 ms=1\n',
    'INFO example: Request endpoint=a status=200 ms=2\n',
    'INFO example: Request endpoint=b status=400 ms=3\n',
  ])
  deepStrictEqual(
    [...metrics.requests],
    [
      ['a 200', 2],
      ['b 400', 1],
    ],
  )
  strictEqual(metrics.connections, 1)
})

test('an event is enabled as long as anybody hears it', () => {
  const events = new EventStream<Fields>(table)
  const enabled = (): string =>
    Object.keys(table)
      .filter((name) => events.isEnabled(name as keyof Fields))
      .join(' ')
  strictEqual(enabled(), '')
  const closeLog = events.subscribe(logInto([], 'error,database=debug'))
  strictEqual(enabled(), 'statement startupFailure')
  const closeMetrics = events.subscribe(new Metrics())
  strictEqual(enabled(), 'request statement connection startupFailure')
  closeLog()
  strictEqual(enabled(), 'request connection')
  closeMetrics()
  strictEqual(enabled(), '')
  events.emit('request', { endpoint: 'a', status: 200, ms: 1 })
})

test('a subscriber may be replaced while an event is told, and nobody hears it twice', () => {
  const events = new EventStream<Fields>(table)
  const lines: string[] = []
  const close = events.subscribe({
    hears: (event) => event === 'listening',
    hear() {
      close()
      events.subscribe(logInto(lines, 'info'))
    },
  })
  events.emit('listening', { address: 'a' })
  deepStrictEqual(lines, [])
  events.emit('listening', { address: 'b' })
  deepStrictEqual(lines, ['INFO example: Listening address=b\n'])
})

test('what was heard is out once all subscribers are drained', async () => {
  const events = new EventStream<Fields>(table)
  const drained: string[] = []
  const subscriber = (name: string, ms: number): Subscriber<Fields> => ({
    hears: () => true,
    hear: () => undefined,
    async drained(withinMs) {
      await pause(ms)
      drained.push(`${name} ${withinMs}`)
    },
  })
  events.subscribe(subscriber('slow', 20))
  events.subscribe(subscriber('quick', 1))
  events.subscribe(new Metrics())
  await events.drained(5000)
  deepStrictEqual(drained, ['quick 5000', 'slow 5000'])
})
