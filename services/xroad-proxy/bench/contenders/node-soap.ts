/**
 * The floor of the SOAP lane: `node:http` in front of a client that the npm package `soap` makes once from person.wsdl,
 * over a kept-alive agent; JSON in, the operation's result as JSON out.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { Agent } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createClientAsync } from 'soap'
import { identity, upstreamPort } from './identity.ts'

type Operation = (args: unknown, options: { readonly httpsAgent: Agent }) => Promise<readonly [result: unknown]>

const httpsAgent = new Agent({ ...identity, keepAlive: true })
const endpoint = `https://127.0.0.1:${upstreamPort}/`
const client = await createClientAsync(join(import.meta.dirname, 'person.wsdl'), {}, endpoint)
const person = (client as unknown as { personAsync: Operation }).personAsync.bind(client)
client.addSoapHeader(() => xroadHeader(randomUUID()))

function xroadHeader(id: string): string {
  return `<xroad:client xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers" id:objectType="SUBSYSTEM"><id:xRoadInstance>ee-test</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>70000001</id:memberCode><id:subsystemCode>bench</id:subsystemCode></xroad:client><xroad:service xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers" id:objectType="SERVICE"><id:xRoadInstance>ee-test</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>70000002</id:memberCode><id:subsystemCode>register</id:subsystemCode><id:serviceCode>person</id:serviceCode><id:serviceVersion>v1</id:serviceVersion></xroad:service><xroad:id xmlns:xroad="http://x-road.eu/xsd/xroad.xsd">${id}</xroad:id><xroad:protocolVersion xmlns:xroad="http://x-road.eu/xsd/xroad.xsd">4.0</xroad:protocolVersion>`
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { code, purpose } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>
  const [result] = await person({ code, purpose }, { httpsAgent })
  return result
}

const server = createServer((request, response) => {
  const send = (status: number, value: unknown): void => {
    const body = JSON.stringify(value)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, headers).end(body)
  }
  answer(request).then(
    (result) => send(200, result),
    (error: unknown) => send(502, { error: String(error) }),
  )
})
server.listen(0, '127.0.0.1', () =>
  console.log(`Listening address=127.0.0.1:${(server.address() as AddressInfo).port}`),
)
