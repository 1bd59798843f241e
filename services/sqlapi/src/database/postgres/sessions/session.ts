/**
 * One connection to PostgreSQL with what it remembers: which plans are prepared on it, whether a transaction is open and
 * whether something may have been left behind. Runs plans, prepares texts, makes itself clean again.
 */
import { Failure } from '../../../errors.ts'
import type { RowFormat } from '../../../formats/format.ts'
import { optionsOver } from '../../options-over.ts'
import type { Sink } from '../../result.ts'
import type { Plan } from '../plans/plan.ts'
import { emptyOf } from '../rows/rows.ts'
import { toArrayText } from '../types/arrays.ts'
import { CallSettings } from '../wire/call-settings.ts'
import type { Opened } from '../wire/driver.ts'
import type { Flight } from '../wire/flight.ts'
import { ServerError } from '../wire/frames.ts'
import { Command, Description, type Execution, type Values } from '../wire/round-trips.ts'
import { type DriverOptions, openSocket } from '../wire/servers.ts'
import { dateOrderQuery, deallocateText, resetBy, resetText, SessionSettings, settableQuery } from '../wire/settings.ts'
import type { Catalog } from './catalog.ts'
import { isRefusedWrite, NotStarted, PlanRun, type Rows, type RowsReader, withTimeout } from './plan-run.ts'
import { ServerConnection, type ServerConnectionOptions } from './server-connection.ts'
import { SharedCalls } from './shared-calls.ts'
import { Silence } from './silence.ts'

export interface SessionOptions extends DriverOptions, ServerConnectionOptions {
  /** Longest time that the server lets a statement run; 0 leaves that to the server. */
  readonly statementTimeoutSeconds: number
  /** How long the server may be silent after a cancel, or after a command of ours that takes no time. */
  readonly silenceTimeoutSeconds?: number | undefined
  /** Called where the server has refused to write, unless the file itself may have asked for that. */
  readonly onRefusedWrite?: ((session: Session) => void) | undefined
}

/** The part of the time for connecting that reading stored code may take. */
const readingShare = 0.25

export class Session extends ServerConnection {
  /** The server that it is connected to. */
  readonly peer: Pick<Opened, 'server' | 'standing'>
  /** Settings that make the session what the service expects. */
  readonly #settings: SessionSettings
  /** The same where they are made for each transaction. */
  readonly #calls: CallSettings | undefined
  /** Those of several clients, there. */
  readonly #shared: SharedCalls | undefined
  /** Settings that the server has reported as others than ours. */
  readonly #wrong = new Set<string>()
  readonly #onRefusedWrite: SessionOptions['onRefusedWrite']
  readonly #silence: Silence
  /** It is to end as soon as it is free. */
  #isRetired = false
  #cancelling: Promise<void> | undefined
  /** The same until it was delivered. */
  cancelling: Promise<void> | undefined
  #settingChanged = false
  /** Set by the caller that runs a statement that may leave something behind. */
  hasRunSession = false
  /** The same by way of stored code, which leaves our prepared statements alone. */
  hasRunCode = false
  /** Set by the caller that runs a statement that may create functions. */
  hasRunDefinition = false

