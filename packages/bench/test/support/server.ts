/**
 * A contender for the tests of this package. `/slow` takes a second, `/turns` answers something else each time,
 * anything else says how it was asked.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const slowMs = 1000
let turns = 0
const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { method, url } = request
    const answer = url === '/turns' ? String(turns++) : JSON.stringify({ method, url, body })
    setTimeout(() => response.end(answer), url === '/slow' ? slowMs : 0)
  })
})
const { BENCH_END: end } = process.env
if (end !== undefined) {
  console.log('no wish to serve')
  process.exit(Number(end))
}
const port = Number(process.env['BENCH_PORT'] ?? 0)
server.listen(port, '127.0.0.1', () => {
  if (port === 0) console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`)
})
