/**
 * The place of a request in a trace, from its caller through both lanes and into every line of the log, over real
 * sockets.
 */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '@services/testing'
import { exchange, head, type RawAnswer, rest } from '../../support/exchange.ts'
import { type Lanes, type LogLine, startLanes } from '../../support/lanes.ts'
import {
  answering,
  ok as answer,
  type RawRequest,
  type RawUpstream,
  startRaw,
} from '../../support/upstreams/raw-upstream.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const sent = `00-${traceId}-00f067aa0ba902b7-01`
const made = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><ok>1</ok></e:Body></e:Envelope>'
const fault = envelope.replace(
  '<ok>1</ok>',
  '<e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring></e:Fault>',
)
const soap = 'method: POST\nparams: [code]\nenvelope: <q>{{code}}</q>\n'
const dsl = {
  'g/rest.yml': rest('POST'),
  'g/without.yml': rest('POST', {}, { headers: { remove: ['traceparent', 'tracestate'] } }),
  'g/own.yml': rest('POST', {}, { headers: { set: { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-00` } } }),
  'g/soap.yml': soap,
  'g/warned.yml': `${soap.replace('[code]', '{code: {type: integer}}')}validate_requests: warn\n`,
}
const lanesOfCalls = ['rest', 'soap'] as const

let upstream: RawUpstream
let tracing: Lanes
let plain: Lanes

before(async () => {
  upstream = await startRaw(answering(answer(envelope, 'Content-Type: text/xml\r\n')))
  const config = { security_server: { url: upstream.url } }
  tracing = await startLanes({ dsl, config: { ...config, trace: { enabled: true } } })
  plain = await startLanes({ dsl, config })
})

after(async () => {
  await Promise.all([tracing.close(), plain.close()])
  await upstream.close()
})

function post(lanes: Lanes, path: string, headers = '', body = '{}'): Promise<RawAnswer> {
  return exchange(lanes.port, `${head('POST', path, `Content-Length: ${body.length}\r\n${headers}`)}${body}`)
}

/** Sends one request under an id of its own; gives the call that it led to, and the lines of the log about it. */
async function follow(lanes: Lanes, path: string, headers = ''): Promise<{ call: RawRequest; lines: LogLine[] }> {
  const id = `message-${follow.count++}`
  const before = upstream.requests.length
  await post(lanes, path, `X-Road-Id: ${id}\r\n${headers}`)
  await until(() => lanes.log.some((line) => line['event'] === 'request' && line['id'] === id), 'the line of the log')
  const call = upstream.requests[before] as RawRequest
  return { call, lines: lanes.log.filter((line) => line['id'] === id) }
}
follow.count = 0

for (const lane of lanesOfCalls) {
  describe(`on the ${lane} lane`, () => {
    const path = `/g/${lane}`

    test('what the caller sends is given on, once, and stands in the line of the log [O2.1]', async () => {
      const { call, lines } = await follow(
        tracing,
        path,
        `TraceParent: ${sent}\r\nTraceState: a=1\r\ntracestate: b=2\r\n`,
      )
      deepStrictEqual(call.all('traceparent'), [sent])
      deepStrictEqual(call.all('tracestate'), ['a=1,b=2'])
      deepStrictEqual(
        lines.map((line) => line['traceparent']),
        [sent],
      )
    })

    test('it is made where the caller sends none [O2.1]', async () => {
      const { call, lines } = await follow(tracing, path, 'tracestate: a=1\r\n')
      const [traceparent = '', ...others] = call.all('traceparent')
      match(traceparent, made)
      deepStrictEqual(others, [])
      deepStrictEqual(call.all('tracestate'), [], 'a state without a parent')
      strictEqual(lines[0]?.['traceparent'], traceparent)
      const next = await follow(tracing, path)
      notStrictEqual(next.call.all('traceparent')[0], traceparent)
    })

    test('an invalid one is replaced, and its state goes with it [O2.1]', async () => {
      for (const invalid of [
        `traceparent: ${sent.replace('00-', 'ff-')}\r\n`,
        `traceparent: ${sent.toUpperCase()}\r\n`,
        `traceparent: 00-${'0'.repeat(32)}-00f067aa0ba902b7-01\r\n`,
        `traceparent: ${sent}\r\ntraceparent: ${sent}\r\n`,
        `traceparent: ${sent}-more\r\n`,
        `traceparent:\r\n`,
      ]) {
        const { call } = await follow(tracing, path, `${invalid}tracestate: a=1\r\n`)
        strictEqual(call.all('traceparent').length, 1, invalid)
        match(call.all('traceparent')[0] as string, made)
        ok(!call.head.includes(traceId), invalid)
        deepStrictEqual(call.all('tracestate'), [])
      }
    })

    test('one of a later version becomes one of this version [O2.1]', async () => {
      const { call } = await follow(tracing, path, `traceparent: ${sent.replace('00-', 'cc-')}-more\r\n`)
      deepStrictEqual(call.all('traceparent'), [sent])
    })

    test('a wrong state is left out, and the parent stays [O2.1]', async () => {
      const { call } = await follow(tracing, path, `traceparent: ${sent}\r\ntracestate: WRONG\r\n`)
      deepStrictEqual([call.all('traceparent'), call.all('tracestate')], [[sent], []])
    })
  })
}

test('without tracing the REST lane passes the headers as they are, the SOAP lane none, the log has no word [O2.1]', async () => {
  const odd = 'Traceparent: odd\r\ntraceparent: odder\r\nTraceState: X\r\n'
  const { call, lines } = await follow(plain, '/g/rest', odd)
  ok(call.head.includes(odd.trimEnd()), call.head)
  strictEqual('traceparent' in (lines[0] as object), false)
  const other = await follow(plain, '/g/soap', `traceparent: ${sent}\r\n`)
  deepStrictEqual(other.call.all('traceparent'), [])
})

test('what a file removes or sets wins [O2.1]', async () => {
  const removed = await follow(tracing, '/g/without', `traceparent: ${sent}\r\ntracestate: a=1\r\n`)
  deepStrictEqual([removed.call.all('traceparent'), removed.call.all('tracestate')], [[], []])
  strictEqual(removed.lines[0]?.['traceparent'], sent)
  const own = await follow(tracing, '/g/own', `traceparent: ${sent}\r\n`)
  deepStrictEqual(own.call.all('traceparent'), [`00-${'1'.repeat(32)}-${'2'.repeat(16)}-00`])
})

describe('every line of a request has it', () => {
  async function linesOf(lanes: Lanes, path: string, body = '{}'): Promise<readonly LogLine[]> {
    const before = lanes.log.length
    await post(lanes, path, `traceparent: ${sent}\r\n`, body)
    await until(() => lanes.log.slice(before).some(({ event }) => event === 'request'), 'the line of the log')
    return lanes.log.slice(before)
  }

  function areOf(lines: readonly LogLine[], events: readonly string[]): void {
    deepStrictEqual(
      lines.map(({ event, traceparent }) => [event, traceparent]),
      events.map((event) => [event, sent]),
    )
  }

  test('one that does not fit [O2.1]', async () => {
    areOf(await linesOf(tracing, '/g/warned', '{"code":"x"}'), ['requestInvalid', 'request'])
  })

  test('a request that reaches nothing has it too [O2.1]', async () => {
    areOf(await linesOf(tracing, '/g/nothing'), ['request'])
    areOf(await linesOf(tracing, '/health'), ['request'])
  })

  test('a fault, an answer that is no XML, a server that is gone [O2.1]', async () => {
    const own = await startRaw(answering(answer(fault, 'Content-Type: text/xml\r\n')))
    const lanes = await startLanes({ dsl, config: { security_server: { url: own.url }, trace: { enabled: true } } })
    try {
      areOf(await linesOf(lanes, '/g/soap'), ['soapFault', 'request'])
      own.serve = answering(answer('no xml', 'Content-Type: text/xml\r\n'))
      areOf(await linesOf(lanes, '/g/soap'), ['callFailed', 'request'])
      await own.close()
      areOf(await linesOf(lanes, '/g/soap'), ['callFailed', 'request'])
      areOf(await linesOf(lanes, '/g/rest'), ['callFailed', 'request'])
    } finally {
      await lanes.close()
    }
  })
})
