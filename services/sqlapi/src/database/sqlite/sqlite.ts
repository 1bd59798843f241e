/**
 * A SQLite datasource: takes work, writes its SQL and values the way SQLite wants them, and has a worker do it. Readers run
 * beside each other, writers one after another in a lane of their own, because SQLite has one writer at a time and waiting
 * in our queue is cheaper than waiting for its lock.
 */
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../errors.ts'
import { compact } from '../../json.ts'
import type { Database, Endpoint, JsonValue, ParameterSet, Statement, Work } from '../../model.ts'
import { History } from '../history.ts'
import { requireInt64 } from '../int64.ts'
import { Pool } from '../pool.ts'
import { Connection, JobFailure } from './connection.ts'
import { type Location, readLocation } from './location.ts'
import type { Call, Job, SqliteValue } from './messages.ts'

export interface SqliteOptions {
  readonly name: string
  readonly url: string
  readonly maxConnections: number
  readonly acquireTimeoutSeconds: number
  /** Called for every statement that runs, when statements are logged. */
  readonly onStatement?: ((text: string, values: readonly SqliteValue[]) => void) | undefined
}

/** Short jobs that may wait in front of one worker. */
const depth = 32

export function openSqlite(options: SqliteOptions): Database {
  const location = readLocation(options.url)
  const statements = new Statements()
  const pools = openPools(options, location)
  // Keeps a database in memory alive while no worker has it open.
  const keeper = location.path === undefined ? new DatabaseSync(location.uri) : undefined
  let lastId = 0
  return {
    dialect: 'sqlite',
    async run(work) {
      // 1 .. 2^31 - 1, so that it fits the shared cancel flag; 0 there means nothing.
      lastId = (lastId % 0x7fff_ffff) + 1
      const job = toJob(lastId, work, statements, options.onStatement)
      if (job.sets.flat().length === 0) return work.batch ? `[${work.sets.map(() => '[]').join(',')}]` : '[]'
      const pool = work.script.statements.every(({ effect }) => effect === 'read') ? pools.read : pools.write
      return runJob(pool, job, work, statements)
    },
    probe: () => probe(location, pools.read),
    async close() {
      await Promise.all([pools.read.close(), pools.write.close()])
      keeper?.close()
    },
  }
}

function openPools(options: SqliteOptions, location: Location) {
  const { name, maxConnections, acquireTimeoutSeconds } = options
  const isWal = location.path !== undefined && !location.isReadOnly
  const busyTimeoutMs = acquireTimeoutSeconds * 1000
  const openPool = (max: number) =>
    new Pool<Connection>({
      name,
      max,
      acquireTimeoutSeconds,
      depth,
      open: async (broken) => {
        try {
          return await Connection.open({ uri: location.uri, isWal, busyTimeoutMs }, broken)
        } catch (error) {
          throw new Failure('BadSqlGrammarException', `Datasource '${name}' cannot be opened`, { cause: error })
        }
      },
    })
  if (maxConnections === 1) {
    const only = openPool(1)
    return { read: only, write: only }
  }
  return { read: openPool(maxConnections - 1), write: openPool(1) }
}

function runJob(pool: Pool<Connection>, job: Job, work: Work, statements: Statements): Promise<string> {
  const { cancellation } = work
  return pool.run({
    shareable: !job.touchesSession,
    history: statements.historyOf(work),
    cancellation,
    run: async (connection) => {
      cancellation.onCancel = () => connection.cancel(job.id)
      try {
        return await connection.run(job, (statement) => statements.textOf(statement))
      } catch (error) {
        throw toFailure(error, statements)
      } finally {
        cancellation.onCancel = undefined
      }
    },
  })
}

