/**
 * A PostgreSQL datasource: takes work, gets a connection from the pool and has the statements run there, in a
 * transaction where the work asks for one. Gives its result in the format that the work asks for, whole or as a stream;
 * throws failures.
 *
 * pool.ts decides about connections, statement-runner.ts and settle.ts about plans and types, execution.ts about what
 * is sent.
 */
import type { CatalogNames, DescribeOptions, StatementDescription, TableScan } from '../../description.ts'
import type { DatabaseLoad } from '../../metering.ts'
import type { ParameterSet, Result, Script, Statement, Work } from '../../model.ts'
import type { Database } from '../database.ts'
import { optionsOver } from '../options-over.ts'
import { Delivery, emptyResult, type Sink } from '../result.ts'
import { requireRunnable, StatementFailure, toReport } from '../statement-failure.ts'
import { endWith, StatementSpans, type Times } from '../statement-spans.ts'
import type { History } from '../pool/history.ts'
import { Pool } from '../pool/pool.ts'
import { runBatch } from './sessions/batch.ts'
import { type BoundStatement, StatementRunner, needsNewPlan } from './sessions/statement-runner.ts'
import { Catalog } from './sessions/catalog.ts'
import type { Peer } from './sessions/plan-connection.ts'
import { toConnectFailure, toFailure } from './sessions/postgres-failures.ts'
import { Session, type SessionOptions } from './sessions/session.ts'
import { placeOf } from './hosts.ts'
import { Login } from './login.ts'
import type { PostgresOptions } from './options.ts'
import { SessionNeeds } from './session-needs.ts'
import { type Datasource, SharedRun } from './shared-run.ts'
import { ServerOrder } from './wire/server-order.ts'
import { reachOf } from './wire/servers.ts'
import { expectsWrites, type Target } from './wire/standing.ts'

/** In this time a further refusal to write says nothing new. */
const lookAnewMs = 1000

