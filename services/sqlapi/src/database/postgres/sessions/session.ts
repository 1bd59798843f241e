/**
 * One connection to PostgreSQL with what it remembers: which plans are prepared on it, whether a transaction is open and
 * whether something may have been left behind. Runs plans, prepares texts, makes itself clean again.
 */
import { Failure } from '../../../errors.ts'
import type { RowFormat } from '../../../formats/format.ts'
import { json } from '../../../formats/json.ts'
import type { Sink } from '../../result.ts'
import { ByteWriter } from '../rows/bytes.ts'
import { toArrayText } from '../types/arrays.ts'
import { type Catalog, queries } from './catalog.ts'
import type { Opened } from '../wire/driver.ts'
import {
  Closing,
  Command,
  Description,
  type Execution,
  type ExecutionContext,
  Listing,
  type Prepared,
  type ResultShape,
  type Values,
} from '../wire/round-trips.ts'
import type { Flight } from '../wire/flight.ts'
import type { ColumnDescription, ServerError } from '../wire/frames.ts'
import type { Plan } from '../plans/plan.ts'
import { compileRowWriter, emptyOf, type RowWriter } from '../rows/rows.ts'
import { deallocateText, resetBy, resetText, SessionSettings, settableQuery, settingsText } from '../wire/settings.ts'
import { type DriverOptions, openSocket } from '../wire/servers.ts'
import type { ColumnType } from '../types/types.ts'
import { Wire } from '../wire/wire.ts'
import { isRefusedWrite, NotStarted, PlanRun, type Rows, type RowsReader, withTimeout } from './plan-run.ts'
import { Silence } from './silence.ts'

/** Prepared statements of one connection beyond this are closed, the oldest first. */
const maxPrepared = 1000

export interface SessionOptions extends DriverOptions {
  /** Longest time that the server lets a statement run; 0 leaves that to the server. */
  readonly statementTimeoutSeconds: number
  /** How long the server may be silent after a cancel, or after a command of ours that takes no time. */
  readonly silenceTimeoutSeconds?: number | undefined
  /** Called where the server has refused to write, unless the file itself may have asked for that. */
  readonly onRefusedWrite?: ((session: Session) => void) | undefined
  readonly meter?: ExecutionContext['meter']
}

/** The part of the time for connecting that reading stored code may take. */
const readingShare = 0.25

export class Session {
  readonly #wire: Wire
  readonly #catalog: Catalog
  /** The texts that the server sends are valid UTF-8. */
  #isUtf8: boolean
  readonly #prepared = new Map<string, Prepared>()
  readonly #context: ExecutionContext
  /** The server that it is connected to. */
  readonly peer: Pick<Opened, 'server' | 'standing'>
  readonly #opened: Opened
  /** Settings that make the session what the service expects. */
  readonly #settings: SessionSettings
  /** Settings that the server has reported as others than ours. */
  readonly #wrong = new Set<string>()
  readonly #onRefusedWrite: SessionOptions['onRefusedWrite']
  readonly #silence: Silence
  /** It is to end as soon as it is free. */
  #isRetired = false
  #cancelling: Promise<void> | undefined
  #settingChanged = false
  /** Set by the caller that runs a statement that may leave something behind. */
  hasRunSession = false
  /** The same by way of stored code, which leaves our prepared statements alone. */
  hasRunCode = false
  /** Set by the caller that runs a statement that may create functions. */
  hasRunDefinition = false

