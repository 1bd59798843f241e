/**
 * A SOAP service for direct calls over plain HTTP: it answers with the envelope that it was sent, at once or when the
 * test says so. Its DSL file comes with it.
 */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const { createServer } = process.getBuiltinModule('node:http')

export interface SoapService {
  /** DSL file of an endpoint with the param `x`, which comes back in the answer. */
  readonly echo: string
  /** The same, answered by `release` only. */
  readonly held: string
  /** Calls that wait for `release`. */
  readonly waiting: () => number
  /** Answers what waits, and from now on at once. */
  release(): void
  close(): Promise<void>
}

const contentType = { 'content-type': 'text/xml; charset=utf-8' }

export async function startSoapService(): Promise<SoapService> {
  const held = new Map<ServerResponse, Buffer>()
  let isHolding = true
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/held' && isHolding) held.set(response, Buffer.concat(chunks))
      else response.writeHead(200, contentType).end(Buffer.concat(chunks))
    })
    response.once('close', () => held.delete(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    echo: soapFile(`http://127.0.0.1:${port}/echo`),
    held: soapFile(`http://127.0.0.1:${port}/held`),
    waiting: () => held.size,
    release() {
      isHolding = false
      for (const [response, body] of held) response.writeHead(200, contentType).end(body)
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Without a URL the call goes through the Security Server. */
export function soapFile(service?: string): string {
  const envelope =
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><x>{{x}}</x></e:Body></e:Envelope>'
  return JSON.stringify({ method: 'POST', params: ['x'], envelope, ...(service === undefined ? {} : { service }) })
}

export function restFile(method: string, serviceCode: string, fields: object = {}): string {
  const target = { member_class: 'GOV', member_code: '70000001', subsystem_code: 'other', service_code: serviceCode }
  return JSON.stringify({ kind: 'rest', method, target, ...fields })
}
