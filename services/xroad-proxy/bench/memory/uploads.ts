/**
 * Memory that callers cost who never finish their requests: `node services/xroad-proxy/bench/memory/uploads.ts
 * [callers] [max_inflight_bytes] [number of a kind]`. For each kind of request a process of the service gets so many
 * at once. Prints its largest resident size beside the plan of the manual (operations.md, Sizing); exits with 1 beyond
 * that.
 */
import { readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { keystorePassword } from '../../src/mock/pki.ts'
import { sharedPki } from '../../test/support/lanes.ts'
import { startProxy } from '../../test/support/process.ts'
import { restFile, soapFile } from '../../test/support/soap-service.ts'

const [callers = 5000, maxInflightBytes = 32 * 1024 * 1024, only] = process.argv.slice(2).map(Number)
const fixedMegabytes = 150
const bytesOfCaller = 160 * 1024
const most = Math.round(fixedMegabytes + (2 * maxInflightBytes + callers * bytesOfCaller) / 1e6)

const large = 'x'.repeat(190_000)
const line = 'HTTP/1.1\r\nHost: x\r\n'
const slow = `POST /g/rest ${line}Expect: nothing\r\nContent-Length: 0\r\n\r\n`
const chunks = '1\r\nx\r\n'.repeat(31_000)
const kinds: Readonly<Record<string, string>> = {
  'SOAP, declared': `POST /g/soap ${line}Content-Length: 200000\r\n\r\n${large}`,
  'SOAP, chunked': `POST /g/soap ${line}Transfer-Encoding: chunked\r\n\r\n30d40\r\n${large}`,
  'SOAP, 60 KB': `POST /g/soap ${line}Content-Length: 60000\r\n\r\n${large.slice(0, 59_000)}`,
  'REST, declared': `POST /g/rest ${line}Content-Length: 200000\r\n\r\n${large}`,
  'REST, chunked': `POST /g/rest ${line}Transfer-Encoding: chunked\r\n\r\n30d40\r\n${large}`,
  'SOAP, chunks of one byte': `POST /g/soap ${line}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
  'REST, chunks of one byte': `POST /g/rest ${line}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
  'a body that is refused': `POST /g/none ${line}Content-Length: 2000000\r\n\r\n${large}`,
  'plain calls': `GET /g/get ${line}\r\n`,
  'a head': `GET /health ${line}x: ${large.slice(0, 60_000)}`,
  'a pipeline behind a plain call': `GET /g/get ${line}\r\n`.repeat(4000),
  'an upload behind slow requests': `${slow.repeat(4)}POST /g/soap ${line}Content-Length: 200000\r\n\r\n${large}`,
  'a pipeline behind a slow request': `${slow}${`GET / ${line}\r\n`.repeat(2000)}`,
}

/** Takes connections and says nothing. */
const silent = createServer((socket) => void socket.on('error', () => undefined).resume())
await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
const { port: silentPort } = silent.address() as AddressInfo

const { files: pki } = sharedPki()
let isBeyond = false
for (const [kind, bytes] of Object.entries(kinds).filter((_, i) => only === undefined || i === only)) {
  const { before, peak, read } = await measure(Buffer.from(bytes))
  isBeyond ||= peak > most
  process.stdout.write(`${kind}: ${before} MB at rest, ${peak} MB at most, of ${most} MB; ${read} MB were taken\n`)
}
silent.close()
process.exitCode = isBeyond ? 1 : 0

async function measure(bytes: Buffer): Promise<{ before: number; peak: number; read: number }> {
  const config = {
    security_server: { url: `https://127.0.0.1:${silentPort}`, keystore_path: pki.keystore, trust_ca_path: pki.ca },
    limits: { max_inflight_bytes: maxInflightBytes, request_timeout_secs: 3600 },
    logging: { requests: 'off' },
  }
  const proxy = await startProxy({
    files: { 'g/soap.yml': soapFile(), 'g/rest.yml': restFile('POST', 'x'), 'g/get.yml': restFile('GET', 'x') },
    config,
    env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
  })
  const resident = (field: string): number => {
    const status = readFileSync(`/proc/${proxy.pid}/status`, 'utf8')
    return Math.round((Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6)
  }
  const before = resident('VmRSS')
  const sockets: Socket[] = []
  for (let i = 0; i < callers; i++) {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined)
    socket.write(bytes)
    sockets.push(socket)
    if (i % 100 === 99) await sleep(10)
  }
  let read = -1
  for (
    let now = 0;
    now !== read;
    now = sockets.reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0)
  ) {
    read = now
    await sleep(3000)
  }
  const peak = resident('VmHWM')
  for (const socket of sockets) socket.destroy()
  process.kill(proxy.pid, 'SIGKILL')
  return { before, peak, read: Math.round(read / 1e6) }
}
