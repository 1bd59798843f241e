/** `node:http` that answers every request with the text in BENCH_BODY. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = process.env['BENCH_BODY'] ?? '[]'
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }

const server = createServer((_request, response) => {
  response.writeHead(200, headers).end(body)
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
