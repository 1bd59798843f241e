/**
 * Asks the Security Server, for `--probe`: a TLS handshake with our identity, the list of its clients, and for each provider
 * what this client may call there. It sends nothing else and calls no service of a provider. The results, failures
 * included, are facts.
 */
import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import { connect, type SecureContext } from 'node:tls'
import { createServerCheck, type ServerCheck } from '../boot/tls/keystore.ts'
import type { Config } from '../boot/config/schema.ts'
import { Failure } from '../errors.ts'
import type { Endpoint, Identity } from '../model.ts'
import { describe } from '../upstream/causes.ts'
import { openUpstream, type Upstream, withoutCaller } from '../upstream/upstream.ts'
import { toClientElement, toClientHeader, toServicePath } from '../xroad.ts'
import {
  type MetadataResponse,
  type Client,
  isOfMock,
  MetadataError,
  readClients,
  readRestServices,
  readSoapServices,
  type Service,
  toAllowedMethods,
} from './metadata.ts'
import { judge, nameOf, type Provider, type ProviderAnswer, toQuestion, type Verdict } from './question.ts'

export interface ProbeFacts {
  /** Why there is no connection; the rest is empty then. */
  readonly connectionProblem: string | undefined
  /** Protocol and cipher suite of the handshake. */
  readonly connection: string
  /** Why the list of clients did not come. */
  readonly clientsProblem: string | undefined
  readonly clients: readonly Client[]
  /** Providers that did not say what is allowed, and why. */
  readonly silentProviders: readonly { readonly provider: string; readonly problem: string }[]
  readonly endpoints: readonly ProbedEndpoint[]
}

export interface ProbedEndpoint extends Verdict {
  /** `/group/service` */
  readonly path: string
  readonly file: string
}

export interface ProbeOptions {
  readonly settings: Config
  readonly url: string
  readonly secureContext: SecureContext
  readonly endpoints: readonly Endpoint[]
}

/** A Security Server waits longer for some providers than anybody does for a check. */
const maxTimeoutSeconds = 30
/** The list of the clients of a whole country. */
const maxAnswerBytes = 64 * 1024 * 1024
/** Providers that are asked at one time. */
const batchSize = 4

export async function probe(options: ProbeOptions): Promise<ProbeFacts> {
  const { settings, url, secureContext, endpoints } = options
  const timeoutSeconds = Math.min(settings.limits.requestTimeoutSeconds, maxTimeoutSeconds)
  const trust: Trust = { secureContext, checkServer: createServerCheck(settings.securityServer ?? {}) }
  const { connection, problem } = await shakeHands(url, trust, timeoutSeconds * 1000)
  if (problem !== undefined) return { ...nothingKnown, connectionProblem: problem }
  const upstream = openUpstream({ ...trust, secureContext: () => secureContext, timeoutSeconds, maxAnswerBytes })
  try {
    const server: Server = { upstream, url, settings }
    const listed = await listClients(server)
    if (listed.isUnreachable) return { ...nothingKnown, connectionProblem: listed.problem }
    const clients = listed.value ?? []
    const questions = endpoints.map((endpoint) => toQuestion(endpoint, settings))
    const providers = questions.flatMap((question) => (question.kind === 'open' ? [question.provider] : []))
    const answers = await askAll(server, providers, clients)
    return {
      connectionProblem: undefined,
      connection,
      clientsProblem: listed.problem,
      clients,
      silentProviders: [...answers].flatMap(([{ lane, identity }, answer]) =>
        answer.kind === 'failed' ? [{ provider: `${nameOf(identity)} (${lane})`, problem: answer.problem }] : [],
      ),
      endpoints: questions.map((question) => {
        const { group, service, file } = question.endpoint
        const { verdict, reason } = judge(question, (asked) => answerOf(answers, asked))
        return { path: `/${group}/${service}`, file, verdict, reason }
      }),
    }
  } finally {
    await upstream.close()
  }
}

const nothingKnown = { connection: '', clientsProblem: undefined, clients: [], silentProviders: [], endpoints: [] }

/** A list without anybody is no list: the owner of the Security Server would stand in it. */
export function isListed(clients: readonly Client[], identity: Identity): boolean {
  return clients.length === 0 || clients.some((client) => nameOf(client) === nameOf(identity))
}

function answerOf(answers: ReadonlyMap<Provider, ProviderAnswer>, { key }: Provider): ProviderAnswer {
  const found = [...answers].find(([provider]) => provider.key === key)
  return found?.[1] ?? { kind: 'failed', problem: 'it was not asked' }
}

interface Handshake {
  readonly connection: string
  readonly problem: string | undefined
}

/** Our identity, and whom we take for the Security Server. */
interface Trust {
  readonly secureContext: SecureContext
  readonly checkServer: ServerCheck
}