  /** `onBroken` is called when the connection ends by itself. */
  static async open(options: SessionOptions, catalog: Catalog, onBroken: () => void): Promise<Session> {
    const session = new Session(await openSocket(options), options, catalog, onBroken)
    const timer = setTimeout(() => session.#wire.destroy(), options.connectTimeoutSeconds * 1000)
    try {
      await session.#prepare(options.connectTimeoutSeconds * 1000 * readingShare)
      return session
    } catch (error) {
      session.#wire.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  private constructor(opened: Opened, options: SessionOptions, catalog: Catalog, onBroken: () => void) {
    const { socket, isUtf8 } = opened
    this.#wire = new Wire(socket, onBroken)
    this.#settings = new SessionSettings(options.timeZone, options.statementTimeoutSeconds)
    this.#opened = opened
    this.peer = opened
    this.#onRefusedWrite = options.onRefusedWrite
    this.#silence = new Silence(() => this.#wire.destroy(), options.silenceTimeoutSeconds)
    this.#catalog = catalog
    this.#isUtf8 = isUtf8
    this.#context = {
      wire: this.#wire,
      out: new ByteWriter(),
      meter: options.meter,
      compile: (columns, format) => this.#compileWriter(columns, format),
    }
    this.#wire.onSetting = (name, value) => {
      this.#settingChanged = true
      opened.standing.take(name, value)
      if (this.#settings.isAsSet(name, value)) this.#wrong.delete(name)
      else this.#wrong.add(name)
      if (name === 'client_encoding') this.#setEncoding(isUtf8 && value === 'UTF8')
    }
  }

  get isDirty(): boolean {
    const isLeft = this.#isRetired || this.isInTransaction || this.#cancelling !== undefined || this.#settingChanged
    const isAsked = this.hasRunDefinition || this.#catalog.isOld || this.#settings.isLimited
    return isLeft || this.hasRunSession || this.hasRunCode || isAsked || this.#catalog.code.isEverywhere
  }

  /** From now on it is no longer clean, nor to be made so. */
  retire(): void {
    this.#isRetired = true
  }

  /** What is sent is taken for UTF-8, not for single bytes. */
  get isUtf8(): boolean {
    return this.#isUtf8
  }

  get isInTransaction(): boolean {
    return this.#wire.status !== 'I'
  }

  /** Runs the plan; an answer that grows long goes to the sink, if there is one. Rejects with the server's error. */
  execute(plan: Plan, values: Values, format: RowFormat, sink?: Sink): Promise<Rows> {
    return new Promise((gave, failed) => this.start(plan, values, { format, sink, shared: undefined, gave, failed }))
  }

  /** The same without a promise. The connection is ready for more when the reader hears of the end. */
  start(plan: Plan, values: Values, reader: RowsReader): void {
    const prepared = this.#prepared.get(plan.name) ?? this.#remember(plan)
    const run = new PlanRun(this, this.#context, prepared, values, reader)
    run.started = this.#now()
    const { shared } = reader
    if (shared !== undefined) shared.onCancel = this.#leaver(run)
    this.#wire.submit(run, run)
  }

  /** The run has ended, with an error or without. */
  conclude(run: PlanRun, error: unknown): void {
    const { prepared, unwritten, format, reader } = run
    const { result } = prepared
    if (reader.shared !== undefined) reader.shared.onCancel = undefined
    if (error !== undefined) {
      if (!run.isParsed) this.#prepared.delete(prepared.plan.name)
      const reason = this.#toReason(error, run.started)
      reader.failed(run.isBound ? reason : new NotStarted(reason as ServerError))
    } else if (unwritten.length > 0) {
      this.#writeLate(result, unwritten, format).then(
        (rows) => reader.gave(rows),
        (failure: unknown) => reader.failed(failure),
      )
    } else if (result === undefined) {
      reader.gave(undefined)
    } else {
      reader.gave(run.answer ?? result.writers.find(format)?.empty ?? emptyOf(result.columns, format))
    }
  }

  #leaver(execution: Execution): () => void {
    return () => this.#wire.whenAbandoned(execution, this.cancel)
  }

  /** The plan as this connection has prepared it, if it knows all about its result. */
  described(plan: Plan): Prepared | undefined {
    const prepared = this.#prepared.get(plan.name)
    if (prepared === undefined || !prepared.isDescribed) return undefined
    const { result } = prepared
    return result === undefined || result.writers.find(json) !== undefined ? prepared : undefined
  }

