/** What signals do to the service. The cases are those of the package that both services share. */
import { strictEqual } from 'node:assert/strict'
import { Agent } from 'node:http'
import { after } from 'node:test'
import { testSignals } from '@services/command-line/testing'
import { call, Wire } from '@services/testing'
import { startProxy } from './support/process.ts'
import { type SoapService, startSoapService } from './support/soap-service.ts'

const body = '{"x":"y"}'
const upstreams: SoapService[] = []

after(() => Promise.all(upstreams.map((each) => each.close())))

testSignals({
  title: 'the service [X1] [X2] [X30]',
  async start(nodeOptions) {
    const soap = await startSoapService()
    upstreams.push(soap)
    const env = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }
    const running = await startProxy({ files: { 'g/echo.yml': soap.echo }, config: {}, env })
    return {
      ...running,
      ask: async () => (await call(running.port, '/health')).status,
      async chat(lines) {
        const agent = new Agent({ keepAlive: true, maxSockets: 8 })
        const path = `/none/${'x'.repeat(300)}`
        await Promise.all(Array.from({ length: lines }, () => call(running.port, path, { agent })))
        agent.destroy()
      },
      async hold() {
        const wire = await Wire.open(running.port)
        wire.write(`POST /g/echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`)
        strictEqual((await wire.answer({ bodiless: true })).status, 100)
        return { status: wire.answer().then(({ status }) => status), release: () => wire.write(body) }
      },
    }
  },
})
