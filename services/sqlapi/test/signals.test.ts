/** What signals do to the service. The cases are those of the package that both services share. */
import { strictEqual } from 'node:assert/strict'
import { Agent } from 'node:http'
import { testSignals } from '@services/command-line/testing'
import { call, Wire } from '@services/testing'
import { startSqlapi } from './support/process.ts'

const files = { 'lite/GET/one.sql': 'SELECT 1 AS one', 'lite/POST/echo.sql': 'SELECT :x AS x' }
const datasources = [{ name: 'lite', url: 'sqlite:lite.db' }]
const body = '{"x":"y"}'

for (const workers of [1, 2]) {
  testSignals({
    title: workers === 1 ? 'one process [S22]' : 'two processes [S22]',
    async start(nodeOptions) {
      const env = nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }
      const running = await startSqlapi({ files, config: { datasources, server: { workers } }, env })
      return {
        ...running,
        ask: async () => (await call(running.port, '/lite/one')).status,
        async chat(lines) {
          const agent = new Agent({ keepAlive: true, maxSockets: 8 })
          const path = `/none/${'x'.repeat(300)}`
          await Promise.all(Array.from({ length: lines }, () => call(running.port, path, { agent })))
          agent.destroy()
        },
        async hold() {
          const wire = await Wire.open(running.port)
          // An answer on this connection shows that its process has it.
          wire.write('GET /lite/one HTTP/1.1\r\nHost: x\r\n\r\n')
          strictEqual((await wire.answer()).status, 200)
          wire.write(
            `POST /lite/echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
          )
          strictEqual((await wire.answer({ bodiless: true })).status, 100)
          return { status: wire.answer().then(({ status }) => status), release: () => wire.write(body) }
        },
      }
    },
  })
}
