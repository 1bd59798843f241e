/**
 * The only file that knows the PostgreSQL driver. It does connecting, TLS, authentication and framing; this file turns it
 * into a connection that takes exchanges: messages out, messages in, done at ReadyForQuery. Exchanges may be submitted
 * without waiting for each other (they are pipelined, each with its own Sync, so one's error is nobody else's).
 *
 * What is exchanged is exchanges.ts's business, what the connection remembers session.ts's.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import { Failure } from '../../errors.ts'
import { type Location, readLocation } from './location.ts'

/** The parts of the driver's connection that exchanges write to. */
export interface Wire {
  parse(message: { name: string; text: string; types: readonly number[] }): void
  describe(message: { type: 'S'; name: string }): void
  bind(message: { statement: string; values: readonly (string | null)[] }): void
  execute(message?: undefined): void
  close(message: { type: 'S'; name: string }): void
  query(text: string): void
  sync(): void
  sendCopyFail(message: string): void
}

/** The rest of it, which only this file touches. */
interface DriverConnection extends Wire {
  readonly stream: Socket
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processId: number, secretKey: number): void
  on(event: string, listener: (message: never) => void): void
  end(): void
}

interface DriverClient {
  readonly connection: DriverConnection
  readonly host: string
  readonly port: number
  readonly processID: number
  readonly secretKey: number
  connect(): Promise<unknown>
  query(exchange: Exchange): void
  end(): Promise<void>
  on(event: string, listener: (error: Error) => void): void
}

/** An error as the server reports it; `code` is the SQLSTATE. */
export interface ServerError extends Error {
  readonly code?: string
  readonly severity?: string
  readonly routine?: string
  readonly position?: string
}

/** One row as it comes: the column texts, null for NULL. */
export type TextRow = readonly (string | null)[]

export interface ColumnDescription {
  readonly name: string
  readonly dataTypeID: number
}

/**
 * One exchange with the server. It extends the driver's query class because the driver pipelines nothing else; the driver
 * calls the `handle..` methods in the order in which the messages come in, and reads fields such as `name`, `rows` and `types`,
 * so an exchange must not use these for itself.
 */
export abstract class Exchange extends pg.Query {
  readonly done: Promise<void>
  readonly #resolve: () => void
  readonly #reject: (reason: unknown) => void
  #error: unknown

  constructor() {
    super('')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.done = promise
    this.#resolve = resolve
    this.#reject = reject
  }

  /** Writes the exchange's messages, the last of them a Sync (or a simple query, which has one built in). */
  abstract send(wire: Wire): void

  /** Keeps the first error; the exchange ends with it when the server is ready again. */
  fail(error: unknown): void {
    this.#error ??= error
  }

  settle(): void {
    if (this.#error === undefined) this.#resolve()
    else this.#reject(this.#error)
  }

  /** The server has accepted the statement, whatever comes later. */
  handleParsed(): void {}
  /** The values fit the types; from here on the statement runs. */
  handleBound(): void {}
  handleParameterTypes(_types: readonly number[]): void {}
  handleRowDescription(_message: { fields: readonly ColumnDescription[] }): void {}
  handleDataRow(_message: { fields: TextRow }): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleReadyForQuery(): void {}

  // A field, not a method, because the driver's typings declare it so.
  override readonly submit = (wire: unknown): void => this.send(wire as Wire)

  handleError(error: ServerError): void {
    this.fail(error)
    // ReadyForQuery follows an ERROR; nothing follows a FATAL one or a lost connection.
    if (error.severity !== 'ERROR') this.settle()
  }

  handleCopyInResponse(wire: Wire): void {
    this.fail(new Failure('BadSqlGrammarException', 'COPY FROM STDIN is not supported'))
    wire.sendCopyFail('not supported')
    // The server has ignored the Sync that came while it waited for data.
    wire.sync()
  }

  handleCopyData(): void {
    this.fail(new Failure('BadSqlGrammarException', 'COPY TO STDOUT is not supported'))
  }
}

/** A server that does not answer a goodbye is left without one. */
const closeMs = 2000

export interface DriverOptions {
  readonly url: string
  readonly connectTimeoutSeconds: number
  /** The connection ended by itself. */
  readonly onBroken: () => void
}

export class Driver {
  readonly #client: DriverClient
  readonly #options: DriverOptions
  readonly #location: Location
  readonly #inFlight: Exchange[] = []
  #isCorked = false
  /** Transaction status at the last ReadyForQuery: idle, in a transaction, in a failed one. */
  status: 'I' | 'T' | 'E' = 'I'
  /** Called when the server reports that a setting has changed. */
  onSetting: (() => void) | undefined

