/**
 * A PostgreSQL datasource: its pool, what it knows of its server and its statements, and the questions that it can be
 * asked. work/work-runner.ts runs its work.
 *
 * pool.ts decides about connections, statement-runner.ts and settle.ts about plans and types, execution.ts about what
 * is sent.
 */
import type { CatalogNames, DescribeOptions, StatementDescription, StatementPlan } from '../../description.ts'
import type { DatabaseLoad } from '../../metering.ts'
import type { Result, Script, Statement, Work } from '../../model.ts'
import type { Database } from '../database.ts'
import { optionsOver } from '../options-over.ts'
import { StatementSpans } from '../statement-spans.ts'
import { Pool } from '../pool/pool.ts'
import { StatementRunner } from './work/statement-runner.ts'
import { Catalog } from './sessions/catalog.ts'
import type { Peer } from './sessions/plan-connection.ts'
import { toConnectFailure, toUnanswered } from './sessions/postgres-failures.ts'
import { Session, type SessionOptions } from './sessions/session.ts'
import { placeOf } from './hosts.ts'
import { Login } from './login.ts'
import type { PostgresOptions } from './options.ts'
import { ServerOrder } from './wire/server-order.ts'
import { reachOf } from './wire/servers.ts'
import { expectsWrites, type Target } from './wire/standing.ts'
import { SessionNeeds } from './work/session-needs.ts'
import { WorkRunner } from './work/work-runner.ts'

/** In this time a further refusal to write says nothing new. */
const lookAnewMs = 1000

/** Short statements in flight on one connection. */
const depth = 64

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly #pool: Pool<Session>
  readonly #runner: StatementRunner
  readonly #options: PostgresOptions
  readonly #needs: SessionNeeds | undefined
  readonly #work: WorkRunner
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
    const spans = new StatementSpans({ name, system: 'postgresql', ...placeOf(url), sqlComment })
    this.#runner = new StatementRunner(options, catalog.code, spans)
    this.#needs = isPooled ? new SessionNeeds(this.#runner, catalog.code, name) : undefined
    this.#pool = new Pool({
      name,
      max: poolSize,
      maxConnections,
      acquireTimeoutSeconds,
      unanswered: () => toUnanswered(name, reachOf(url).names, acquireTimeoutSeconds),
      depth,
      meter,
      reach: options.reach,
      open: (broken, signal) =>
        Session.open(optionsOver(session, { signal }), catalog, broken).catch((error: unknown) => {
          throw toConnectFailure(error, name)
        }),
    })
    this.#work = new WorkRunner(options, { pool: this.#pool, runner: this.#runner, spans, needs: this.#needs })
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
    return this.#work.run(work)
  }

  async describe(
    scripts: readonly Script[],
    { isRough = false, looksUp = false }: DescribeOptions = {},
  ): Promise<readonly (readonly StatementDescription[])[]> {
    // Serving does not need it.
    const { describeScripts } = await import('./describe/describe.ts')
    const reachesOut = (statement: Statement): boolean => this.#runner.reachesOut(statement)
    return this.#ask((session) => describeScripts(session, scripts, { reachesOut, isRough, looksUp }))
  }

  async names(): Promise<CatalogNames> {
    const { askForNames } = await import('./describe/catalog-names.ts')
    return this.#ask(askForNames)
  }

  async plans(statements: readonly Statement[]): Promise<readonly StatementPlan[]> {
    const { makePlans } = await import('./describe/scans.ts')
    return this.#ask((session) => makePlans(session, statements))
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
}
