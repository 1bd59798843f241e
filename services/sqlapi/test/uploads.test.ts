/** Bodies that arrive and never end: how much they hold together, and who has to go. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '@services/testing'
import { maxArrivingBytes, Uploads } from '../src/serve/uploads.ts'
import { startTestService } from './support/service.ts'

/** Begins an upload and adds its number to `gone` when it is given up. */
function begin(uploads: Uploads, number: number, gone: number[], maxBytes = 100): (bytes: number) => void {
  const { reserve, end } = uploads.begin(maxBytes)
  return (bytes) => (bytes === 0 ? end() : void reserve(bytes, () => gone.push(number)))
}

test('the body that began first is given up beyond the limit, one that is alone never is [S9]', () => {
  const uploads = new Uploads()
  const gone: number[] = []
  const [first, second, third] = [1, 2, 3].map((number) => begin(uploads, number, gone)) as [
    (bytes: number) => void,
    (bytes: number) => void,
    (bytes: number) => void,
  ]
  first(150)
  deepStrictEqual(gone, [])
  second(1)
  deepStrictEqual(gone, [1])
  first(0)
  third(99)
  deepStrictEqual(gone, [1])
  third(1)
  deepStrictEqual(gone, [1, 2])
  third(0)
  const fourth = begin(uploads, 4, gone)
  const fifth = begin(uploads, 5, gone)
  fourth(60)
  fifth(40)
  deepStrictEqual(gone, [1, 2])
  fourth(1)
  deepStrictEqual(gone, [1, 2, 4])
})

test('the limit grows with what single bodies may have [S9]', () => {
  strictEqual(maxArrivingBytes(1_048_576), 134_217_728)
  strictEqual(maxArrivingBytes(100_000_000), 400_000_000)
})

test('uploads that never end leave room for those that do [S9]', async () => {
  const service = await startTestService({
    kind: 'sqlite',
    files: { 'demo/POST/length.sql': 'SELECT length(:x) AS n' },
  })
  const port = Number(new URL(service.url).port)
  const part = Buffer.alloc(1_000_000, 'x')
  const sockets: Socket[] = []
  const told: string[] = []
  const count = Math.ceil(maxArrivingBytes(1_048_576) / part.length)
  for (let i = 0; i < count; i++) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    socket.on('close', () => told.push(received))
    await once(socket, 'connect')
    socket.write('POST /demo/length HTTP/1.1\r\nHost: x\r\nContent-Length: 1000001\r\n\r\n')
    socket.write(part)
  }
  await until(() => told.length > 0, 'one to be given up')
  match(told[0] as string, /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n/is)
  match(
    told[0] as string,
    /"MalformedRequestException","message":"Bodies .* hold more than 134217728 bytes; .* given up"/,
  )
  strictEqual((await service.post('/demo/length', { x: 'y'.repeat(900_000) })).text, '[{"n":900000}]')
  ok(told.length < 10, `${told.length} of ${count}`)
  for (const socket of sockets) socket.destroy()
  await service.close()
})
