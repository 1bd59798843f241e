/**
 * One connection to PostgreSQL with what it remembers: which plans are prepared on it, whether a transaction is open and
 * whether something may have been left behind. Runs plans, prepares texts, makes itself clean again.
 */
import { Failure } from '../../errors.ts'
import { tooLong } from '../answer.ts'
import { type Catalog, queries } from './catalog.ts'
import { type ColumnDescription, Driver, type DriverOptions, type ServerError, type TextRow } from './driver.ts'
import { Closing, Command, Description, Execution, Listing, type Prepared } from './exchanges.ts'
import type { Plan } from './plan.ts'
import { compileRowWriter, type RowWriter } from './rows.ts'
import type { ColumnType } from './types.ts'

/** The answer of one statement: its rows as a JSON array, or nothing when it has no result set. */
export type Rows = string | undefined

/** Prepared statements of one connection beyond this are closed, the oldest first. */
const maxPrepared = 1000

/** What DISCARD ALL does, less dropping the prepared statements, which are ours. */
const resetText = `
RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();
DISCARD TEMP; DISCARD SEQUENCES`

/** The server has refused the plan or a value before anything was executed. */
export class NotStarted extends Error {
  override readonly cause: ServerError
  readonly code: string | undefined

  constructor(cause: ServerError) {
    super(cause.message)
    this.cause = cause
    this.code = cause.code
  }
}

export class Session {
  readonly #driver: Driver
  readonly #catalog: Catalog
  readonly #prepared = new Map<string, Prepared>()
  readonly #compile = (columns: readonly ColumnDescription[]): RowWriter | undefined => this.#writerFor(columns)
  #cancelling: Promise<void> | undefined
  #settingChanged = false
  /** Set by whoever runs a statement that may leave something behind. */
  hasRunSession = false
  /** Set by whoever runs a statement that may have made functions. */
  hasRunDefinition = false

  static async open(options: DriverOptions, catalog: Catalog): Promise<Session> {
    const session = new Session(await Driver.open(options), catalog)
    if (catalog.isOld) await session.#askForSessionFunctions()
    return session
  }

  private constructor(driver: Driver, catalog: Catalog) {
    this.#driver = driver
    this.#catalog = catalog
    driver.onSetting = () => {
      this.#settingChanged = true
    }
  }

  get isDirty(): boolean {
    const isLeft = this.isInTransaction || this.#cancelling !== undefined || this.#settingChanged
    return isLeft || this.hasRunSession || this.hasRunDefinition || this.#catalog.hasSessionFunctions
  }

  get isInTransaction(): boolean {
    return this.#driver.status !== 'I'
  }

