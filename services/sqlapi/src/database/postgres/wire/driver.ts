/**
 * The only file that knows the PostgreSQL driver, which does connecting, TLS and authentication here, with one server.
 * What comes out is a socket on which the server is ready for queries, and the way to cancel what it does; what is said
 * on it is wire.ts's, which server is taken servers.ts's.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Location } from './location.ts'
import type { Setting } from '../settings/settings.ts'
import { FrameReader, requireFields } from './frames.ts'
import { Standing, standingQuery } from './standing.ts'

/** What to connect to. */
export interface ServerAddress {
  /** As `host:port`. */
  readonly name: string
  /** A name or an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** The name that its certificate has to show, where the host is an address that was found by it. */
  readonly certificateName?: string | undefined
}

export interface ConnectOptions {
  readonly timeoutSeconds: number
  /** It has to be known whether the server is a standby: it is asked where it does not say so itself. */
  readonly needsStanding: boolean
  /** Ends the attempt. */
  readonly signal?: AbortSignal | undefined
}

/** A connection that is ready for queries. */
export interface Opened {
  readonly socket: Socket
  /** As in `ServerAddress`. */
  readonly server: string
  /** Name of the login. */
  readonly role: string
  readonly standing: Standing
  /** The texts that the server sends are valid UTF-8. */
  readonly isUtf8: boolean
  /** What the URL asks for besides the settings of the service. */
  readonly settings: readonly Setting[]
  /** What the server, or a pooler in front of it, has reported of settings; names in lower case. */
  readonly reported: ReadonlyMap<string, string>
  /** Number of the process that was announced. */
  readonly processId: number
  /** The server has not taken `options`, so all of them have to be set. */
  readonly lacksOptions: boolean
  /** Says goodbye, instead of any use. */
  readonly leave: () => void
  /**
   * Asks the server, over a connection of its own, to stop what this one is doing. Resolves when that was delivered.
   */
  readonly cancel: () => Promise<void>
}

/** A request to cancel is given up after this time. */
const cancelSeconds = 5

/** No message of a login is longer. */
const maxLoginFrame = 1024 * 1024

/** The parts of the driver's connection that this file touches. */
interface DriverConnection {
  readonly stream: Socket
  connect(port: number | string, host?: string): void
  end(): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  /** Reads what the server sends. */
  attachListeners(stream: Pick<Socket, 'on'>): void
  on(event: string, listener: (message: never) => void): void
}

interface DriverClient {
  readonly connection: DriverConnection
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  connect(): Promise<unknown>
  query(text: string): Promise<{ readonly rows: readonly Readonly<Record<string, string>>[] }>
  on(event: string, listener: (error: Error) => void): void
}

/** Rejects with the error of the system, of TLS or of the server. */
export async function connectTo(server: ServerAddress, location: Location, options: ConnectOptions): Promise<Opened> {
  const { certificateName: servername } = server
  const ssl = servername === undefined || location.ssl === false ? location.ssl : { ...location.ssl, servername }
  const full = { ...location, ssl }
  try {
    return await connectPatiently(server, full, options)
  } catch (error) {
    if (!location.isSslOptional || !(error as Error).message.includes('does not support SSL')) throw error
    return connectPatiently(server, { ...full, ssl: false }, options)
  }
}

/** PgBouncer takes `options` only where it is told to ignore or to track them. */
async function connectPatiently(server: ServerAddress, location: Location, options: ConnectOptions): Promise<Opened> {
  try {
    return await connect(server, location, options)
  } catch (error) {
    const { options: given, ...startup } = location.startup
    if (given === undefined || !(error as Error).message.includes('unsupported startup parameter')) throw error
    return { ...(await connect(server, { ...location, startup }, options)), lacksOptions: true }
  }
}

async function connect(server: ServerAddress, location: Location, options: ConnectOptions): Promise<Opened> {
  const { signal } = options
  signal?.throwIfAborted()
  const client = new Client(server, location, options.timeoutSeconds) as unknown as DriverClient
  const end = (error?: Error): void => void client.connection.stream.destroy(error)
  // The driver reports some errors here alone, and would wait on; after the start the wire handles errors.
  client.on('error', end)
  const giveUp = (): void => end(signal?.reason as Error)
  signal?.addEventListener('abort', giveUp, { once: true })
  try {
    return await open(client, server.name, location, options)
  } catch (error) {
    // The driver leaves the socket of a failed login open, and a server that has refused it may do so too.
    end()
    throw (error as Error).message === 'timeout expired' ? timedOut(server, options, error) : error
  } finally {
    signal?.removeEventListener('abort', giveUp)
  }
}

