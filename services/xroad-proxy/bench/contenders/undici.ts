/**
 * For reference: `node:http` in front of a bare undici dispatcher, headers and pieces handed on as they come. As little
 * as can be done with the HTTP client that the proxy uses; what the proxy does besides is the difference.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, Pool } from 'undici'
import { identity, upstreamPort } from './identity.ts'
import { client, servicePath } from './service-path.ts'

const pool = new Pool(`https://127.0.0.1:${upstreamPort}`, { connect: identity, connections: 256, allowH2: false })

const server = createServer((request, response) => {
  const { host: _, connection: __, ...headers } = request.headers
  pool.dispatch(
    {
      method: request.method as Dispatcher.HttpMethod,
      path: servicePath + (request.url as string).slice('/bench'.length),
      headers: { ...headers, 'x-road-client': client, 'x-road-id': headers['x-road-id'] ?? randomUUID() },
      body: headers['content-length'] === undefined ? null : request,
    },
    {
      onRequestStart() {},
      onResponseStart(_controller, status, received) {
        response.writeHead(status, received)
      },
      onResponseData(controller, chunk) {
        if (response.write(chunk)) return
        controller.pause()
        response.once('drain', () => controller.resume())
      },
      onResponseEnd() {
        response.end()
      },
      onResponseError(_controller, error) {
        console.error(error.message)
        if (response.headersSent) response.destroy()
        else response.writeHead(502).end()
      },
    },
  )
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
