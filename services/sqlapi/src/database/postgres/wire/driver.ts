/**
 * The only file that knows the PostgreSQL driver, which does connecting, TLS and authentication here. What comes out is a
 * socket on which the server is ready for queries, and the way to cancel what it does; what is said on it is wire.ts's.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import { type Location, readLocation } from './location.ts'
import type { Setting } from './settings.ts'

export interface DriverOptions {
  readonly url: string
  readonly connectTimeoutSeconds: number
  /** A name or an offset, as the configuration has it; UTC where it is left out. */
  readonly timeZone?: string | undefined
}

/** A connection that is ready for queries. */
export interface Opened {
  readonly socket: Socket
  /** The texts that the server sends are valid UTF-8. */
  readonly isUtf8: boolean
  /** What the URL asks for beside the settings of the service. */
  readonly settings: readonly Setting[]
  /** The server has not taken `options`, so all of them have to be set. */
  readonly lacksOptions: boolean
  /** Asks the server, over a connection of its own, to stop what this one is doing. Resolves when that was delivered. */
  readonly cancel: () => Promise<void>
}

/** A request to cancel is given up after this time. */
const cancelSeconds = 5

/** The parts of the driver's connection that this file touches. */
interface DriverConnection {
  readonly stream: Socket
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: string, listener: (message: never) => void): void
}

interface DriverClient {
  readonly connection: DriverConnection
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  connect(): Promise<unknown>
  on(event: string, listener: (error: Error) => void): void
}

export async function openSocket(options: DriverOptions): Promise<Opened> {
  const location = readLocation(options.url, options.timeZone)
  try {
    return await connectPatiently(options, location)
  } catch (error) {
    if (!location.isSslOptional || !(error as Error).message.includes('does not support SSL')) throw error
    return connectPatiently(options, { ...location, ssl: false })
  }
}

/** PgBouncer takes `options` only where it is told to ignore or to track them. */
async function connectPatiently(options: DriverOptions, location: Location): Promise<Opened> {
  try {
    return await connect(options, location)
  } catch (error) {
    const { options: given, ...startup } = location.startup
    if (given === undefined || !(error as Error).message.includes('unsupported startup parameter')) throw error
    return { ...(await connect(options, { ...location, startup })), lacksOptions: true }
  }
}

async function connect({ connectTimeoutSeconds }: DriverOptions, location: Location): Promise<Opened> {
  const client = new Client(location, connectTimeoutSeconds) as unknown as DriverClient
  // The wire handles later errors; without a listener here they would end the process.
  client.on('error', () => undefined)
  let serverEncoding = ''
  client.connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
    if (status.parameterName === 'server_encoding') serverEncoding = status.parameterValue
  })
  await client.connect()
  const socket = client.connection.stream
  // From here on the driver would only read in parallel.
  socket.removeAllListeners('data')
  return {
    socket,
    // Such a server passes on whatever bytes it was given.
    isUtf8: serverEncoding !== 'SQL_ASCII',
    settings: [{ name: 'application_name', value: location.startup['application_name'] ?? '' }, ...location.options],
    lacksOptions: false,
    cancel: () => cancel(client, location, Math.min(connectTimeoutSeconds, cancelSeconds)),
  }
}

function cancel(client: DriverClient, { ssl, sslnegotiation }: Location, timeoutSeconds: number): Promise<void> {
  const { host, port, processID, secretKey } = client
  const config = { ssl, sslNegotiation: sslnegotiation }
  const connection = new pg.Connection(config) as unknown as DriverConnection
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
  const timer = setTimeout(() => connection.stream.destroy(), timeoutSeconds * 1000)
  return promise.finally(() => clearTimeout(timer))
}

class Client extends pg.Client {
  readonly #startup: Readonly<Record<string, string>>

  constructor(location: Location, connectTimeoutSeconds: number) {
    const { host, port, user, database, ssl, sslnegotiation, password } = location
    super({
      host,
      port,
      user,
      database,
      ssl,
      sslnegotiation,
      // As a function, because an empty password would make the driver look for one in the environment.
      password: () => password,
      keepAlive: true,
      // Behind it TCP probes ten times, once a second.
      keepAliveInitialDelayMillis: location.keepAliveSeconds * 1000,
      enableChannelBinding: location.enableChannelBinding,
      connectionTimeoutMillis: Math.max(1, connectTimeoutSeconds) * 1000,
    } as pg.ClientConfig)
    this.#startup = location.startup
  }

  /** Takes the place of the driver's own, which adds what it finds in the environment. */
  getStartupConf(): Readonly<Record<string, string>> {
    return this.#startup
  }
}
