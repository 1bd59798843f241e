/** A client that begins TLS on a port for plain HTTP: what the service is told, by both readers of requests. */
import { deepStrictEqual, match } from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { type Refusal, type Shell, startShell } from '@services/http-shell'

interface Refusing {
  readonly shell: Shell
  readonly heard: Pick<Refusal, 'reason' | 'line' | 'isBody'>[]
}

async function start(fastReader: boolean): Promise<Refusing> {
  const heard: Refusing['heard'] = []
  const shell = await startShell({
    host: '127.0.0.1',
    port: 0,
    fastReader,
    handle: (exchange) =>
      void exchange.collect(100).then(
        () => exchange.send(200, {}, ''),
        () => undefined,
      ),
    refuse: ({ reason, line, isBody }) => {
      heard.push({ reason, line, isBody })
      return { status: 400, body: '{}' }
    },
  })
  return { shell, heard }
}

async function say(port: number, bytes: Buffer): Promise<string> {
  const socket = connectPlain({ port, host: '127.0.0.1' })
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  socket.end(bytes)
  await once(socket, 'close')
  return text
}

for (const fastReader of [false, true]) {
  const reader = fastReader ? 'read here' : 'read by Node.js'

  test(`a handshake of TLS has a reason of its own, ${reader} [D1.8]`, async () => {
    const { shell, heard } = await start(fastReader)
    const client = connect({ port: shell.port, host: '127.0.0.1', rejectUnauthorized: false })
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException]
    match(error.code ?? '', /^ERR_SSL_|^ECONNRESET$/)
    deepStrictEqual(heard, [{ reason: 'TLS', line: undefined, isBody: false }])
    await shell.close()
  })

  test(`other bytes that are not HTTP are malformed, ${reader} [D1.8]`, async () => {
    const { shell, heard } = await start(fastReader)
    const others: readonly Buffer[] = [
      Buffer.from([0x16]),
      Buffer.from([0x16, 0x02, 0, 0]),
      Buffer.from([0x17, 0x03, 3, 0]),
    ]
    for (const bytes of others) match(await say(shell.port, bytes), /^HTTP\/1\.1 400 /)
    const body = Buffer.from('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', 'latin1')
    match(await say(shell.port, Buffer.concat([body, Buffer.from([0x16, 0x03, 0x01, 0])])), /^HTTP\/1\.1 400 /)
    deepStrictEqual(
      heard.map(({ reason }) => reason),
      Array.from({ length: 4 }, (): Refusal['reason'] => 'malformed'),
    )
    await shell.close()
  })
}