  /** Runs its steps behind each other. Rejects with the error of the first that fails, which is then its current one. */
  async fly(flight: Flight): Promise<void> {
    const started = this.#now()
    try {
      await this.#wire.ask(flight)
    } catch (error) {
      if (error instanceof Failure) throw error
      const reason = this.#toReason(error, started)
      throw flight.isBound ? reason : new NotStarted(reason as ServerError)
    } finally {
      this.#context.meter?.gave(flight.rows)
    }
  }

  /** Prepares without a name and gives the parameter types as the server sees them. */
  async describe(text: string, types: readonly number[]): Promise<readonly number[]> {
    const { parameters, columns = [] } = await this.prepareText(text, types)
    // Known before the first row comes, so that none has to wait for it.
    await this.#learn(columns.map(({ dataTypeID }) => dataTypeID))
    return parameters
  }

  /** The same, with the columns of the result, if it has one. With a name it stays prepared. */
  async prepareText(text: string, types: readonly number[], name = ''): Promise<Description> {
    const description = new Description(text, types, name)
    const started = this.#now()
    await this.#wire.ask(description).catch((error: unknown) => {
      throw this.#toReason(error, started)
    })
    return description
  }

  /** Runs a query of our own and gives its rows as text. */
  async list(query: string, values: readonly string[]): Promise<Listing['rows']> {
    const listing = new Listing(query, values)
    await this.#wire.ask(listing)
    return listing.rows
  }

  /** Runs a text of our own, which may hold several commands, for its effect. */
  command(text: string): Promise<void> {
    return this.#wire.ask(new Command(text))
  }

  /** For a file with a time limit of its own. Sent ahead of its statements; cleaning brings the datasource's limit back. */
  limitStatements(seconds: number): void {
    // Where the connection is lost the statements behind it say so.
    if (seconds !== this.#settings.timeoutSeconds) this.command(this.#settings.limit(seconds)).catch(() => undefined)
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

  /** Asks the server to stop what this connection is doing, which must all be one request's. One function for all requests. */
  readonly cancel = (): void => {
    if (this.#cancelling !== undefined) return
    this.#context.meter?.cancelled()
    this.#cancelling = this.#opened.cancel()
    this.#silence.begins()
  }

  /** Undoes what other requests may have left for a statement that looks at the session. */
  async reset(): Promise<void> {
    const command = new Command(resetText + settingsText(this.#settings.all))
    await this.#silence.answered(this.#wire.ask(command))
    if (command.names.length > 0) await this.command(deallocateText(command.names))
  }

  /** Ends a transaction that was left open and undoes what may have been left behind. False when that failed. */
  async clean(): Promise<boolean> {
    try {
      this.#silence.isOver()
      if (this.#isRetired) return false
      // A cancel request that is still under way would hit the next statement.
      await this.#cancelling
      this.#cancelling = undefined
      if (this.isInTransaction) this.#context.meter?.rolledBack()
      if (this.isInTransaction) await this.#silence.answered(this.command('ROLLBACK'))
      if (this.#settings.isLimited) await this.#silence.answered(this.command(this.#settings.limit()))
      if (this.hasRunDefinition || this.#catalog.isOld) await this.#silence.answered(this.#lookAtCode())
      if (this.hasRunSession) {
        // DISCARD ALL has to stand alone, so what follows it is sent behind it.
        await this.#silence.answered(Promise.all([this.command('DISCARD ALL'), this.applySettings()]))
        this.#prepared.clear()
      } else if (this.hasRunCode || this.#settingChanged || this.#catalog.code.isEverywhere) {
        await this.reset()
      }
      this.hasRunDefinition = false
      this.hasRunSession = false
      this.hasRunCode = false
      this.#settingChanged = false
      return this.#wrong.size === 0 && !this.#isRetired
    } catch {
      return false
    }
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  /** What takes more than the start-up message. */
  async #prepare(readingMs: number): Promise<void> {
    const { settings, lacksOptions } = this.#opened
    const names = settings.map(({ name }) => name)
    // A single setting is the application's name, which everybody may set.
    const isPlain = names.length === 1
    const settable = new Set(isPlain ? names : (await this.list(settableQuery, [toArrayText(names)])).flat())
    const refused = names.filter((name) => !settable.has(name))
    if (lacksOptions && refused.length > 0) throw new Error(`The setting ${refused.join(', ')} cannot be made`)
    this.#settings.take(settings.filter(({ name }) => settable.has(name)))
    await this.applySettings()
    // Better now than beside the first requests.
    for (const since = performance.now(); this.#catalog.isOld && performance.now() - since < readingMs;)
      await this.#lookAtCode()
    this.#settingChanged = false
  }

  /** Makes the session what the service expects, after something that the server's own settings come back with. */
  applySettings(): Promise<void> {
    return this.command(settingsText(this.#settings.all))
  }

  /** After a statement of a file: behind a pooler a reset brings back what the server has, and not what we have set. */
  async repairSettings(statement: string): Promise<void> {
    const reset = resetBy(statement, this.#settings.all)
    if (reset.length > 0) await this.command(settingsText(reset))
  }

  /** Time of now, where a statement that begins now is to be timed. */
  #now(): number {
    return this.#settings.timeoutSeconds === 0 ? 0 : performance.now()
  }

  #toReason(error: unknown, started: number): unknown {
    if (isRefusedWrite(error) && !this.hasRunSession) this.#onRefusedWrite?.(this)
    return this.#cancelling === undefined ? withTimeout(error, started, this.#settings.timeoutSeconds) : error
  }

  async #lookAtCode(): Promise<void> {
    this.#catalog.touch()
    try {
      if (!(await this.#catalog.code.look((query, values) => this.list(query, values)))) this.#catalog.expire()
    } catch {
      // The last answer stands: a cancel may have hit the question, or the server has another catalogue.
    }
  }

  #remember(plan: Plan): Prepared {
    const prepared = { plan, isSent: false, isDescribed: false, result: undefined }
    this.#prepared.set(plan.name, prepared)
    const [oldest] = this.#prepared.keys()
    if (this.#prepared.size > maxPrepared && oldest !== undefined) {
      this.#prepared.delete(oldest)
      // Sent ahead of the new statement; should it fail, the connection is lost and says so itself.
      this.#wire.ask(new Closing(oldest)).catch(() => undefined)
    }
    return prepared
  }

  async #writeLate(result: ResultShape | undefined, rows: readonly Buffer[], format: RowFormat): Promise<Rows> {
    if (result === undefined) {
      // The statement of this name is another session's: something between us and the server swaps connections.
      this.#wire.destroy()
      throw new Failure('session_swapped')
    }
    await this.#learn(result.columns.map(({ dataTypeID }) => dataTypeID))
    const writer = result.writers.find(format) as RowWriter
    const out = new ByteWriter()
    for (const [index, row] of rows.entries()) writer.write(row, 0, out, index === 0)
    writer.writeEnd(out)
    return out.take()
  }

  #setEncoding(isUtf8: boolean): void {
    this.#isUtf8 = isUtf8
    for (const { result } of this.#prepared.values()) result?.writers.forget()
  }

  /** The writer for these columns, if every type is known. */
  #compileWriter(columns: readonly ColumnDescription[], format: RowFormat): RowWriter | undefined {
    const types = columns.map(({ dataTypeID }) => this.#catalog.typeOf(dataTypeID))
    if (types.includes(undefined)) return undefined
    const names = columns.map(({ name }) => name)
    return compileRowWriter({ names, types: types as ColumnType[], isUtf8: this.#isUtf8 }, format)
  }

  async #learn(ids: readonly number[]): Promise<void> {
    const unknown = ids.filter((id) => id !== 0 && this.#catalog.typeOf(id) === undefined)
    if (unknown.length === 0) return
    this.#catalog.addTypes(await this.list(queries.types, [`{${unknown.join(',')}}`]), unknown)
  }
}
