/**
 * The metadata services of the Security Server, asked with our identity: a question in, what it says or why it says
 * nothing out. Calls no service of a provider. What responses look like is responses.ts, what requests look like
 * requests.ts.
 */
import { randomUUID } from 'node:crypto'
import type { SecureContext } from 'node:tls'
import type { Config } from '../boot/config/schema.ts'
import type { ServerCheck } from '../boot/tls/keystore.ts'
import { Failure } from '../errors.ts'
import type { Endpoint, Identity } from '../model.ts'
import { openUpstream, withoutCaller } from '../upstream/upstream.ts'
import { toClientHeader, toServicePath } from '../xroad.ts'
import {
  type Client,
  isOfMock,
  MetadataError,
  type MetadataResponse,
  readClients,
  readOpenApi,
  readRestServices,
  readSoapServices,
  readWsdl,
  type Service,
} from './responses.ts'
import { type SoapRequest, toEnvelope } from './requests.ts'

export interface Attempt<Value> {
  readonly value?: Value
  readonly problem?: string | undefined
  /** Nothing came back. */
  readonly isUnreachable?: boolean
}

export interface Listed {
  readonly services: readonly Service[]
  readonly isOfMock: boolean
}

type Lane = Endpoint['kind']
/** All that a provider offers, or what this client may call of it. */
type MethodList = 'listMethods' | 'allowedMethods'

export interface SecurityServer {
  listClients(instance: string): Promise<Attempt<readonly Client[]>>
  listMethods(list: MethodList, lane: Lane, provider: Identity): Promise<Attempt<Listed>>
  /** An empty version does not count. */
  getWsdl(provider: Identity, code: string, version: string): Promise<Attempt<Uint8Array>>
  getOpenApi(provider: Identity, code: string): Promise<Attempt<Uint8Array>>
  close(): Promise<void>
}

export interface ServerOptions {
  readonly url: string
  readonly settings: Pick<Config, 'client' | 'protocolVersion' | 'limits'>
  readonly secureContext: SecureContext
  readonly checkServer: ServerCheck
}

/** A Security Server waits longer for some providers than anybody does for a list. */
const maxTimeoutSeconds = 30
/** The list of the clients of a whole country. */
const maxResponseBytes = 64 * 1024 * 1024

export function timeoutOf({ limits }: Pick<Config, 'limits'>): number {
  return Math.min(limits.requestTimeoutSeconds, maxTimeoutSeconds)
}

export function openSecurityServer({ url, settings, secureContext, checkServer }: ServerOptions): SecurityServer {
  const timeoutSeconds = timeoutOf(settings)
  const upstream = openUpstream({ secureContext: () => secureContext, checkServer, timeoutSeconds, maxResponseBytes })
  const { client, protocolVersion } = settings
  const { origin, pathname } = new URL(url)
  const base = pathname.replace(/\/+$/, '')

  async function send<Value>(
    { method, path, headers, body }: Request,
    read: (response: MetadataResponse) => Value,
  ): Promise<Attempt<Value>> {
    const all = [...headers, 'Accept-Encoding', 'identity']
    try {
      const call = { origin, path: base + path, method, headers: all, body }
      return { value: read(await upstream.collect(call, withoutCaller())) }
    } catch (error) {
      if (error instanceof MetadataError) return { problem: error.message }
      if (!(error instanceof Failure)) throw error
      return { problem: error.message, isUnreachable: error.code !== 'upstream_body_too_large' }
    }
  }

  const bySoap = (request: Pick<SoapRequest, 'provider' | 'service' | 'body'>): Request => ({
    method: 'POST',
    path: '/',
    headers: ['Content-Type', 'text/xml; charset=utf-8'],
    body: Buffer.from(toEnvelope({ ...request, client, protocolVersion, id: randomUUID() })),
  })
  const byRest = (provider: Identity, serviceCode: string, accept: string, query = ''): Request => {
    const path = toServicePath(provider.instance, { ...provider, xroadInstance: '', serviceCode, path: '' })
    const headers = ['Accept', accept, 'X-Road-Client', toClientHeader(client), 'X-Road-Id', randomUUID()]
    return { method: 'GET', path: path + query, headers }
  }

  return {
    listClients(instance) {
      const path = `/listClients?xRoadInstance=${encodeURIComponent(instance.toWellFormed())}`
      return send({ method: 'GET', path, headers: ['Accept', 'application/json'] }, readClients)
    },
    listMethods(service, lane, provider) {
      const listed =
        (read: (response: MetadataResponse) => readonly Service[]) =>
        (response: MetadataResponse): Listed => ({ services: read(response), isOfMock: isOfMock(response) })
      switch (lane) {
        case 'rest':
          return send(byRest(provider, service, 'application/json'), listed(readRestServices))
        case 'soap':
          return send(
            bySoap({ provider, service }),
            listed((response) => readSoapServices(response, service)),
          )
      }
    },
    getWsdl(provider, code, version) {
      const body = [['serviceCode', code] as const, ['serviceVersion', version] as const]
      return send(bySoap({ provider, service: 'getWsdl', body }), readWsdl)
    },
    getOpenApi(provider, code) {
      const query = `?serviceCode=${encodeURIComponent(code.toWellFormed())}`
      return send(byRest(provider, 'getOpenAPI', 'application/json, text/yaml, */*', query), readOpenApi)
    },
    close: () => upstream.close(),
  }
}

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: readonly string[]
  readonly body?: Buffer
}
