/**
 * The HTTP shell under this service, over real sockets: pipelines that it refuses in its own words, random ones,
 * callers that send thousands of requests at once.
 */
import { ok, strictEqual } from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type Subject, testPipelines } from '@services/http-shell/testing'
import { call, until } from '@services/testing'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { restFile, type SoapService, startSoapService } from '../../support/soap-service.ts'

let soap: SoapService
let lanes: Lanes
/** The same, but Node.js reads all requests. */
let byNode: Lanes

function toSubject({ port }: Lanes): Subject {
  const line = 'HTTP/1.1\r\nHost: x\r\n'
  return {
    port,
    quick: `GET /health ${line}\r\n`,
    slow: `GET /g/get ${line}\r\n`,
    post: `POST /g/echo ${line}Content-Length: 9\r\n\r\n{"x":"y"}`,
    postPath: '/g/echo',
    status: { unknownMethod: 404, tunnel: 404, headTooLarge: 431 },
  }
}

before(async () => {
  soap = await startSoapService()
  const dsl = { 'g/echo.yml': soap.echo, 'g/get.yml': restFile('GET', 'anything') }
  lanes = await startLanes({ dsl })
  byNode = await startLanes({ dsl, config: { server: { fast_reader: false } } })
})

after(async () => {
  await lanes.close()
  await byNode.close()
  await soap.close()
})

testPipelines({
  rules: '[X12 X16 S-config.server.fast_reader]',
  subject: () => toSubject(lanes),
  randomCount: 10,
  isWiring: true,
})
testPipelines({
  rules: '[X12 X16 S-config.server.fast_reader], read by Node.js',
  subject: () => toSubject(byNode),
  randomCount: 10,
  isWiring: true,
})

test('one connection with 6000 requests leaves the places to others [X8]', { timeout: 600_000 }, async () => {
  const count = 6000
  const socket = connect({ port: lanes.port, host: '127.0.0.1' })
  let answered = 0
  const done = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      answered += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
      if (answered >= count * 0.99) resolve()
    })
    socket.on('error', reject)
  })
  socket.write(toSubject(lanes).slow.repeat(count))
  for (let i = 0; i < 5; i++) strictEqual((await call(lanes.port, '/g/get')).status, 200)
  ok(answered < count, 'others were answered before the long pipeline')
  await done
  socket.destroy()
})

test('callers that do not read an answer which was collected for them are cut off, and told of in the log [X5 O2.1]', async () => {
  const own = await startLanes({
    dsl: { 'g/echo.yml': soap.echo },
    config: { limits: { max_request_bytes: 16_777_216 }, trace: { enabled: true } },
  })
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  // More than the kernel keeps for both sides of a connection.
  const body = JSON.stringify({ x: 'y'.repeat(14_000_000) })
  const sockets = Array.from({ length: 3 }, () => {
    const socket = connect({ port: own.port, host: '127.0.0.1' }).on('error', () => undefined)
    socket.pause()
    socket.write(
      `POST /g/echo HTTP/1.1\r\nHost: x\r\nTraceparent: ${traceparent}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return socket
  })
  const cutOff = (): number => own.log.filter(({ event }) => event === 'answerBrokenOff').length
  await until(() => cutOff() === sockets.length, 'a line for each of them')
  for (const line of own.log) if (line['event'] === 'answerBrokenOff') strictEqual(line['traceparent'], traceparent)
  for (const socket of sockets) socket.resume()
  await until(() => sockets.every(({ closed }) => closed), 'their connections to be reset')
  strictEqual((await call(own.port, '/g/echo', { body: { x: 'y' } })).status, 200)
  await own.close()
})
