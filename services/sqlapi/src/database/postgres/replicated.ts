/**
 * A datasource with replicas: work that only reads goes to one of them in turn, everything else to the first server.
 * Each server has a pool, statements and plans of its own, as if it were a datasource by itself. replica-watch.ts says
 * which replicas may be used.
 */
import { Failure } from '../../errors.ts'
import type { CatalogNames, DescribeOptions, StatementDescription, StatementPlan } from '../../description.ts'
import type { DatabaseLoad, ReplicaLoad } from '../../metering.ts'
import type { Result, Script, Statement, Work } from '../../model.ts'
import type { Database } from '../database.ts'
import { optionsOver } from '../options-over.ts'
import { StatementFailure, type StatementFailureReport } from '../statement-failure.ts'
import type { PostgresOptions } from './options.ts'
import { PostgresDatabase } from './postgres.ts'
import { nextOf, replicaName } from './replica-state.ts'
import { Observer, ReplicaWatch } from './replica-watch.ts'
import { usualSilenceSeconds } from './sessions/silence.ts'

export interface ReplicatedOptions extends PostgresOptions {
  /** URLs with the credentials, at least one. */
  readonly replicas: readonly string[]
  readonly maxReplicaLagBytes: number
  /** Undefined when nothing is measured. */
  readonly meterOf?: ((replica: string) => PostgresOptions['meter']) | undefined
  /** It is known already that the replica is not used. */
  readonly isAway?: ((replica: string) => boolean) | undefined
  /** Called when a replica is no longer used, and when it is again, which is the case without a reason. */
  readonly onReplica?: ((report: { readonly replica: string; readonly reason: string | undefined }) => void) | undefined
}

export class ReplicatedDatabase implements Database {
  readonly dialect = 'postgres'
  readonly #first: PostgresDatabase
  readonly replicas: readonly Replica[]
  readonly #watch: ReplicaWatch
  /** Those that may be used now. */
  #usable: readonly Replica[] = []
  #turn = 0
  /** Statements that only read by their words, and that no standby can run. */
  readonly #onlyOnFirst = new WeakSet<Statement>()
  /** Whether a script only reads, by its words. */
  readonly #reads = new WeakMap<Script, boolean>()

  constructor(options: ReplicatedOptions) {
    this.#first = new PostgresDatabase(options)
    this.replicas = options.replicas.map((url, index) => {
      return new Replica(optionsOver(options, { url, name: replicaName(options.name, index), reach: undefined }), () =>
        this.#chooseUsable(),
      )
    })
    this.#watch = new ReplicaWatch(observe(options), this.replicas, options.maxReplicaLagBytes)
  }