  /** `onBroken` is called when the connection ends by itself. */
  static async open(options: SessionOptions, catalog: Catalog, onBroken: () => void): Promise<Session> {
    const { dateStyle } = catalog
    let isWanted = true
    const broken = (): void => {
      if (isWanted) onBroken()
    }
    const session = new Session(await openSocket(optionsOver(options, { dateStyle })), options, catalog, broken)
    const timer = setTimeout(() => session.wire.destroy(), options.connectTimeoutSeconds * 1000)
    try {
      await session.#prepare(options.connectTimeoutSeconds * 1000 * readingShare)
      if (options.isPooled !== true || dateStyle !== undefined) return session
      // The first of all. A pooler compares texts: it would set a style that is spelled otherwise anew with each transaction.
      catalog.dateStyle = `ISO, ${(await session.list(dateOrderQuery, [])).flat()[0] ?? 'MDY'}`
    } catch (error) {
      session.wire.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
    isWanted = false
    await session.close()
    return Session.open(options, catalog, onBroken)
  }

  private constructor(opened: Opened, options: SessionOptions, catalog: Catalog, onBroken: () => void) {
    super(opened, options, catalog, onBroken)
    const { timeZone, statementTimeoutSeconds: seconds, isPooled } = options
    this.#shared = isPooled === true ? new SharedCalls(this.wire, this) : undefined
    this.#calls = isPooled === true ? new CallSettings(timeZone, seconds, opened.reported) : undefined
    this.#settings = this.#calls ?? new SessionSettings(timeZone, seconds)
    this.peer = opened
    this.#onRefusedWrite = options.onRefusedWrite
    this.#silence = new Silence(() => this.wire.destroy(), options.silenceTimeoutSeconds)
    this.wire.onSetting = (name, value) => {
      this.#settingChanged = true
      opened.standing.take(name, value)
      if (this.#settings.isAsSet(name, value)) this.#wrong.delete(name)
      else this.#wrong.add(name)
      if (name === 'client_encoding') this.setEncoding(opened.isUtf8 && value === 'UTF8')
    }
  }

  get isDirty(): boolean {
    const isLeft = this.#isRetired || this.isInTransaction || this.#cancelling !== undefined || this.#settingChanged
    const isAsked = this.hasRunDefinition || this.catalog.isOld || this.#settings.isLimited
    return isLeft || isAsked || (this.#calls === undefined && this.#mayHaveChanged)
  }

  /** Something may be left in the session. */
  get #mayHaveChanged(): boolean {
    return this.hasRunSession || this.hasRunCode || this.catalog.code.isEverywhere
  }

  /** From now on it is no longer clean, nor to be made so. */
  retire(): void {
    this.#isRetired = true
  }

  /** Runs the plan; an answer that grows long goes to the sink, if there is one. Rejects with the server's error. */
  execute(plan: Plan, values: Values, format: RowFormat, sink?: Sink): Promise<Rows> {
    return new Promise((gave, failed) => this.start(plan, values, { format, sink, shared: undefined, gave, failed }))
  }

  /** The same without a promise. The connection is ready for more when the reader hears of the end. */
  start(plan: Plan, values: Values, reader: RowsReader, comment?: string): void {
    const run = new PlanRun(this, this.context, this.prepared.of(plan, comment), values, reader)
    run.comment = comment
    run.started = this.#now()
    const { shared } = reader
    if (shared !== undefined && this.#shared !== undefined) {
      run.listener = run
      shared.onCancel = () => this.#shared?.abandon(run)
      this.#shared.add(run)
      return
    }
    if (shared !== undefined) shared.onCancel = this.#leaver(run)
    run.ahead = this.ahead()
    this.wire.submit(run, run)
  }

  /** The run has ended, with an error or without. */
  conclude(run: PlanRun, error: unknown): void {
    const { prepared, unwritten, format, reader } = run
    const { result } = prepared
    if (reader.shared !== undefined) reader.shared.onCancel = undefined
    if (error !== undefined) {
      if (!run.isParsed) this.prepared.drop(prepared)
      const reason = this.#toReason(error, run.started)
      reader.failed(run.isBound ? reason : new NotStarted(reason as ServerError))
    } else if (unwritten.length > 0) {
      this.writeLate(result, unwritten, format).then(
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
    return () => this.wire.whenAbandoned(execution, this.cancel)
  }

  /** Runs its steps behind each other. Rejects with the error of the first that fails, which is then its current one. */
  async fly(flight: Flight): Promise<void> {
    const started = this.#now()
    try {
      await this.wire.ask(flight)
    } catch (error) {
      if (error instanceof Failure) throw error
      const reason = this.#toReason(error, started)
      throw flight.isBound && !flight.hasChanged ? reason : new NotStarted(reason as ServerError)
    } finally {
      this.context.meter?.gave(flight.rows)
    }
  }

  /** Prepares without a name and gives the parameter types as the server sees them. */
  async describe(text: string, types: readonly number[]): Promise<readonly number[]> {
    const { parameters, columns = [] } = await this.prepareText(text, types)
    // Known before the first row comes, so that none has to wait for it.
    await this.learn(columns.map(({ dataTypeID }) => dataTypeID))
    return parameters
  }

  /** The same, with the columns of the result, if it has one. With a name it stays prepared. */
  async prepareText(text: string, types: readonly number[], name = ''): Promise<Description> {
    const description = new Description(text, types, name)
    const started = this.#now()
    description.ahead = this.ahead()
    await this.wire.ask(description).catch((error: unknown) => {
      throw this.#toReason(error, started)
    })
    return description
  }

  /** Begins a transaction, which has the settings that each has. */
  begin(text = 'BEGIN'): Promise<void> {
    return this.command([text, this.#calls?.ahead].filter(Boolean).join('; '))
  }

  /** What is to go ahead of a statement; what has begun a transaction has made the settings. */
  ahead(isReadOnly = false): string | undefined {
    if (isReadOnly) return this.#calls?.aheadOfReads
    return this.isInTransaction ? undefined : this.#calls?.ahead
  }

  /** How long statements wait for locks from now on; without a number as long as they usually do. */
  async limitLocks(ms?: number): Promise<void> {
    if (this.#calls !== undefined) {
      this.#calls.limitLocks(ms)
    } else if (ms !== undefined) {
      await this.command(`SET lock_timeout = ${ms}`)
    } else {
      await this.command('RESET lock_timeout')
      await this.repairSettings('RESET lock_timeout')
    }
  }

  /** For a file with a time limit of its own. Sent ahead of its statements; cleaning brings the datasource's limit back. */
  limitStatements(seconds: number): void {
    // Where the connection is lost the statements behind it say so.
    if (seconds !== this.#settings.timeoutSeconds) this.#limit(seconds).catch(() => undefined)
  }

  async #limit(seconds?: number): Promise<void> {
    const text = this.#settings.limit(seconds)
    if (text !== '') await this.command(text)
  }

  /** Asks the server to stop what this connection is doing, which must all be one request's. One function for all requests. */
  readonly cancel = (): void => {
    if (this.#cancelling !== undefined) return
    this.context.meter?.cancelled()
    this.#cancelling = this.opened.cancel()
    this.cancelling = this.#cancelling.finally(() => {
      this.cancelling = undefined
    })
    this.#silence.begins()
  }

  /** Undoes what other requests may have left for a statement that looks at the session. */
  async reset(): Promise<void> {
    if (this.#calls !== undefined) return
    const command = new Command(resetText + this.#settings.textOf(this.#settings.all))
    await this.#silence.answered(this.wire.ask(command))
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
      if (this.isInTransaction) this.context.meter?.rolledBack()
      if (this.isInTransaction) await this.#silence.answered(this.command('ROLLBACK'))
      if (this.#settings.isLimited) await this.#silence.answered(this.#limit())
      if (this.hasRunDefinition || this.catalog.isOld) await this.#silence.answered(this.#lookAtCode())
      if (this.#calls === undefined) await this.#undo()
      this.hasRunDefinition = false
      this.hasRunSession = false
      this.hasRunCode = false
      this.#settingChanged = false
      return this.#wrong.size === 0 && !this.#isRetired
    } catch {
      return false
    }
  }

  /** What may have been left in the session. */
  async #undo(): Promise<void> {
    if (this.hasRunSession) {
      // DISCARD ALL has to stand alone, so what follows it is sent behind it.
      await this.#silence.answered(Promise.all([this.command('DISCARD ALL'), this.applySettings()]))
      this.prepared.forget()
    } else if (this.hasRunCode || this.#settingChanged || this.catalog.code.isEverywhere) {
      await this.reset()
    }
  }

  /** What takes more than the start-up message. */
  async #prepare(readingMs: number): Promise<void> {
    if (this.#calls === undefined) await this.#makeSettings()
    else await this.#makeSettingsOfCalls(this.#calls)
    // Better now than beside the first requests.
    for (const since = performance.now(); this.#mustLook && performance.now() - since < readingMs;)
      await this.#lookAtCode()
    this.#settingChanged = false
  }

  /** Where no session is kept nothing is served before the stored code is known. */
  get #mustLook(): boolean {
    return this.catalog.isOld || (this.#calls !== undefined && !this.catalog.code.isKnown)
  }

  async #makeSettings(): Promise<void> {
    const { settings, lacksOptions } = this.opened
    const names = settings.map(({ name }) => name)
    // A single setting is the application's name, which everybody may set.
    const isPlain = names.length === 1
    const settable = new Set(isPlain ? names : (await this.list(settableQuery, [toArrayText(names)])).flat())
    const refused = names.filter((name) => !settable.has(name))
    if (lacksOptions && refused.length > 0) throw new Error(`The setting ${refused.join(', ')} cannot be made`)
    this.#settings.take(settings.filter(({ name }) => settable.has(name)))
    await Promise.all([this.applySettings(), this.catalog.poolers.look(this, true)])
  }

  /** None is sent now. */
  async #makeSettingsOfCalls(calls: CallSettings): Promise<void> {
    calls.take(this.opened.settings)
    const names = calls.sent.map(({ name }) => name)
    if (names.length === 0) return
    const settable = new Set((await this.list(settableQuery, [toArrayText(names)])).flat())
    const refused = names.filter((name) => !settable.has(name))
    if (refused.length > 0) throw new Error(`The setting ${refused.join(', ')} cannot be made for a transaction`)
  }

  /** Makes the session what the service expects, after something that the server's own settings come back with. */
  applySettings(): Promise<void> {
    return this.command(this.#settings.textOf(this.#settings.all))
  }

  /** After a statement of a file: behind a pooler a reset brings back what the server has, and not what we have set. */
  async repairSettings(statement: string): Promise<void> {
    const reset = resetBy(statement, this.#settings.all)
    if (reset.length > 0) await this.command(this.#settings.textOf(reset))
  }

  /** Time of now, where a statement that begins now is to be timed. */
  #now(): number {
    return this.#settings.timeoutSeconds === 0 ? 0 : performance.now()
  }

  #toReason(error: unknown, started: number): unknown {
    if (error instanceof ServerError) this.catalog.poolers.refused(this, error.code)
    if (isRefusedWrite(error) && !this.hasRunSession) this.#onRefusedWrite?.(this)
    return this.#cancelling === undefined ? withTimeout(error, started, this.#settings.timeoutSeconds) : error
  }

  async #lookAtCode(): Promise<void> {
    this.catalog.touch()
    try {
      await this.catalog.poolers.look(this)
      if (!(await this.catalog.code.look((query, values) => this.list(query, values)))) this.catalog.expire()
    } catch {
      // The last answer stands: a cancel may have hit the question, or the server has another catalogue.
      if (this.#calls !== undefined && !this.catalog.code.isKnown) this.catalog.expire()
    }
  }
}