  /** Runs the plan. Rejects with the server's error; the connection is ready for more by then. */
  async execute(plan: Plan, values: readonly (string | null)[]): Promise<Rows> {
    // Never inside a transaction: a question that fails would end it.
    if (this.#catalog.isOld && !this.isInTransaction) void this.#askForSessionFunctions()
    const known = this.#prepared.get(plan.name)
    const prepared = known ?? this.#remember(plan)
    const execution = new Execution(prepared, known === undefined, values, this.#compile)
    try {
      await this.#driver.submit(execution)
    } catch (error) {
      if (!execution.isParsed) this.#prepared.delete(plan.name)
      throw execution.isBound ? error : new NotStarted(error as ServerError)
    }
    if (execution.isTooLong) throw tooLong()
    if (execution.unwritten.length > 0) return this.#writeLate(prepared, execution.unwritten)
    return prepared.result === undefined ? undefined : execution.answer
  }

  /** Prepares without a name and gives the parameter types as the server sees them. */
  async describe(text: string, types: readonly number[]): Promise<readonly number[]> {
    const description = new Description(text, types)
    await this.#driver.submit(description)
    return description.reported
  }

  /** Runs a text of our own, which may hold several commands, for its effect. */
  command(text: string): Promise<void> {
    return this.#driver.submit(new Command(text))
  }

  async isArrayType(type: number): Promise<boolean> {
    await this.#learn([type])
    return this.#catalog.typeOf(type)?.array === true
  }

  /** Forgets that the plan is prepared, or that any is, because the server has. */
  forget(plan?: Plan): void {
    if (plan === undefined) this.#prepared.clear()
    else this.#prepared.delete(plan.name)
  }

  /** Asks the server to stop what this connection is doing, which must all be one request's. */
  cancel(): void {
    this.#cancelling ??= this.#driver.cancel()
  }

  /** The same on a connection that others may share: with several under way it could hit a neighbour's. */
  cancelIfOnly(): void {
    if (this.#driver.inFlight === 1) this.cancel()
  }

  /** Undoes what other requests may have left for a statement that looks at the session. */
  reset(): Promise<void> {
    return this.command(resetText)
  }

  /** Ends a transaction that was left open and undoes what may have been left behind. False when that failed. */
  async clean(): Promise<boolean> {
    try {
      // A cancel request that is still under way would hit whoever is next.
      await this.#cancelling
      this.#cancelling = undefined
      if (this.isInTransaction) await this.command('ROLLBACK')
      if (this.hasRunDefinition) await this.#askForSessionFunctions()
      if (this.hasRunSession) {
        await this.command('DISCARD ALL')
        this.#prepared.clear()
      } else if (this.#settingChanged || this.#catalog.hasSessionFunctions) {
        await this.command(resetText)
      }
      this.hasRunDefinition = false
      this.hasRunSession = false
      this.#settingChanged = false
      return true
    } catch {
      return false
    }
  }

  close(): Promise<void> {
    return this.#driver.close()
  }

  async #askForSessionFunctions(): Promise<void> {
    this.#catalog.touch()
    const listing = new Listing(queries.sessionFunctions, [])
    // Without an answer the last one stands: a cancel may have hit the question, or the server has another catalogue.
    await this.#driver.submit(listing).catch(() => undefined)
    const [row] = listing.listed
    if (row !== undefined) this.#catalog.hasSessionFunctions = row[0] === 't'
  }

  #remember(plan: Plan): Prepared {
    const prepared = { plan, result: undefined }
    this.#prepared.set(plan.name, prepared)
    const [oldest] = this.#prepared.keys()
    if (this.#prepared.size > maxPrepared && oldest !== undefined) {
      this.#prepared.delete(oldest)
      // Sent ahead of the new statement; should it fail, the connection is lost and says so itself.
      this.#driver.submit(new Closing(oldest)).catch(() => undefined)
    }
    return prepared
  }

  async #writeLate({ result }: Prepared, rows: readonly TextRow[]): Promise<Rows> {
    if (result === undefined) {
      // Another session's statement of this name: something between us and the server swaps connections.
      this.#driver.destroy()
      throw new Failure(
        'BadSqlGrammarException',
        'The connection to the database is not kept, use a pooler in session mode',
      )
    }
    await this.#learn(result.columns.map(({ dataTypeID }) => dataTypeID))
    result.writer = this.#writerFor(result.columns)
    return `[${rows.map(result.writer as RowWriter).join(',')}]`
  }

  /** The writer for these columns, if every type is known. */
  #writerFor(columns: readonly ColumnDescription[]): RowWriter | undefined {
    const types = columns.map(({ dataTypeID }) => this.#catalog.typeOf(dataTypeID))
    if (types.includes(undefined)) return undefined
    const names = columns.map(({ name }) => name)
    return compileRowWriter(names, types as ColumnType[])
  }

  async #learn(ids: readonly number[]): Promise<void> {
    const unknown = ids.filter((id) => id !== 0 && this.#catalog.typeOf(id) === undefined)
    if (unknown.length === 0) return
    const listing = new Listing(queries.types, [`{${unknown.join(',')}}`])
    await this.#driver.submit(listing)
    this.#catalog.addTypes(listing.listed, unknown)
  }
}