function shakeHands(url: string, { secureContext, checkServer }: Trust, timeoutMs: number): Promise<Handshake> {
  const { hostname, port } = new URL(url)
  // An address of version 6 stands in brackets in a URL only; an address has no server name.
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const { promise, resolve } = Promise.withResolvers<Handshake>()
  const socket = connect({
    host,
    port: Number(port || 443),
    secureContext,
    rejectUnauthorized: true,
    checkServerIdentity: checkServer,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
  })
  let connection = ''
  const timer = setTimeout(() => {
    socket.destroy(Object.assign(new Error('no handshake in time'), { code: 'ETIMEDOUT' }))
  }, timeoutMs)
  socket.once('secureConnect', () => {
    connection = `${socket.getProtocol()} with ${socket.getCipher().name}`
    // With TLS 1.3 a server looks at our certificate only now; a refusal arrives before the end of the connection.
    socket.end()
    socket.setTimeout(partingMs, () => socket.destroy())
  })
  socket.on('error', (error) => resolve({ connection: '', problem: describe(error).message }))
  socket.once('close', () => resolve({ connection, problem: connection === '' ? closedEarly : undefined }))
  socket.resume()
  return promise.finally(() => clearTimeout(timer))
}

/** How long a server may take to close a connection that we have ended. */
const partingMs = 1000
const closedEarly = 'the connection was closed during the handshake'

interface Server {
  readonly upstream: Upstream
  readonly url: string
  readonly settings: Config
}

/** Each provider once, a few at a time; those that the instance does not have are not asked. */
async function askAll(
  server: Server,
  providers: readonly Provider[],
  clients: readonly Client[],
): Promise<ReadonlyMap<Provider, ProviderAnswer>> {
  const { instance } = server.settings
  const answers = new Map<Provider, ProviderAnswer>()
  const waiting = [...new Map(providers.map((provider) => [provider.key, provider])).values()]
  const ask = async (provider: Provider): Promise<void> => {
    const isUnregistered = provider.identity.instance === instance && !isListed(clients, provider.identity)
    answers.set(provider, isUnregistered ? { kind: 'unregistered' } : await askProvider(server, provider))
  }
  while (waiting.length > 0) await Promise.all(waiting.splice(0, batchSize).map(ask))
  return answers
}

async function askProvider(server: Server, provider: Provider): Promise<ProviderAnswer> {
  const { value, problem } = await allowedMethods(server, provider)
  return value === undefined ? { kind: 'failed', problem: problem ?? '' } : { kind: 'services', ...value }
}

function listClients(server: Server): Promise<Attempt<readonly Client[]>> {
  const query = `xRoadInstance=${encodeURIComponent(server.settings.instance)}`
  const headers = ['Accept', 'application/json']
  return send(server, { method: 'GET', path: `/listClients?${query}`, headers }, readClients)
}

interface Listed {
  readonly services: readonly Service[]
  readonly isOfMock: boolean
}

function allowedMethods(server: Server, { lane, identity }: Provider): Promise<Attempt<Listed>> {
  const list =
    (read: (answer: MetadataResponse) => readonly Service[]) =>
    (answer: MetadataResponse): Listed => ({
      services: read(answer),
      isOfMock: isOfMock(answer),
    })
  const { client, protocolVersion } = server.settings
  switch (lane) {
    case 'rest': {
      const path = toServicePath(identity.instance, {
        ...identity,
        xroadInstance: '',
        serviceCode: 'allowedMethods',
        path: '',
      })
      const xroad = ['X-Road-Client', toClientHeader(client), 'X-Road-Id', randomUUID()]
      return send(
        server,
        { method: 'GET', path, headers: ['Accept', 'application/json', ...xroad] },
        list(readRestServices),
      )
    }
    case 'soap': {
      const head = { client: toClientElement(client), id: randomUUID(), protocolVersion }
      const body = Buffer.from(toAllowedMethods(identity, head))
      const headers = ['Content-Type', 'text/xml; charset=utf-8']
      return send(server, { method: 'POST', path: '/', headers, body }, list(readSoapServices))
    }
  }
}

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: readonly string[]
  readonly body?: Buffer
}

interface Attempt<Value> {
  readonly value?: Value
  readonly problem?: string | undefined
  /** Nothing came back. */
  readonly isUnreachable?: boolean
}

async function send<Value>(
  { upstream, url }: Server,
  { method, path, headers, body }: Request,
  read: (answer: MetadataResponse) => Value,
): Promise<Attempt<Value>> {
  const { origin, pathname } = new URL(url)
  const call = {
    origin,
    path: pathname.replace(/\/+$/, '') + path,
    method,
    headers: [...headers, 'Accept-Encoding', 'identity'],
    body,
  }
  try {
    return { value: read(await upstream.collect(call, withoutCaller())) }
  } catch (error) {
    if (error instanceof MetadataError) return { problem: error.message }
    if (!(error instanceof Failure)) throw error
    return { problem: error.message, isUnreachable: error.code !== 'upstream_body_too_large' }
  }
}
