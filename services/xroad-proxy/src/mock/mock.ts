/**
 * A mock Security Server: mutual TLS with certificates of its own, SOAP on every path, REST below `/r1/`; and beside
 * it, where it is wanted, a SOAP service that is called without one. Takes the addresses to listen on and the folders;
 * gives a running server. soap-lane.ts, rest-lane.ts and direct-service.ts decide what is answered.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { isIPv6, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { toPlainLine } from '@services/command-line'
import { type Address, listen, ListenProblem } from '@services/http-shell'
import { StartupFailure } from '../errors.ts'
import { Answers } from './answers.ts'
import { serveDirect } from './direct-service.ts'
import type { Spelling } from './faults.ts'
import { isListClients, serveClients } from './metadata.ts'
import { type PkiFiles, writePki } from './pki.ts'
import { serveRest } from './rest-lane.ts'
import { serveSoap, type MockBehaviour } from './soap-lane.ts'
import { Wire } from './wire.ts'

// An import would load what Node.js has for browsers as well.
const { createServer: createPlainServer } = process.getBuiltinModule('node:http')

export interface MockOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Of a SOAP service that is called directly, by plain HTTP; 0 for any free one, none when not given. */
  readonly servicePort?: number | undefined
  /** Where the certificates are, or are to be. */
  readonly folder: string
  /** Folder of answers, `answers` inside `folder` when not given; it need not exist. */
  readonly answers?: string | undefined
  /** Further names and addresses that the certificate is to be valid for. */
  readonly names?: readonly string[] | undefined
  /** Which form the error codes have; that of X-Road 7.8 when not given. */
  readonly faults?: Spelling
  /** Gets one line for each request, once it is over. */
  readonly onEvent?: (line: string) => void
}

export interface RunningMock {
  /** Where a proxy on this machine reaches it. */
  readonly url: string
  readonly port: number
  /** As bound, `host:port`. */
  readonly address: string
  readonly folder: string
  readonly answers: string
  readonly files: PkiFiles
  /** Where the service for direct calls is; undefined where there is none. */
  readonly serviceUrl: string | undefined
  /** Breaks off what is in progress and frees the port. */
  close(): Promise<void>
}

/** A Security Server drops connections that have been idle for this long. */
const keepAliveMs = 30_000
/** Targets are as long as query strings get; Node's default of 16 KiB would be the mock's own limit. */
const maxHeaderBytes = 256 * 1024

export async function startMock(options: MockOptions): Promise<RunningMock> {
  const { host, port, servicePort, folder, onEvent } = options
  const answers = new Answers(options.answers ?? join(folder, 'answers'))
  const connections = new Map<string, Socket>()
  const server = createMockServer({ answers, spelling: options.faults ?? 'since-7.8' }, connections, onEvent)
  const service = servicePort === undefined ? undefined : createDirectServer(answers, connections, onEvent)
  const servers: readonly Server[] = service === undefined ? [server] : [server, service]
  try {
    // Before any file is made again: a start that fails for its port leaves a running mock's certificates alone.
    const bound = await listenOn(server, { host, port })
    const direct = service && (await listenOn(service, { host, port: servicePort ?? 0 }))
    const files = writePki(folder, [...(isAnyAddress(host) ? [] : [host]), ...(options.names ?? [])])
    server.setSecureContext({
      ca: readFileSync(files.ca),
      cert: readFileSync(files.serverCertificate),
      key: readFileSync(files.serverKey),
      minVersion: 'TLSv1.2',
    })
    return {
      url: `https://${reachable(host)}:${bound.port}`,
      ...bound,
      folder,
      answers: answers.folder,
      files,
      serviceUrl: direct && `http://${reachable(host)}:${direct.port}/`,
      close: () => close(servers, connections),
    }
  } catch (error) {
    await close(servers, connections)
    throw error
  }
}

const settings = {
  keepAliveTimeout: keepAliveMs,
  maxHeaderSize: maxHeaderBytes,
  // The clock of a slow request is the client's business.
  requestTimeout: 0,
}

function createMockServer(
  behaviour: MockBehaviour,
  connections: Map<string, Socket>,
  onEvent: MockOptions['onEvent'],
): ReturnType<typeof createServer> {
  const server = createServer({ ...settings, requestCert: true, rejectUnauthorized: true }, (request, response) => {
    const connection = connections.get(keyOf(request.socket))
    if (connection === undefined) return
    const wire = new Wire(request, response, connection)
    serve(laneOf(wire), behaviour, wire, onEvent)
  })
  remember(server, connections)
  server.on('tlsClientError', (error: Error, socket: TLSSocket) => {
    onEvent?.(`refused ${socket.remoteAddress ?? 'a client'}: ${toPlainLine(reasonOf(error, socket))}`)
  })
  return server
}

function createDirectServer(
  answers: Answers,
  connections: Map<string, Socket>,
  onEvent: MockOptions['onEvent'],
): Server {
  const server = createPlainServer(settings, (request, response) => {
    serve(serveDirect, { answers }, new Wire(request, response, request.socket), onEvent)
  })
  return remember(server, connections)
}

function remember(server: Server, connections: Map<string, Socket>): Server {
  return server.on('connection', (socket: Socket) => {
    const key = keyOf(socket)
    connections.set(key, socket)
    socket.once('close', () => connections.delete(key))
  })
}

function isAnyAddress(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::'
}

function reachable(host: string): string {
  if (isAnyAddress(host)) return '127.0.0.1'
  return isIPv6(host) ? `[${host}]` : host
}

/** Both ends of a connection: the same for the TCP socket and the TLS socket on top of it. */
function keyOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`
}

/** Of a certificate that another CA signed only the socket knows. */
function reasonOf(error: Error & { readonly reason?: string }, { authorizationError }: TLSSocket): string {
  const problem: unknown = authorizationError ?? error.reason ?? error.message
  return String(problem)
}

function serve<Behaviour>(
  lane: (behaviour: Behaviour, wire: Wire) => Promise<void>,
  behaviour: Behaviour,
  wire: Wire,
  onEvent: MockOptions['onEvent'],
): void {
  const began = performance.now()
  if (onEvent !== undefined) {
    wire.onOver((outcome) => {
      const { method, url = '' } = wire.request
      const ms = (performance.now() - began).toFixed(1)
      onEvent(toPlainLine(`${method} ${url} ${wire.service ?? '-'}: ${outcome}, ${ms} ms`))
    })
  }
  lane(behaviour, wire).catch((error: unknown) => {
    const body = Buffer.from(`The mock failed: ${(error as Error).message}\n`)
    if (wire.isUntouched) wire.send({ status: 500, type: 'text/plain; charset=utf-8', headers: [], body })
    else wire.reset()
  })
}

function laneOf(wire: Wire): typeof serveSoap {
  if (isListClients(wire)) return serveClients
  return wire.request.url?.startsWith('/r1/') === true ? serveRest : serveSoap
}

async function listenOn(server: Server, address: Address): Promise<{ address: string; port: number }> {
  try {
    return await listen(server, address)
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('listen_failed', `mock: ${address.host}:${address.port} ${error.message}`)
  }
}

async function close(servers: readonly Server[], connections: ReadonlyMap<string, Socket>): Promise<void> {
  const ended = servers.map((server) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    server.close(() => resolve())
    return promise
  })
  // Connections in the middle of their handshake too.
  for (const socket of connections.values()) socket.destroy()
  await Promise.all(ended)
}