/** The driver's own words name no server. */
function timedOut({ name }: ServerAddress, { timeoutSeconds }: ConnectOptions, cause: unknown): Error {
  const message = `no answer from ${name} within ${timeoutSeconds} s (timeout expired)`
  return Object.assign(new Error(message, { cause }), { code: 'ETIMEDOUT' })
}

async function open(
  client: DriverClient,
  server: string,
  location: Location,
  { timeoutSeconds, needsStanding }: ConnectOptions,
): Promise<Opened> {
  const reported = new Map<string, string>()
  const standing = new Standing()
  client.connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
    reported.set(status.parameterName.toLowerCase(), status.parameterValue)
    standing.take(status.parameterName, status.parameterValue)
  })
  await client.connect()
  if (needsStanding && !standing.isKnown) await askStanding(client, standing, timeoutSeconds)
  const socket = client.connection.stream
  // From here on the driver would only read in parallel.
  socket.removeAllListeners('data')
  return {
    socket,
    server,
    role: location.user,
    standing,
    // Such a server passes on whatever bytes it was given.
    isUtf8: reported.get('server_encoding') !== 'SQL_ASCII',
    reported,
    processId: client.processID,
    settings: [{ name: 'application_name', value: location.startup['application_name'] ?? '' }, ...location.options],
    lacksOptions: false,
    leave() {
      client.connection.end()
      // Once the goodbye is out: the server may keep its end open.
      socket.destroySoon()
    },
    cancel: () => cancel(client, location, Math.min(timeoutSeconds, cancelSeconds)),
  }
}

async function askStanding(client: DriverClient, standing: Standing, timeoutSeconds: number): Promise<void> {
  const { stream } = client.connection
  const timer = setTimeout(() => stream.destroy(), timeoutSeconds * 1000)
  try {
    const [row] = (await client.query(standingQuery)).rows
    standing.isStandby = row?.['standby'] === 'true'
    standing.isReadOnly = row?.['readonly'] === 'true'
  } finally {
    clearTimeout(timer)
  }
}

function cancel(client: DriverClient, { ssl, sslnegotiation }: Location, timeoutSeconds: number): Promise<void> {
  const { host, port, processID, secretKey } = client
  const connection = new Connection({ ssl, sslNegotiation: sslnegotiation })
  const { promise, resolve } = Promise.withResolvers<void>()
  const send = (): void => connection.cancel(processID, secretKey)
  if (ssl === false) connection.on('connect', send)
  else if (sslnegotiation !== 'direct') connection.on('connect', () => connection.requestSsl())
  connection.on('sslconnect', send)
  connection.on('error', () => resolve())
  // The server closes the connection once it has passed the signal on.
  connection.on('end', () => resolve())
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
  const timer = setTimeout(() => resolve(), timeoutSeconds * 1000)
  return promise.finally(() => {
    clearTimeout(timer)
    connection.stream.destroy()
  })
}

/**
 * Ends if the server sends what the driver cannot read: that would end the process otherwise, keep it busy for ever, or
 * fill its memory.
 */
class Connection extends (pg.Connection as unknown as new (options: object) => DriverConnection) {
  override attachListeners(stream: Socket): void {
    const frames = new FrameReader(requireFields, maxLoginFrame, () => {
      throw new Error('The server has sent a message that is too long')
    })
    const on = (event: string, listener: (...given: unknown[]) => void): Socket =>
      stream.on(event, (...given: unknown[]) => {
        try {
          if (event === 'data') frames.read(given[0] as Buffer)
          listener(...given)
        } catch (error) {
          stream.destroy(error as Error)
        }
      })
    super.attachListeners({ on } as Socket)
  }
}

class Client extends pg.Client {
  readonly #startup: Readonly<Record<string, string>>

  constructor({ host, port }: ServerAddress, location: Location, timeoutSeconds: number) {
    const { user, database, ssl, sslnegotiation, password, currentPassword } = location
    super({
      connection: new Connection({
        ssl,
        sslNegotiation: sslnegotiation,
        keepAlive: true,
        // Behind it TCP probes ten times, once a second.
        keepAliveInitialDelayMillis: location.keepaliveSeconds * 1000,
      }),
      host,
      port,
      user,
      database,
      ssl,
      sslnegotiation,
      // As a function, because an empty password would make the driver look for one in the environment.
      password: currentPassword ?? (() => password),
      enableChannelBinding: location.enableChannelBinding,
      connectionTimeoutMillis: timeoutSeconds * 1000,
    } as unknown as pg.ClientConfig)
    this.#startup = location.startup
  }

  /** Takes the place of the driver's own, which adds what it finds in the environment. */
  getStartupConf(): Readonly<Record<string, string>> {
    return this.#startup
  }
}