/** Short statements in flight on one connection. */
const depth = 64

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly #pool: Pool<Session>
  readonly #runner: StatementRunner
  readonly #spans: StatementSpans
  readonly #options: PostgresOptions
  readonly #needs: SessionNeeds | undefined
  /** What runs on shared connections know of this. */
  readonly #shared: Datasource
  readonly #order = new ServerOrder()
  readonly #target: Target
  /** When connections were last given up because of their server, by the clock of `performance`. */
  #lookedAnew = -Infinity

  constructor(options: PostgresOptions) {
    this.#options = options
    const { name, url, maxConnections, poolSize, acquireTimeoutSeconds, meter, sqlComment } = options
    const isPooled = options.pooler === 'transaction'
    this.#target = reachOf(url).target
    const session: SessionOptions = optionsOver(options, {
      isPooled,
      connectTimeoutSeconds: acquireTimeoutSeconds,
      hostTimeoutSeconds: options.connectTimeoutSeconds,
      order: this.#order,
      login: new Login(url, options.password, (reason) => options.onLoginKept?.(reason)),
      onRefusedWrite: (refused: Peer) => this.#lookAnew(refused),
    })
    const catalog = new Catalog(options.onSessionCode, options.results, isPooled ? undefined : options.onPooler)
    this.#spans = new StatementSpans({ name, system: 'postgresql', ...placeOf(url), sqlComment })
    this.#runner = new StatementRunner(options, catalog.code, this.#spans)
    this.#needs = isPooled ? new SessionNeeds(this.#runner, catalog.code, name) : undefined
    this.#pool = new Pool({
      name,
      max: poolSize,
      maxConnections,
      acquireTimeoutSeconds,
      depth,
      meter,
      reach: options.reach,
      open: (broken) =>
        Session.open(session, catalog, broken).catch((error: unknown) => {
          throw toConnectFailure(error, name)
        }),
    })
    this.#shared = {
      pool: this.#pool,
      runner: this.#runner,
      spans: this.#spans,
      runAlone: (bound, work, sink) => this.#runAlone(bound, work, sink),
      toFailure: (error, { known }, work, ms) => this.#told(toFailure(error, known.statement), work, ms),
    }
  }

  probe(): Promise<void> {
    return this.#pool.probe()
  }

  load(): DatabaseLoad {
    return this.#pool.load
  }

  refusalOf(script: Script): string | undefined {
    return this.#needs?.find(script)?.message
  }

  get lastSuccess(): number {
    return this.#pool.lastSuccess
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  run(work: Work): Promise<Result> {
    if (work.batch) return this.#runBatch(work)
    return new Promise((resolve, reject) => this.#runPlain(work, new Delivery(resolve, reject)))
  }

  async describe(
    scripts: readonly Script[],
    { isRough = false }: DescribeOptions = {},
  ): Promise<readonly (readonly StatementDescription[])[]> {
    // Serving needs none of it.
    const { describeScripts } = await import('./describe/describe.ts')
    const reachesOut = (statement: Statement): boolean => this.#runner.reachesOut(statement)
    return this.#ask((session) => describeScripts(session, scripts, { reachesOut, isRough }))
  }

  async names(): Promise<CatalogNames> {
    const { askForNames } = await import('./describe/catalog-names.ts')
    return this.#ask(askForNames)
  }

  async scans(statements: readonly Statement[]): Promise<readonly (readonly TableScan[])[]> {
    const { findScans } = await import('./describe/scans.ts')
    return this.#ask((session) => findScans(session, statements))
  }

  /** Whether any statement of the file may leave something behind, as far as is known of the stored code. */
  touchesSession(work: Work): boolean {
    return this.#runner.isAnySession(work)
  }

  /** On a connection of its own. */
  #ask<Said>(run: (session: Session) => Promise<Said>): Promise<Said> {
    const cancellation = { cancelled: false, onCancel: undefined }
    return this.#pool.run({ group: undefined, history: undefined, cancellation, run })
  }

  /** Throws what is known before a connection is asked for. */
  #runPlain(work: Work, delivery: Delivery): void {
    this.#require(work)
    const statements = this.#runner.bind(work, work.sets[0] as ParameterSet)
    const [only] = statements
    if (only === undefined) {
      delivery.end(emptyResult(work))
    } else if (statements.length > 1 || this.#runner.touchesSession(only.known)) {
      delivery.follow(this.#runAll(statements, work, delivery))
    } else {
      // It commits itself: on a shared connection once its plan is known and it has proved short.
      const { history, statement, writes } = only.known
      const isAlike = this.#needs === undefined || (statement.effect === 'read' && !writes)
      const mayShare = isAlike && history.isShort && work.endpoint.declarations?.timeoutSeconds === undefined
      const plan = mayShare ? this.#runner.planFor(only) : undefined
      if (plan === undefined) delivery.follow(this.#runAlone(only, work, delivery))
      else this.#pool.start(new SharedRun(this.#shared, only, plan, work, delivery))
    }
  }

  /** The statements of a file in order, in a transaction where the file asks for one. */
  #runAll(statements: readonly BoundStatement[], work: Work, sink: Sink): Promise<Result> {
    const { format } = statements[0] as BoundStatement
    return this.#onOwnConnection(work, undefined, async (session) => {
      const runAll = async (): Promise<Result> =>
        (await this.#runner.runAll(session, statements, sink)) ?? format.nothing
      await this.#resetFor(work, session)
      return work.endpoint.transactional ? this.#transact(session, work, runAll) : runAll()
    })
  }

  #runAlone(bound: BoundStatement, work: Work, sink: Sink): Promise<Result> {
    return this.#onOwnConnection(work, bound.known.history, async (session) => {
      return (await this.#runner.run(session, bound, sink)) ?? bound.format.nothing
    })
  }

  async #runBatch(work: Work): Promise<Result> {
    const { script, sets } = work
    if (script.statements.length === 0 || sets.length === 0) return emptyResult(work)
    this.#require(work)
    this.#runner.check(work)
    return this.#onOwnConnection(work, undefined, async (session) => {
      await this.#resetFor(work, session)
      const span = this.#spans.beginAll(work)
      const comment = this.#spans.commentOf(span)
      const running = this.#transact(session, work, () => runBatch(this.#runner, session, work, comment))
      return span === undefined ? running : endWith(span, running)
    })
  }

  #require(work: Work): void {
    requireRunnable(work, this.#options.name, this.#options.onStatementFailure)
    try {
      this.#needs?.refuse(work)
    } catch (error) {
      throw this.#told(error, work, 0)
    }
  }

  #onOwnConnection(
    work: Work,
    history: History | undefined,
    job: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const { cancellation } = work
    const timeoutSeconds = work.endpoint.declarations?.timeoutSeconds
    const times: Times = { arrived: performance.now(), started: undefined }
    const run = async (session: Session): Promise<Result> => {
      const started = (times.started = performance.now())
      this.#spans.waited(work, times.arrived)
      cancellation.onCancel = session.cancel
      if (timeoutSeconds !== undefined) session.limitStatements(timeoutSeconds)
      try {
        this.#needs?.refuseUnknown(work)
        return await job(session)
      } catch (error) {
        throw this.#told(error, work, performance.now() - started)
      } finally {
        cancellation.onCancel = undefined
      }
    }
    const running = this.#pool.run({ group: undefined, history, cancellation, meter: work.trace, run })
    return work.trace?.span === undefined ? running : this.#spans.wait(work, times, running)
  }

  /**
   * The server that a session is on takes no writes: what is connected to it ends when it is free, and other servers
   * come first. A primary that somebody has told to read only is meant as it is, unless the URL wants one that writes.
   */
  #lookAnew({ peer: { server, standing } }: Peer): void {
    const now = performance.now()
    const isMeant =
      this.#options.isReplica === true ||
      !expectsWrites(this.#target) ||
      (this.#target !== 'read-write' && standing.isStandby === false)
    if (isMeant || now - this.#lookedAnew < lookAnewMs) return
    this.#lookedAnew = now
    this.#order.noteRefusal(server)
    this.#pool.retire((session) => session.peer.server === server)
    this.#options.onDemotion?.({ server })
  }

  /** Reports a statement that has finally failed, unless its client has gone, because that ends statements too. */
  #told(failure: unknown, work: Work, ms: number): unknown {
    const { name, onStatementFailure } = this.#options
    const error = this.#needs === undefined ? failure : this.#needs.explain(failure)
    if (error instanceof StatementFailure && !work.cancellation.cancelled) {
      onStatementFailure?.(toReport(error, work, name, ms))
    }
    return error
  }

  /**
   * What looks at the session must not see what the plain statements of others have left (the last value of a
   * sequence).
   */
  async #resetFor(work: Work, session: Session): Promise<void> {
    if (!this.#runner.isAnySession(work)) return
    await session.reset().catch((error: unknown) => {
      throw toFailure(error, firstStatement(work))
    })
  }

  async #transact(session: Session, work: Work, job: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        await session.begin()
        const result = await job()
        await session.command('COMMIT')
        return result
      } catch (error) {
        // Where the connection is lost the server rolls back by itself.
        await session.command('ROLLBACK').catch(() => undefined)
        this.#options.meter?.rolledBack()
        // The transaction is undone, so running it once more with fresh plans is safe, unless the file itself can
        // commit.
        if (attempt > 1 || this.#runner.isAnySession(work) || !needsNewPlan(error))
          throw toFailure(error, firstStatement(work))
        this.#runner.forget(session, work)
      }
    }
  }
}

function firstStatement({ script }: Work): Statement {
  return script.statements[0] as Statement
}
