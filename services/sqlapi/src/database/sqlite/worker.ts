/**
 * A SQLite worker thread: one connection, jobs in, JSON text out. The only file that runs the files' SQL on SQLite. SQLite is
 * synchronous, so a slow statement stops this thread and nothing else.
 *
 * Jobs of one message run in order; which worker gets which job is the pool's decision, which SQL it is sqlite.ts's.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../errors.ts'
import { joinAnswers, maxAnswerLength, tooLong } from '../answer.ts'
import { openConnection, type SqliteConnection, type SqliteStatement } from './library.ts'
import {
  type Call,
  claim,
  type Job,
  type JobError,
  type JobReply,
  type Jobs,
  type Opened,
  type WorkerOptions,
} from './messages.ts'
import { compileRowWriter, type RowWriter, type SqliteColumn } from './rows.ts'

/** Prepared statements kept; the oldest goes first. */
const maxPrepared = 1000
/** Answers wait for the others of their message no longer than this. */
const holdBackMs = 2

interface Prepared {
  readonly statement: SqliteStatement
  /** Undefined when the statement has no result set. */
  writer: RowWriter | undefined
  /** How often SQLite had prepared the statement anew, after a change of the schema, when the writer was compiled. */
  reprepared: number
}

const options = workerData as WorkerOptions
const port = parentPort as NonNullable<typeof parentPort>
const texts = new Map<number, string>()
let prepared = new Map<number, Prepared>()
let database: SqliteConnection

try {
  database = openConnection(options)
  port.on('message', runJobs)
  port.postMessage({ opened: true } satisfies Opened)
} catch (error) {
  port.postMessage({ opened: false, message: (error as Error).message } satisfies Opened)
}

function runJobs({ jobs, texts: unseen }: Jobs): void {
  if (jobs.length === 0) {
    database.close()
    port.close()
    return
  }
  for (const [statement, text] of unseen) texts.set(statement, text)
  let replies: JobReply[] = []
  let since = performance.now()
  for (const job of jobs) {
    replies.push(runJob(job))
    if (performance.now() - since < holdBackMs) continue
    port.postMessage(replies)
    replies = []
    since = performance.now()
  }
  if (replies.length > 0) port.postMessage(replies)
}

function runJob(job: Job): JobReply {
  const wasQueued = Atomics.compareExchange(options.claims, job.claim, claim.queued, claim.running) === claim.queued
  if (!wasQueued) return { id: job.id, skipped: true }
  let running: Call | undefined
  try {
    if (job.transaction === 'immediate') database.exec('BEGIN IMMEDIATE')
    else if (job.transaction === 'deferred') database.exec('BEGIN')
    const answers = job.sets.map((calls) => {
      let answer: string | undefined
      for (const call of calls) {
        refuseCancelled(job)
        running = call
        answer = runCall(call, job) ?? answer
      }
      return answer ?? '[]'
    })
    running = undefined
    // A file may have ended the transaction itself.
    if (job.transaction !== 'none' && database.isTransaction) database.exec('COMMIT')
    return { id: job.id, json: job.batch ? joinAnswers(answers) : (answers[0] as string) }
  } catch (error) {
    if (running !== undefined) forget(running.statement)
    return { id: job.id, error: toJobError(error, running) }
  } finally {
    cleanUp(job)
  }
}

/** The rows as a JSON array, or nothing when the statement has no result set. */
function runCall({ statement: number, values }: Call, job: Job): string | undefined {
  const entry = prepare(number)
  if (entry.writer === undefined) {
    entry.statement.run(...values)
    return undefined
  }
  let json = ''
  for (const row of entry.statement.iterate(...values) as Iterable<unknown> as Iterable<SqliteColumn[]>) {
    if (json === '') renewWriter(entry)
    else refuseCancelled(job)
    if (json.length + lengthOf(row) > maxAnswerLength) throw tooLong()
    json += (json === '' ? '[' : ',') + entry.writer(row)
  }
  return json === '' ? '[]' : `${json}]`
}

function lengthOf(row: readonly SqliteColumn[]): number {
  let length = 0
  for (const value of row) if (typeof value === 'string' || value instanceof Uint8Array) length += value.length
  return length
}

function refuseCancelled(job: Job): void {
  if (Atomics.load(options.claims, job.claim) !== claim.cancelled) return
  throw new Failure('BadSqlGrammarException', 'The client has gone')
}

function prepare(number: number): Prepared {
  const known = prepared.get(number)
  if (known !== undefined) return known
  const statement = database.prepare(texts.get(number) as string)
  statement.setReturnArrays(true)
  statement.setReadBigInts(true)
  const columns = statement.columns()
  const writer = columns.length === 0 ? undefined : compileRowWriter(columns)
  const entry = { statement, writer, reprepared: 0 }
  const [oldest] = prepared.keys()
  if (prepared.size >= maxPrepared && oldest !== undefined) prepared.delete(oldest)
  prepared.set(number, entry)
  return entry
}

/** A statement that has failed stays in the middle of it, which would stop a rollback and fail its next call. */
function forget(number: number): void {
  ;(prepared.get(number)?.statement as { close?(): void } | undefined)?.close?.()
  prepared.delete(number)
}

/** After a change of the schema SQLite prepares a statement anew by itself; its columns may be others then. */
function renewWriter(entry: Prepared): void {
  // Node 24 cannot count the preparations, so there the writer is made anew each time.
  const count = (entry.statement as { stat?(counter: string): number }).stat?.('reprepare')
  if (count === entry.reprepared) return
  entry.reprepared = count ?? 0
  entry.writer = compileRowWriter(entry.statement.columns())
}

/** The next job starts from a clean session. */
function cleanUp({ touchesSession }: Job): void {
  if (database.isTransaction) database.exec('ROLLBACK')
  if (!touchesSession) return
  prepared = new Map()
  // Opened before the old one is closed: a database in memory lives as long as somebody has it open.
  const old = database
  database = openConnection(options)
  old.close()
}

function toJobError(error: unknown, call: Call | undefined): JobError {
  const { errcode, message } = error as { errcode?: number; message: string }
  // What is neither SQLite's nor ours is the library's, about values too long for it.
  const isOurs = errcode !== undefined || error instanceof Failure
  return { code: errcode, message: isOurs ? message : 'The result is too large', statement: call?.statement }
}