  run(work: Work): Promise<Result> {
    this.#watch.start()
    const replica = this.#usable.length > 0 && this.#mayRead(work) ? this.#next() : undefined
    if (replica === undefined) return this.#first.run(work)
    return replica.database.run(work).catch((error: unknown) => this.#runOnFirst(replica, work, error))
  }

  async probe(): Promise<void> {
    this.#watch.start()
    await this.#first.probe()
  }

  load(): DatabaseLoad {
    return this.#first.load()
  }

  refusalOf(script: Script): string | undefined {
    return this.#first.refusalOf(script)
  }

  get lastSuccess(): number {
    return this.#first.lastSuccess
  }

  async close(): Promise<void> {
    this.#watch.close()
    await Promise.all([this.#first.close(), ...this.replicas.map(({ database }) => database.close())])
  }

  describe(
    scripts: readonly Script[],
    options?: DescribeOptions,
  ): Promise<readonly (readonly StatementDescription[])[]> {
    return this.#first.describe(scripts, options)
  }

  names(): Promise<CatalogNames> {
    return this.#first.names()
  }

  plans(statements: readonly Statement[]): Promise<readonly StatementPlan[]> {
    return this.#first.plans(statements)
  }

  #chooseUsable(): void {
    this.#usable = this.replicas.filter(({ isUsed }) => isUsed)
  }

  #next(): Replica | undefined {
    this.#turn = (this.#turn + 1) % this.#usable.length
    return this.#usable[this.#turn]
  }

  /** The file may run on a replica and only reads, as far as its words tell and what was seen of its statements. */
  #mayRead(work: Work): boolean {
    const { endpoint, script } = work
    if (endpoint.method !== 'GET' && endpoint.declarations?.replica !== true) return false
    let reads = this.#reads.get(script)
    if (reads === undefined) this.#reads.set(script, (reads = onlyReads(script)))
    if (!reads || script.statements.some((statement) => this.#onlyOnFirst.has(statement))) return false
    // Stored code that may change the session may write as well.
    return !this.#first.touchesSession(work)
  }

  /**
   * Work that a replica could not do is done by the first server. On a standby it has changed nothing, and nobody has
   * been given a piece of its result, so this repeats nothing that counts.
   */
  #runOnFirst(replica: Replica, work: Work, error: unknown): Promise<Result> {
    if (!(error instanceof Failure) || work.cancellation.cancelled) throw error
    if (error instanceof StatementFailure) {
      const { code, statement } = error.verdict
      const next = nextOf(code)
      if (next === undefined) throw error
      if (next === 'always') this.#onlyOnFirst.add(statement)
    } else if (error.reason === 'connection_lost' || error.reason === 'datasource_unreachable') {
      replica.found(undefined, 'does not answer')
    } else if (error.reason !== 'acquire_timeout' || replica.isUsed) {
      throw error
    }
    replica.retries++
    return this.#first.run(work)
  }
}

/** By the words of its statements, at least one. */
function onlyReads({ statements }: Script): boolean {
  return statements.length > 0 && statements.every(({ effect, refusal }) => effect === 'read' && refusal === undefined)
}

function observe({
  url,
  password,
  acquireTimeoutSeconds,
  connectTimeoutSeconds,
  keepaliveSeconds,
  silenceTimeoutSeconds = usualSilenceSeconds,
}: PostgresOptions): Observer {
  return new Observer({
    url,
    password,
    connectTimeoutSeconds: acquireTimeoutSeconds,
    hostTimeoutSeconds: connectTimeoutSeconds,
    keepaliveSeconds,
    answerSeconds: silenceTimeoutSeconds,
  })
}

class Replica implements ReplicaLoad {
  readonly name: string
  readonly database: PostgresDatabase
  readonly observer: Observer
  isUsed = false
  lagBytes: number | undefined
  retries = 0
  readonly #tell: ReplicatedOptions['onReplica']
  readonly #changed: () => void
  /** It was used, or found unusable, before. */
  #isKnown: boolean

  constructor(options: ReplicatedOptions, changed: () => void) {
    const { name, meterOf, isAway, onReplica } = options
    this.name = name
    this.#isKnown = isAway?.(name) === true
    const own = {
      meter: meterOf?.(name),
      isReplica: true,
      // The same as on the first server.
      onSessionCode: undefined,
      // What the first server is asked again is not a failure yet.
      onStatementFailure: (report: StatementFailureReport) => {
        if (nextOf(report.code) === undefined) options.onStatementFailure?.(report)
      },
    }
    this.database = new PostgresDatabase(optionsOver(options, own))
    this.observer = observe(options)
    this.#tell = onReplica
    this.#changed = changed
  }

  load(): DatabaseLoad {
    return this.database.load()
  }

  /** It was looked at, or a call has failed there. */
  readonly found = (lagBytes: number | undefined, reason: string | undefined): void => {
    const isUsed = reason === undefined
    this.lagBytes = lagBytes
    if (this.isUsed === isUsed && this.#isKnown) return
    this.isUsed = isUsed
    this.#changed()
    // That it is used from the beginning is not news.
    if (!isUsed || this.#isKnown) this.#tell?.({ replica: this.name, reason })
    this.#isKnown = true
  }
}
