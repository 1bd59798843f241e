/**
 * A connection to PostgreSQL that runs plans and stops them: texts and values go out, rows or the reason why there are
 * none come back. What is left behind on it, and how it becomes clean again, is session.ts's.
 */
import { Failure } from '../../../errors.ts'
import type { RowFormat } from '../../../formats/format.ts'
import type { Sink } from '../../result.ts'
import type { Plan } from '../plans/plan.ts'
import { emptyOf } from '../rows/rows.ts'
import { CallSettings } from '../settings/call-settings.ts'
import { SessionSettings } from '../settings/settings.ts'
import { oid } from '../types/types.ts'
import type { Opened } from '../wire/driver.ts'
import type { Execution, Values } from '../wire/execution.ts'
import type { Flight } from '../wire/flight.ts'
import { ServerError } from '../wire/frames.ts'
import { Description } from '../wire/questions.ts'
import type { Catalog } from './catalog.ts'
import { isRefusedWrite, NotStarted, PlanRun, type Rows, type RowsReader, withTimeout } from './plan-run.ts'
import { ServerConnection, type ServerConnectionOptions } from './server-connection.ts'
import { SharedCalls } from './shared-calls.ts'
import { Silence } from './silence.ts'

export interface PlanConnectionOptions extends ServerConnectionOptions {
  /** Of the session: a name or an offset; UTC where it is left out. */
  readonly timeZone?: string | undefined
  /** Longest time that the server lets a statement run; 0 leaves that to the server. */
  readonly statementTimeoutSeconds: number
  /** How long the server may be silent after a cancel, or after a command of ours that takes no time. */
  readonly silenceTimeoutSeconds?: number | undefined
  /** Called where the server has refused to write, unless the file itself may have asked for that. */
  readonly onRefusedWrite?: ((connection: Peer) => void) | undefined
}

/** A connection, for those who only want to know where it leads. */
export interface Peer {
  /** The server that it is connected to. */
  readonly peer: Pick<Opened, 'server' | 'standing'>
}

export class PlanConnection extends ServerConnection implements Peer {
  readonly peer: Peer['peer']
  /** Settings that make the session what the service expects. */
  protected readonly settings: SessionSettings
  /** The same object where a pooler is between, and they are made for each transaction. */
  protected readonly calls: CallSettings | undefined
  /** There, the statements that clients share the connection for. */
  readonly #shared: SharedCalls | undefined
  readonly #onRefusedWrite: PlanConnectionOptions['onRefusedWrite']
  protected readonly silence: Silence
  /** The request to stop what runs here, until the connection is clean again. */
  protected cancelRequest: Promise<void> | undefined
  /** The same until it was delivered. */
  cancelling: Promise<void> | undefined
  /** Set by the caller that runs a statement that may leave something behind. */
  hasRunSession = false
  /** The same by way of stored code, which leaves our prepared statements alone. */
  hasRunCode = false
  /** Set by the caller that runs a statement that may create functions. */
  hasRunDefinition = false
  /** The plans that were made since a statement may have changed what names mean; undefined if none has. */
  newPlans: Set<Plan> | undefined

  /** `onBroken` is called when the connection ends by itself. */
  constructor(opened: Opened, options: PlanConnectionOptions, catalog: Catalog, onBroken: () => void) {
    super(opened, options, catalog, onBroken)
    const { timeZone, statementTimeoutSeconds: seconds, isPooled } = options
    this.#shared = isPooled === true ? new SharedCalls(this.wire, this) : undefined
    this.calls = isPooled === true ? new CallSettings(timeZone, seconds, opened.reported) : undefined
    this.settings = this.calls ?? new SessionSettings(timeZone, seconds)
    if (!this.settings.isUtc) this.textTypes.add(oid.timestamptz)
    this.peer = opened
    this.#onRefusedWrite = options.onRefusedWrite
    this.silence = new Silence(() => this.wire.destroy(), options.silenceTimeoutSeconds)
  }

  /** Runs the plan; a result that grows long goes to the sink, if there is one. Rejects with the server's error. */
  execute(plan: Plan, values: Values, format: RowFormat, sink?: Sink): Promise<Rows> {
    return new Promise((gave, failed) => this.start(plan, values, { format, sink, shared: undefined, gave, failed }))
  }

  /** The same without a promise. The connection is ready for more when the reader hears of the end. */
  start(plan: Plan, values: Values, reader: RowsReader, comment?: string): void {
    const run = new PlanRun(this, this.context, this.prepared.of(plan, comment), values, reader)
    run.comment = comment
    run.isPlain = !this.hasRunSession && !this.hasRunCode
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
      reader.gave(run.result ?? result.writers.find(format)?.empty ?? emptyOf(result.columns, format))
    }
  }

  #leaver(execution: Execution): () => void {
    return () => this.wire.whenAbandoned(execution, this.cancel)
  }

  /**
   * Runs its steps behind each other. Rejects with the error of the first that fails, which is then its current one.
   */
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
    const onlyReads = this.#mustOnlyRead ? 'SET TRANSACTION READ ONLY' : undefined
    return this.command([text, onlyReads, this.calls?.behindBegin].filter(Boolean).join('; '))
  }

  /** A trigger might leave something to the next user of the connection, so none is to run. */
  get #mustOnlyRead(): boolean {
    return this.calls !== undefined && this.catalog.code.isBehindTriggers
  }

  /** What is to go ahead of a statement; what has begun a transaction has made the settings. */
  ahead(isReadOnly = false): string | undefined {
    if (isReadOnly) return this.calls?.aheadOfReads
    if (this.isInTransaction) return undefined
    return this.#mustOnlyRead ? this.calls?.aheadOfReads : this.calls?.ahead
  }

  /**
   * Asks the server to stop what this connection is doing, which must all be one request's. One function for all
   * requests.
   */
  readonly cancel = (): void => {
    if (this.cancelRequest !== undefined) return
    this.context.meter?.cancelled()
    this.cancelRequest = this.opened.cancel()
    this.cancelling = this.cancelRequest.finally(() => {
      this.cancelling = undefined
    })
    this.silence.begins()
  }

  /** Time of now, where a statement that begins now is to be timed. */
  #now(): number {
    return this.settings.timeoutSeconds === 0 ? 0 : performance.now()
  }

  #toReason(error: unknown, started: number): unknown {
    if (error instanceof ServerError) this.catalog.poolers.refused(this, error.code)
    if (isRefusedWrite(error) && !this.hasRunSession && !this.#mustOnlyRead) this.#onRefusedWrite?.(this)
    return this.cancelRequest === undefined ? withTimeout(error, started, this.settings.timeoutSeconds) : error
  }
}
