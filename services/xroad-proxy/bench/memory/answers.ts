/**
 * How much memory many large answers cost at once: `node bench/memory/answers.ts [callers] [megabytes]`. A process of
 * the service, an upstream that answers with rows of text, and callers that read. Prints the largest resident size and
 * how the callers fared.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call } from '@services/testing'
import { startProxy } from '../../test/support/process.ts'
import { soapFile } from '../../test/support/soap-service.ts'

const [callers = 100, megabytes = 15] = process.argv.slice(2).map(Number)
const row = `<row><id>12345678</id><name>${'Õnne Täht '.repeat(28)}</name></row>`
const rows = row.repeat(Math.min(12_000, Math.floor((megabytes * 1e6) / Buffer.byteLength(row))))
const filler = 'x'.repeat(Math.max(0, megabytes * 1e6 - Buffer.byteLength(rows)))
const answer = Buffer.from(
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><a>${rows}<t>${filler}</t></a></e:Body></e:Envelope>`,
)

let asked = 0
const upstream = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/xml; charset=utf-8' })
    // Half of them tell no length.
    const isTold = (asked += 1) % 2 === 0
    if (!isTold) response.write(answer.subarray(0, 1000))
    response.end(isTold ? answer : answer.subarray(1000))
  })
})
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
const { port } = upstream.address() as AddressInfo
const limits = { request_timeout_secs: 120 }
const files = { 'g/soap.yml': soapFile(`http://127.0.0.1:${port}/`) }
const proxy = await startProxy({ files, config: { limits } })
const before = resident('VmRSS')
const started = performance.now()
const answers = await Promise.all(
  Array.from({ length: callers }, () =>
    call(proxy.port, '/g/soap', { body: {} }).then(({ status, text }) => `${status} ${text.length}`),
  ),
)
const seconds = (performance.now() - started) / 1000
const counts = Map.groupBy(answers, (each) => each)
for (const [what, all] of counts) process.stdout.write(`${all.length} answers: ${what} characters\n`)
process.stdout.write(`${before} MB at rest, ${resident('VmHWM')} MB at most, ${seconds.toFixed(1)} s\n`)
await proxy.stop()
upstream.close()

function resident(field: string): number {
  const status = readFileSync(`/proc/${proxy.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
}
