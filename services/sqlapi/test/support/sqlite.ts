/** A SQLite datasource without HTTP before it: SQL text and values become work, as they do for a request. */
import { strictEqual } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import { newFolder } from '@services/testing'
import { dialects } from '../../src/dialects.ts'
import type { OpenOptions } from '../../src/database/sqlite/worker/library.ts'
import { type FileChangeReport, type GivenUp, SqliteDatabase } from '../../src/database/sqlite/sqlite.ts'
import { readScript } from '../../src/sql/script.ts'
import type { Result, Cancellation, Endpoint, JsonValue, ParameterSet, Work } from '../../src/model.ts'

export type Values = Readonly<Record<string, number | string | null>>

/** A file of its own, with this schema. */
export function newFile(schema = ''): string {
  const file = join(newFolder(), `${randomUUID()}.db`)
  const database = new DatabaseSync(file)
  database.exec(schema)
  database.close()
  return file
}

/** How a connection of the service opens the file. */
export function openOptions(path: string, busyTimeoutMs: number): OpenOptions {
  const uri = `file:${path}`
  return { uri, uriOfExisting: uri, path, isWal: true, busyTimeoutMs }
}

/**
 * What somebody else finds in the table `t (x)` of a file that is whole: its values in their order, with spaces
 * between.
 */
export function contentOf(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    strictEqual(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
    return database.prepare("SELECT group_concat(x, ' ') AS xs FROM (SELECT x FROM t ORDER BY rowid)").get()?.['xs']
  } finally {
    database.close()
  }
}

/** Whether somebody holds the write lock. */
export function isLocked(file: string): boolean {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('BEGIN IMMEDIATE')
    return false
  } catch {
    return true
  } finally {
    database.close()
  }
}

/** Commits in the WAL of the file: its frames that name the size of the database. */
export function commitsOf(file: string): number {
  const bytes = readFileSync(`${file}-wal`)
  const header = 32
  const frame = 24 + bytes.readUInt32BE(8)
  const salts = bytes.subarray(16, 24)
  let commits = 0
  for (let at = header; at + frame <= bytes.length; at += frame) {
    if (!bytes.subarray(at + 8, at + 16).equals(salts)) break
    if (bytes.readUInt32BE(at + 4) !== 0) commits++
  }
  return commits
}

export interface CallOptions {
  readonly method?: Endpoint['method']
  readonly transactional?: boolean
  /** Makes it a batch. */
  readonly sets?: readonly Values[]
  readonly cancellation?: Cancellation
}

export class Datasource {
  readonly database: SqliteDatabase
  /** What the log would have told of the file. */
  readonly fileChanges: FileChangeReport[] = []
  /** What the log would have told of statements. */
  readonly givenUp: GivenUp[] = []
  readonly #endpoints = new Map<string, Endpoint>()

  /** `url` is a path, or what stands behind `sqlite:`. Closed after the test or the suite that opened it. */
  constructor(url: string, maxConnections = 4, statementTimeoutSeconds = 0, goneMs?: number) {
    this.database = new SqliteDatabase({
      name: 'lite',
      url: `sqlite:${url}`,
      maxConnections,
      poolSize: maxConnections,
      acquireTimeoutSeconds: 20,
      statementTimeoutSeconds,
      goneMs,
      onGivenUp: (report) => this.givenUp.push(report),
      onFileChange: (change) => this.fileChanges.push(change),
    })
    after(() => this.database.close())
  }

  run(sql: string, values: Values = {}, options: CallOptions = {}): Promise<Result> {
    return this.database.run(this.#toWork(sql, values, options))
  }

  /** The answer as text, read to its end if it is a stream. */
  async text(sql: string, values: Values = {}, options: CallOptions = {}): Promise<string> {
    return textOf(await this.run(sql, values, options))
  }

  #toWork(
    sql: string,
    values: Values,
    { method = 'GET', transactional = false, sets, cancellation }: CallOptions,
  ): Work {
    const key = `${method} ${transactional} ${sql}`
    let endpoint = this.#endpoints.get(key)
    if (endpoint === undefined) {
      const scripts = {
        sqlite: readScript(sql, dialects.sqlite.grammar),
        postgres: readScript(sql, dialects.postgres.grammar),
      }
      const place = { method, project: 'lite', path: '/lite/x', file: 'lite/x.sql' }
      endpoint = { ...place, transactional, scripts, declarations: undefined }
      this.#endpoints.set(key, endpoint)
    }
    return {
      endpoint,
      script: endpoint.scripts.sqlite as Work['script'],
      sets: (sets ?? [values]).map(toSet),
      batch: sets !== undefined,
      format: 'json',
      cancellation: cancellation ?? { cancelled: false, onCancel: undefined },
      requestId: 'a-request',
      trace: undefined,
    }
  }
}

export async function textOf(answer: Result): Promise<string> {
  if (typeof answer === 'string') return answer
  if (Buffer.isBuffer(answer)) return answer.toString()
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function toSet(values: Values): ParameterSet {
  return new Map(Object.entries(values).map(([name, value]) => [name, toJson(value)]))
}

function toJson(value: number | string | null): JsonValue {
  if (typeof value !== 'number') return value
  return { kind: Number.isInteger(value) ? 'integer' : 'float', digits: String(value) }
}
