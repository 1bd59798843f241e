/**
 * Stands in for the Security Server: mutual TLS, keep-alive, and answers that were made once. No HTTP server, because
 * on two cores one would be what is measured; it reads no more of a request than its end, its length and the person in
 * question. BENCH_PKI names the folder of the certificates.
 */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { largeAnswer, persons, savedAnswer, savedBody, smallAnswer, soapAnswer, toCode } from './answers.ts'

const folder = process.env['BENCH_PKI'] ?? ''
const headEnd = '\r\n\r\n'
const service = '/r1/ee-test/GOV/70000002/register'
const xroad = [
  'x-road-id: 9f7f2c0e-8a1c-4d24-9ec9-0b1fd6a7a001',
  'x-road-client: ee-test/GOV/70000001/bench',
  'x-road-service: ee-test/GOV/70000002/register/person',
  'x-road-request-id: 2a3d6a36-7a57-4d10-9f0a-0d2f9a4f5c11',
  'x-road-request-hash: E0OPq/1nCBU9HoE1CDUEt4J/aGVV4DGZcVX0tOq9VZVyvYS9mTnUTQ0PHVq3g4ZlZu2J7lGJ8tnnZ6dcRf4y9g==',
]

const small = new Map(persons.map((n) => [String(n), toAnswer(smallAnswer(n))]))
const saved = new Map(persons.map((n) => [savedBody(n), toAnswer(savedAnswer(n))]))
const large = toAnswer(largeAnswer())
const soap = new Map(persons.map((n) => [toCode(n), toAnswer(soapAnswer(n), 'text/xml; charset=utf-8')]))

function toAnswer(body: string, type: string = 'application/json; charset=utf-8'): Buffer {
  const length = `Content-Length: ${Buffer.byteLength(body)}`
  const headers = type.startsWith('text/xml') ? [] : xroad
  const head = ['HTTP/1.1 200 OK', 'Date: Sat, 21 Nov 2026 12:00:00 GMT', `Content-Type: ${type}`, ...headers, length]
  return Buffer.from(head.join('\r\n') + headEnd + body)
}

/** A request that no contender should have sent gets no answer, and the run ends. */
function answer(request: string, body: string): Buffer {
  const known = find(request, body)
  if (known === undefined) throw new Error(`the upstream was sent ${request}`)
  return known
}

function find(request: string, body: string): Buffer | undefined {
  if (request.startsWith(`GET ${service}/small?id=`)) return small.get(/id=(\d+) /.exec(request)?.[1] ?? '')
  if (request.startsWith(`GET ${service}/large `)) return large
  if (request.startsWith(`POST ${service}/save `)) return saved.get(body)
  if (!request.startsWith('POST / ') || !request.includes('4.0</xroad:protocolVersion>')) return undefined
  return soap.get(/code>(\d{11})</.exec(body)?.[1] ?? '')
}

function serve(socket: TLSSocket): void {
  let pending = ''
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    pending += chunk.toString('latin1')
    const head = pending.indexOf(headEnd)
    if (head < 0) return
    const bodyStart = head + headEnd.length
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(pending)?.[1] ?? 0)
    if (pending.length < bodyStart + length) return
    const request = pending
    pending = ''
    socket.write(answer(request, request.slice(bodyStart)))
  })
}

const server = createServer(
  {
    ca: readFileSync(join(folder, 'ca.pem')),
    cert: readFileSync(join(folder, 'server.pem')),
    key: readFileSync(join(folder, 'server.key')),
    minVersion: 'TLSv1.2',
    requestCert: true,
    rejectUnauthorized: true,
  },
  serve,
)
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
