/** A SQLite datasource: takes work, has a worker do it as a job (jobs.ts), and knows which files are open. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../../errors.ts'
import type { CatalogNames, StatementDescription, StatementPlan } from '../../description.ts'
import type { DatabaseLoad } from '../../metering.ts'
import type { Result, Script, Statement, Work } from '../../model.ts'
import type { Database } from '../database.ts'
import type { DatabaseOptions } from '../options.ts'
import { deliver, emptyResult, type Sink } from '../result.ts'
import { requireRunnable, StatementFailure, naming, toReport } from '../statement-failure.ts'
import { takenBack } from '../pool/job.ts'
import { type ConnectionOptions, type Loss, runsOn } from './workplaces/assignment.ts'
import { toFailure, toFullFailure, toGoneFailure, toOpenFailure } from './sqlite-failures.ts'
import { whyClosed } from './access.ts'
import { changeOf, type DatabaseFiles, describe, removeLeftLogs, whyNoFile } from './files.ts'
import { openConnection, type SqliteConnection } from './worker/library.ts'
import { groupOf, type JobListeners, Jobs } from './jobs/jobs.ts'
import { type Location, readLocation } from './location.ts'
import type { StatementLimits } from './worker-messages.ts'
import { StatementSpans, type Times } from '../statement-spans.ts'
import { Losses } from './workplaces/losses.ts'
import { Statements, WriteHistory } from './jobs/statements.ts'
import { counted, Pools } from './workplaces/pools.ts'
import { isOwn } from './jobs/transactions.ts'
import { Workplace } from './workplaces/workplace.ts'

/** What the listener hears about a file that is not where it was. */
export interface FileChangeReport {
  readonly file: string
  readonly reason: string
  /** The file that was open. */
  readonly was: string
}

/** A statement was given up. */
export interface GivenUp {
  readonly line: number | undefined
  readonly reason: string
  /** What becomes of it. */
  readonly outcome: string
}

export interface SqliteOptions extends DatabaseOptions, StatementLimits, JobListeners {
  /** Called once for each time that the file was deleted or replaced. */
  /** A probe has found no file, which the first request makes. */
  readonly onFileMissing?: ((reason: string) => void) | undefined
  readonly onFileChange?: ((change: FileChangeReport) => void) | undefined
  /** Called for every statement that is given up in the middle. */
  readonly onGivenUp?: ((report: GivenUp) => void) | undefined
}

export class SqliteDatabase implements Database {
  readonly dialect = 'sqlite'
  readonly #options: SqliteOptions
  readonly #location: Location
  readonly #pools: Pools
  readonly #statements = new Statements()
  readonly #jobs: Jobs
  readonly #writes = new WriteHistory()
  /** Keeps a database in memory alive while no worker has it open. */
  readonly #keeper: SqliteConnection | undefined
  readonly #losses: Losses
  readonly #spans: StatementSpans
  /** What connections have open. */
  #files: DatabaseFiles | undefined
  /** The database has been opened: a file that is missing now was deleted. */
  #wasOpened = false
  /** It was reported that the file does not exist. */
  #wasMissing = false
  /** Set while connections to files that have moved are being ended; nothing is opened in that time. */
  #leaving: Promise<void> | undefined

  constructor(options: SqliteOptions) {
    this.#options = options
    this.#location = readLocation(options.url)
    const { poolSize } = options
    this.#spans = new StatementSpans({ name: options.name, system: 'sqlite' })
    this.#losses = new Losses(poolSize)
    this.#jobs = new Jobs(this.#statements, options, { isInMemory: this.#location.path === undefined })
    this.#pools = new Pools(options, (broken) => this.#open(broken))
    this.#keeper = this.#location.path === undefined ? openConnection(openOptions(options, this.#location)) : undefined
  }

