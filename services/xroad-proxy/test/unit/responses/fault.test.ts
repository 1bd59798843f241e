/** What a caller hears of a SOAP fault, shortened and in full. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, toReply } from '../../../src/errors.ts'
import type { Fault } from '../../../src/model.ts'
import { toFailure } from '../../../src/soap/message/fault.ts'

const source = 'provider'
const marker = '… (truncated)'
const fault: Fault = { code: 'Server.Q', string: 'nothing found', detail: '{"a":9007199254740993}' }

function shorten(text: string): string {
  return String(toFailure({ ...fault, string: text }, { expose: false, source }).extras['string'])
}

test('by default: a fixed message, code, string and source, no detail [S-fault.1 D3.7]', () => {
  const failure = toFailure(fault, { expose: false, source })
  ok(failure instanceof Failure)
  deepStrictEqual(toReply(failure), {
    status: 502,
    body: '{"error":"upstream_soap_fault","message":"upstream returned SOAP Fault (Server.Q)","code":"Server.Q","string":"nothing found","source":"provider"}',
  })
})

test('exposed: the string in the message too, the detail with all its digits [S-fault.2]', () => {
  deepStrictEqual(toReply(toFailure(fault, { expose: true, source: 'security_server' })), {
    status: 502,
    body: '{"error":"upstream_soap_fault","message":"upstream returned SOAP Fault (Server.Q): nothing found","code":"Server.Q","string":"nothing found","source":"security_server","detail":{"a":9007199254740993}}',
  })
  const bare = toFailure({ code: 'c', string: '', detail: undefined }, { expose: true, source })
  strictEqual(bare.message, 'upstream returned SOAP Fault (c)')
  strictEqual(bare.detail, undefined)
})

test('200 characters pass, one more is cut to 200 and marked [S-limit.fault-string D3.7]', () => {
  strictEqual(shorten('x'.repeat(200)), 'x'.repeat(200))
  strictEqual(shorten('x'.repeat(201)), 'x'.repeat(200) + marker)
  strictEqual(shorten('x'.repeat(1_000_000)), 'x'.repeat(200) + marker)
})

test('characters count, not halves of surrogate pairs [D3.7]', () => {
  strictEqual(shorten('😀'.repeat(200)), '😀'.repeat(200))
  strictEqual(shorten('😀'.repeat(201)), '😀'.repeat(200) + marker)
  strictEqual(shorten(`x${'😀'.repeat(200)}`), `x${'😀'.repeat(199)}${marker}`)
  ok(shorten('😀'.repeat(500)).isWellFormed())
})

test('exposed, 65 536 characters of the string pass, one more is cut to them and marked [X7]', () => {
  const expose = (string: string): unknown => toFailure({ ...fault, string }, { expose: true, source }).extras['string']
  strictEqual(expose('x'.repeat(65_536)), 'x'.repeat(65_536))
  strictEqual(expose('x'.repeat(65_537)), 'x'.repeat(65_536) + marker)
  strictEqual(expose('😀'.repeat(65_537)), '😀'.repeat(65_536) + marker)
})

test('a fault of nothing but control characters, exposed, holds nobody up [X7]', () => {
  const string = '\u0085'.repeat(12 * 1024 * 1024)
  let leastMs = Infinity
  // The shortest of some runs, in work of this thread: others use this machine as well.
  for (let run = 0; run < 5 && leastMs > 50; run += 1) {
    const since = process.threadCpuUsage()
    toReply(toFailure({ ...fault, string }, { expose: true, source }))
    const { user, system } = process.threadCpuUsage(since)
    leastMs = Math.min(leastMs, (user + system) / 1000)
  }
  ok(leastMs <= 50, `${leastMs} ms`)
})

test('exposed, the string is whole in both places [S-fault.2]', () => {
  const { message, extras } = toFailure({ ...fault, string: 'x'.repeat(5000) }, { expose: true, source })
  strictEqual(extras['string'], 'x'.repeat(5000))
  strictEqual(message, `upstream returned SOAP Fault (Server.Q): ${'x'.repeat(5000)}`)
})

test('control characters of code and string become U+FFFD [D3.7]', () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((each) =>
    /\p{Cc}/u.test(each),
  )
  strictEqual(controls.length, 65)
  for (const expose of [false, true]) {
    const each = controls.join('')
    const { message, extras } = toFailure({ ...fault, code: `c${each}`, string: `s${each}` }, { expose, source })
    strictEqual(extras['code'], `c${'\ufffd'.repeat(65)}`)
    strictEqual(extras['string'], `s${'\ufffd'.repeat(65)}`)
    ok(!/\p{Cc}/u.test(message))
  }
  strictEqual(shorten('õ\u00a0\u2028"\\'), 'õ\u00a0\u2028"\\')
})

test('a code is cut like a string, exposed or not', () => {
  for (const expose of [false, true]) {
    const { message, extras } = toFailure({ ...fault, code: 'c'.repeat(1_000_000) }, { expose, source })
    strictEqual(extras['code'], 'c'.repeat(200) + marker)
    ok(message.length < 300)
  }
})
