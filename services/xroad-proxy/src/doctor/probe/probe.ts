/**
 * Asks the Security Server, for `--probe`: a TLS handshake with our identity, the list of its clients, and for each
 * provider what this client may call there. It sends nothing else and calls no service of a provider. The results,
 * failures included, are facts.
 */
import { isIP } from 'node:net'
import { connect, type SecureContext } from 'node:tls'
import { createServerCheck, type ServerCheck } from '../../boot/tls/keystore.ts'
import type { Config } from '../../boot/config/schema.ts'
import type { Client } from '../../metadata/responses.ts'
import { toName } from '../../xroad.ts'
import { openSecurityServer, type SecurityServer, timeoutOf } from '../../metadata/security-server.ts'
import type { Endpoint, Identity } from '../../model.ts'
import { describe } from '../../upstream/causes.ts'
import {
  isAmong,
  judge,
  type Provider,
  type ProviderAnswer,
  type Question,
  toQuestion,
  type Verdict,
} from './question.ts'

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
  /** Whose service it calls; empty where that is not known. */
  readonly provider: string
}

export interface ProbeOptions {
  readonly settings: Config
  readonly url: string
  readonly secureContext: SecureContext
  readonly endpoints: readonly Endpoint[]
}

/** Providers that are asked at one time. */
const batchSize = 4

export async function probe(options: ProbeOptions): Promise<ProbeFacts> {
  const { settings, url, secureContext, endpoints } = options
  const trust: Trust = { secureContext, checkServer: createServerCheck(settings.securityServer ?? {}) }
  const { connection, problem } = await shakeHands(url, trust, timeoutOf(settings) * 1000)
  if (problem !== undefined) return { ...nothingKnown, connectionProblem: problem }
  const server = openSecurityServer({ ...trust, url, settings })
  try {
    const listed = await server.listClients(settings.instance)
    if (listed.isUnreachable) return { ...nothingKnown, connectionProblem: listed.problem }
    const clients = listed.value ?? []
    const questions = endpoints.map((endpoint) => toQuestion(endpoint, settings))
    const answers = await askAll(server, questions, new Map([[settings.instance, clients]]))
    return {
      connectionProblem: undefined,
      connection,
      clientsProblem: listed.problem,
      clients,
      silentProviders: [...answers.values()].flatMap(({ provider: { lane, identity }, answer }) =>
        answer.kind === 'failed' ? [{ provider: `${toName(identity)} (${lane})`, problem: answer.problem }] : [],
      ),
      endpoints: questions.map((question) => {
        const { group, service, path, file } = question.endpoint
        const provider = question.kind === 'open' ? toName(question.provider.identity) : ''
        const { verdict, reason, lacking } = judge(question, (asked) => answerOf(answers, asked))
        return { path: `/${group}/${service}${path}`, file, provider, verdict, reason, lacking }
      }),
    }
  } finally {
    await server.close()
  }
}

const nothingKnown = { connection: '', clientsProblem: undefined, clients: [], silentProviders: [], endpoints: [] }

/** A list without anybody is not a list: the owner of the Security Server would be in it. */
export function isListed(clients: readonly Client[], identity: Identity): boolean {
  return clients.length === 0 || clients.some((client) => toName(client) === toName(identity))
}

/** By the key of the provider. */
type Answers = ReadonlyMap<string, { readonly provider: Provider; readonly answer: ProviderAnswer }>

function answerOf(answers: Answers, { key }: Provider): ProviderAnswer {
  return answers.get(key)?.answer ?? { kind: 'failed', problem: 'it was not asked' }
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
  // An address of version 6 is in brackets in a URL only; an address has no server name.
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

/**
 * Each provider once, a few at a time; those that their instance does not have are not asked. `clients` grows by
 * instances.
 */
async function askAll(
  server: SecurityServer,
  questions: readonly Question[],
  clients: Map<string, readonly Client[]>,
): Promise<Answers> {
  const open = questions.filter((question) => question.kind === 'open')
  const byKey = Map.groupBy(open, ({ provider }) => provider.key)
  const waiting = [...byKey.values()]
  for (const instance of new Set(open.map(({ provider }) => provider.identity.instance))) {
    if (clients.has(instance)) continue
    const { value = [] } = await server.listClients(instance)
    // A server that gives another list than the requested one says nothing about this instance.
    clients.set(
      instance,
      value.filter((client) => client.instance === instance),
    )
  }
  const answers = new Map<string, { provider: Provider; answer: ProviderAnswer }>()
  const ask = async ([first, ...rest]: typeof open): Promise<void> => {
    if (first === undefined) return
    const { provider } = first
    const isUnregistered = !isListed(clients.get(provider.identity.instance) ?? [], provider.identity)
    const answer = isUnregistered ? ({ kind: 'unregistered' } as const) : await askProvider(server, [first, ...rest])
    answers.set(provider.key, { provider, answer })
  }
  while (waiting.length > 0) await Promise.all(waiting.splice(0, batchSize).map(ask))
  return answers
}

type OpenQuestion = Extract<Question, { kind: 'open' }>

/** What it offers is asked as well where that tells a version that it lacks from one that is not allowed. */
async function askProvider(
  server: SecurityServer,
  questions: readonly [OpenQuestion, ...OpenQuestion[]],
): Promise<ProviderAnswer> {
  const [{ provider }] = questions
  const { lane, identity } = provider
  const { value, problem } = await server.listMethods('allowedMethods', lane, identity)
  if (value === undefined) return { kind: 'failed', problem: problem ?? '' }
  const { services, isOfMock } = value
  const isAsked = lane === 'soap' && !isOfMock && questions.some(({ call }) => !isAmong(services, call))
  const offered = isAsked ? (await server.listMethods('listMethods', lane, identity)).value : undefined
  return { kind: 'services', services, isOfMock, offered: offered?.services }
}