  run(work: Work): Promise<Result> {
    return deliver((sink) => this.#run(work, sink))
  }

  async describe(scripts: readonly Script[]): Promise<readonly (readonly StatementDescription[])[]> {
    // Serving does not need it.
    const { describeScripts } = await import('./describe/describe.ts')
    return this.#ask(describeScripts(this.#location, scripts))
  }

  async names(): Promise<CatalogNames> {
    const { namesOf } = await import('./describe/catalog-names.ts')
    return this.#ask(namesOf(this.#location))
  }

  async plans(statements: readonly Statement[]): Promise<readonly StatementPlan[]> {
    const { plansOf } = await import('./describe/scans.ts')
    return this.#ask(plansOf(this.#location, statements))
  }

  #ask<Said>(question: Promise<Said>): Promise<Said> {
    return question.catch((error: unknown) => {
      // A question only reads.
      throw toOpenFailure(error, this.#options.name, whyClosed({ ...this.#location, isReadOnly: true }))
    })
  }

  /** The first request creates a missing file; a check whether it is there does not. */
  async probe(): Promise<void> {
    const { path, mayCreate } = this.#location
    const problem = path === undefined ? undefined : whyNoFile(path)
    if (path === undefined || problem === undefined) return this.#pools.readers.probe()
    if (!mayCreate || (await exists(path)) || !(await exists(dirname(path)))) throw new Error(problem)
    const closed = whyClosed(this.#location)
    if (closed !== undefined) throw new Error(closed)
    if (this.#wasMissing) return
    this.#wasMissing = true
    this.#options.onFileMissing?.(`${problem}; the first request makes an empty one`)
  }

  load(): DatabaseLoad {
    return this.#pools.load
  }

  get lastSuccess(): number {
    return this.#pools.lastSuccess
  }

  async close(): Promise<void> {
    await this.#pools.close()
    this.#keeper?.close()
  }

  async #run(work: Work, sink: Sink): Promise<string> {
    requireRunnable(work, this.#options.name, this.#options.onStatementFailure)
    let job = this.#jobs.of(work)
    if (job.sets.flat().length === 0) return emptyResult(work)
    const { cancellation } = work
    const timeoutSeconds = work.endpoint.declarations?.timeoutSeconds
    const { readers, writer } = this.#pools
    const pool = job.isRead ? readers : writer
    const isPlainWrite = job.transaction === 'shared' && pool !== readers
    const history = isPlainWrite ? this.#writes : this.#statements.historyOf(work)
    sink.history = history
    const times: Times = { arrived: performance.now(), started: undefined }
    const errand = {
      group: groupOf(job),
      history,
      cancellation,
      meter: work.trace,
      run: async (workplace: Workplace): Promise<string> => {
        const started = (times.started = performance.now())
        const textOf = (statement: number): string => this.#statements.textOf(statement).text
        const running = workplace.run({ job, textOf, sink, timeoutSeconds })
        cancellation.onCancel = counted(running.cancel, this.#options.meter)
        try {
          const result = await running.done
          this.#options.meter?.gave(sink.rows)
          work.trace?.gave(sink.rows)
          return result
        } catch (error) {
          if (error === takenBack) throw error
          if (error === runsOn) {
            this.#statements.markRunsOn(job.sets)
            job = { ...job, mayRunOn: true }
            errand.group = groupOf(job)
            throw takenBack as unknown
          }
          if (isOwn(job.transaction)) this.#options.meter?.rolledBack()
          throw this.#toFailure(error, work, performance.now() - started)
        } finally {
          cancellation.onCancel = undefined
        }
      },
    }
    const running = pool.run(errand)
    return work.trace?.span === undefined ? running : this.#spans.follow(work, times, running)
  }

  async #open(broken: () => void): Promise<Workplace> {
    const openElsewhere = await this.#settledFiles()
    const options = openOptions(this.#options, this.#location)
    const uri = this.#wasOpened ? options.uriOfExisting : options.uri
    try {
      if (this.#losses.isFull) throw toFullFailure(this.#options)
      const workplace = await Workplace.open(
        { ...options, uri, openElsewhere },
        {
          broken,
          moved: (files) => this.#leave(files),
          long: (statement) => this.#statements.markRunsOn([[{ statement, values: [] }]]),
          killed: ({ statement, reason }) => this.#tellGivenUp(statement, reason, 'it was ended and undone'),
          abandoned: (loss) => {
            this.#lose(loss)
            broken()
          },
        },
      )
      this.#files = workplace.files
      this.#wasOpened = true
      return workplace
    } catch (error) {
      if (error instanceof Failure) throw error
      if (openElsewhere !== undefined && changeOf(openElsewhere) !== undefined) return this.#open(broken)
      const isGone = this.#wasOpened && options.path !== undefined && !(await exists(options.path))
      throw isGone
        ? toGoneFailure(this.#options.name)
        : toOpenFailure(error, this.#options.name, whyClosed(this.#location))
    }
  }

  #lose(loss: Loss): void {
    this.#losses.add(loss)
    const { maxConnections } = this.#options
    const outcome = this.#losses.isFull
      ? `it goes on and holds what it has locked; no more than max_connections (${maxConnections}) may, so nothing is started until one has ended or the service is restarted`
      : 'it goes on in a thread of its own, and holds what it has locked, until it has ended'
    this.#tellGivenUp(loss.statement, loss.reason, outcome)
  }

  #tellGivenUp(statement: number | undefined, reason: string, outcome: string): void {
    const line = statement === undefined ? undefined : this.#statements.textOf(statement).statement.line
    this.#options.onGivenUp?.({ line, reason, outcome })
  }

  /** The files that are open now, once those that have moved are left. */
  async #settledFiles(): Promise<DatabaseFiles | undefined> {
    if (this.#files !== undefined && changeOf(this.#files) !== undefined) this.#leave(this.#files)
    await this.#leaving
    return this.#files
  }

  /** Other files have taken the database's names. Ends all connections; waiting jobs find the new files. */
  #leave(files: DatabaseFiles): void {
    // Each connection reports it; only the first report counts.
    if (this.#leaving !== undefined) return
    const change = changeOf(files)
    if (change !== undefined) this.#options.onFileChange?.({ file: files.path, reason: change, was: describe(files) })
    this.#leaving = this.#pools.renew().then(() => {
      removeLeftLogs(files)
      this.#files = undefined
      this.#leaving = undefined
    })
  }

  #toFailure(error: unknown, work: Work, ms: number): Failure {
    const { name, onStatementFailure } = this.#options
    const failure = toFailure(error, (statement) => this.#statements.textOf(statement), {
      batch: work.batch,
      location: this.#location,
    })
    if (!(failure instanceof StatementFailure)) return failure
    if (!work.cancellation.cancelled) onStatementFailure?.(toReport(failure, work, name, ms))
    return naming(failure, work)
  }
}

function openOptions(options: SqliteOptions, location: Location): ConnectionOptions {
  const { acquireTimeoutSeconds, statementTimeoutSeconds, goneMs } = options
  const { uri, uriOfExisting, path, isReadOnly } = location
  const isWal = path !== undefined && !isReadOnly
  const busyTimeoutMs = acquireTimeoutSeconds * 1000
  return { uri, uriOfExisting, path, isWal, busyTimeoutMs, statementTimeoutSeconds, goneMs }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
