/**
 * `GET /listClients`: the clients of the instance. The mock knows none, so the answer is the file `listClients.json` or
 * `listClients.xml` of the folder of answers, or an empty list; which of the two follows from Accept, as with a real server.
 */
import { contentTypes } from './answers.ts'
import { xroadNamespace } from './message.ts'
import type { MockBehaviour } from './soap-lane.ts'
import type { Wire } from './wire.ts'

const code = 'listClients'

export function isListClients({ request: { method, url = '' } }: Wire): boolean {
  return method === 'GET' && /^\/listClients(?:\?|$)/.test(url)
}

export async function serveClients({ answers }: MockBehaviour, wire: Wire): Promise<void> {
  wire.service = code
  // A preference is not looked at: whoever takes JSON at all gets it.
  const isJson = (wire.request.headers.accept ?? '').includes('application/json')
  const file = isJson ? answers.forRest(code, 'GET') : answers.forSoap(code)
  const empty = isJson ? '{"member":[]}' : `<xrd:clientList xmlns:xrd="${xroadNamespace}"/>`
  const type = isJson ? (contentTypes['json'] ?? '') : 'text/xml; charset=utf-8'
  wire.send({ status: 200, type, headers: [], body: file?.content ?? Buffer.from(empty) })
}