/** A missing file is made by the first request, not by looking whether it is there. */
async function probe({ path, mayCreate }: Location, pool: Pool<Connection>): Promise<void> {
  if (path === undefined || (await exists(path))) return pool.probe()
  if (!mayCreate) throw new Error('The file does not exist')
  await access(dirname(path), constants.W_OK)
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function toJob(id: number, work: Work, statements: Statements, onStatement: SqliteOptions['onStatement']): Job {
  const { script, sets, batch, endpoint } = work
  return {
    id,
    transaction: transactionOf(endpoint, batch),
    touchesSession: script.statements.some(({ effect }) => effect === 'session'),
    batch,
    sets: sets.map((set) => script.statements.map((statement) => toCall(statement, set, statements, onStatement))),
  }
}

/** A batch and a marked POST file take the write lock at once: waiting for it later could only fail. */
function transactionOf({ transactional, method }: Endpoint, batch: boolean): Job['transaction'] {
  if (!transactional && !batch) return 'none'
  return batch || method === 'POST' ? 'immediate' : 'deferred'
}

function toCall(
  statement: Statement,
  set: ParameterSet,
  statements: Statements,
  onStatement: SqliteOptions['onStatement'],
): Call {
  if (statement.refusal !== undefined) throw new Failure('BadSqlGrammarException', statement.refusal)
  const call = {
    statement: statements.numberOf(statement, set),
    values: statement.names.map((name) => toSqlite(name, set.get(name) as JsonValue)),
  }
  onStatement?.(statements.textOf(call.statement), call.values)
  return call
}

/** A parameter as SQLite binds it: booleans as 0 and 1, arrays and objects as compact JSON text. */
function toSqlite(name: string, value: JsonValue): SqliteValue {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 1n : 0n
  if ('text' in value) return compact(value.text)
  if (value.kind === 'float') return Number(value.digits)
  requireInt64(name, value.digits)
  return BigInt(value.digits)
}

/**
 * The texts of the statements as SQLite sees them, each under a number. A list alone in `IN (..)` becomes a look into
 * `json_each`, so a statement has one text for every choice of which of its parameters are lists.
 */
class Statements {
  readonly #numbers = new WeakMap<Statement, Map<string, number>>()
  readonly #texts: { text: string; line: number }[] = []
  readonly #histories = new WeakMap<Statement, History>()

  numberOf(statement: Statement, set: ParameterSet): number {
    const lists = statement.slots.map(({ role, name }) => role !== 'value' && isArray(set.get(name)))
    const key = lists.includes(true) ? lists.join() : ''
    let numbers = this.#numbers.get(statement)
    if (numbers === undefined) this.#numbers.set(statement, (numbers = new Map<string, number>()))
    let number = numbers.get(key)
    if (number === undefined) {
      number = this.#texts.push({ text: render(statement, lists), line: statement.line }) - 1
      numbers.set(key, number)
    }
    return number
  }

  textOf(number: number): string {
    return this.#texts[number]?.text ?? ''
  }

  lineOf(number: number): number {
    return this.#texts[number]?.line ?? 1
  }

  /** Batches are as long as their caller makes them, so they tell nothing. */
  historyOf({ script, batch }: Work): History | undefined {
    const [first] = script.statements
    if (batch || first === undefined) return undefined
    let history = this.#histories.get(first)
    if (history === undefined) this.#histories.set(first, (history = new History()))
    return history
  }
}

function isArray(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && value.kind === 'array'
}

function render(statement: Statement, lists: readonly boolean[]): string {
  let text = statement.pieces[0] as string
  for (const [index, { name, role, before, after }] of statement.slots.entries()) {
    const placeholder = `?${statement.names.indexOf(name) + 1}`
    const list = `${role === 'notIn' ? 'NOT ' : ''}IN (SELECT value FROM json_each(${placeholder}))`
    text += (lists[index] ? list : before + placeholder + after) + statement.pieces[index + 1]
  }
  return text
}

/** SQLite's message is passed on, but for what quotes the SQL (`near "x": syntax error`, `unrecognized token: "x"`). */
function toFailure(error: unknown, statements: Statements): Failure {
  if (!(error instanceof JobFailure)) {
    return new Failure('BadSqlGrammarException', 'The connection to the database was lost', { cause: error })
  }
  const { code, message, statement } = error.error
  const isSyntax = /syntax error|unrecognized token|incomplete input|contains no statements/.test(message)
  const place = statement === undefined ? '' : `, statement at line ${statements.lineOf(statement)}`
  const state = code === undefined ? '' : ` (SQLite ${code}${place})`
  return new Failure('BadSqlGrammarException', `${isSyntax ? 'Syntax error' : message}${state}`, { cause: error })
}
