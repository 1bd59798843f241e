/**
 * The floor of the REST lane: the pipe that one writes by hand, `node:http` in front of `https.request` with a
 * kept-alive agent. It does less than the proxy: no endpoints, no caps, no clock, no log.
 *
 * An agent that is given a PKCS12 file takes its hash for each request, to find the connections that belong to it. With
 * BENCH_AGENT=context it is given the file's secure context in its place.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Agent, request as callUpstream } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext } from 'node:tls'
import { identity, upstreamPort } from './identity.ts'
import { client, servicePath } from './service-path.ts'

const isContext = process.env['BENCH_AGENT'] === 'context'
const own = isContext ? { secureContext: createSecureContext(identity) } : identity
const agent = new Agent({ ...own, keepAlive: true })

const server = createServer((request, response) => {
  const { host: _, connection: __, ...headers } = request.headers
  const outbound = callUpstream(
    {
      agent,
      host: '127.0.0.1',
      port: upstreamPort,
      method: request.method,
      path: servicePath + (request.url as string).slice('/bench'.length),
      headers: { ...headers, 'x-road-client': client, 'x-road-id': headers['x-road-id'] ?? randomUUID() },
    },
    (incoming) => {
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = incoming.headers
      response.writeHead(incoming.statusCode as number, kept)
      incoming.pipe(response)
    },
  )
  outbound.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.on('close', () => response.writableFinished || outbound.destroy())
  request.pipe(outbound)
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