  static async open(options: DriverOptions): Promise<Driver> {
    const location = readLocation(options.url)
    try {
      return await Driver.#connect(options, location)
    } catch (error) {
      if (!location.isSslOptional || !(error as Error).message.includes('does not support SSL')) throw error
      return Driver.#connect(options, { ...location, ssl: false })
    }
  }

  static async #connect(options: DriverOptions, location: Location): Promise<Driver> {
    const driver = new Driver(options, location)
    await driver.#client.connect()
    guardReading(driver.#client.connection.stream)
    driver.#client.connection.on('parameterStatus', () => driver.onSetting?.())
    return driver
  }

  private constructor(options: DriverOptions, location: Location) {
    this.#options = options
    this.#location = location
    this.#client = new Client(location, options.connectTimeoutSeconds) as unknown as DriverClient
    this.#client.on('error', options.onBroken)
    this.#client.on('end', options.onBroken)
    const { connection } = this.#client
    // The driver tells its queries of neither of these.
    connection.on('parseComplete', () => this.#inFlight[0]?.handleParsed())
    connection.on('bindComplete', () => this.#inFlight[0]?.handleBound())
    // Heard before the exchange is told, so that nobody is given the dying connection next.
    connection.on('errorMessage', ({ severity }: ServerError) => {
      if (severity !== 'ERROR') options.onBroken()
    })
    connection.on('parameterDescription', (message: { dataTypeIDs: readonly number[] }) =>
      this.#inFlight[0]?.handleParameterTypes(message.dataTypeIDs),
    )
    connection.on('readyForQuery', (message: { status: 'I' | 'T' | 'E' }) => {
      this.status = message.status
      this.#inFlight.shift()?.settle()
    })
  }

  get inFlight(): number {
    return this.#inFlight.length
  }

  submit(exchange: Exchange): Promise<void> {
    this.#cork()
    this.#inFlight.push(exchange)
    this.#client.query(exchange)
    return exchange.done
  }

  /** Asks the server, over a connection of its own, to stop what this one is doing. Resolves when that was delivered. */
  cancel(): Promise<void> {
    const { host, port, processID, secretKey } = this.#client
    const { ssl } = this.#location
    const connection = new pg.Connection({ ssl }) as unknown as DriverConnection
    const { promise, resolve } = Promise.withResolvers<void>()
    const send = (): void => connection.cancel(processID, secretKey)
    connection.on('connect', ssl === false ? send : () => connection.requestSsl())
    connection.on('sslconnect', send)
    connection.on('error', () => resolve())
    // The server closes the connection once it has passed the signal on.
    connection.on('end', () => resolve())
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
    const timer = setTimeout(() => connection.stream.destroy(), this.#options.connectTimeoutSeconds * 1000)
    return promise.finally(() => clearTimeout(timer))
  }

  /** Says goodbye and closes. Never rejects. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.destroy(), closeMs)
    await this.#client.end().catch(() => undefined)
    clearTimeout(timer)
  }

  /** Drops the connection at once, for when the server is still sending. */
  destroy(): void {
    this.#client.connection.stream.destroy()
  }

  /** Everything that is submitted in one turn of the event loop leaves in one write. */
  #cork(): void {
    if (this.#isCorked) return
    this.#isCorked = true
    const { stream } = this.#client.connection
    stream.cork()
    setImmediate(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }
}

/**
 * The driver reads messages in its socket's `data` event, where an exception (a value too long for a string) would end the
 * process. It costs the connection instead.
 */
function guardReading(stream: Socket): void {
  for (const read of stream.listeners('data') as ((chunk: Buffer) => void)[]) {
    stream.off('data', read)
    stream.on('data', (chunk: Buffer) => {
      try {
        read(chunk)
      } catch (error) {
        stream.destroy(error as Error)
      }
    })
  }
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
      connectionTimeoutMillis: Math.max(1, connectTimeoutSeconds) * 1000,
      pipeline: true,
    } as pg.ClientConfig)
    this.#startup = location.startup
  }

  /** Takes the place of the driver's own, which adds what it finds in the environment. */
  getStartupConf(): Readonly<Record<string, string>> {
    return this.#startup
  }
}
