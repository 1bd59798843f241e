/**
 * What a database does for a request, as spans: the wait for a connection, each statement, a batch. Names and
 * attributes are those of OpenTelemetry's stable conventions for databases. The text is that of the file, with the
 * names of its parameters: no value of a request is in a span, nor what the database says of a failure. And the comment
 * that tells a database of the span.
 */
import type { Attributes, Span } from '@services/trace'
import { Failure } from '../errors.ts'
import type { Statement, Work } from '../model.ts'
import { sourceOf } from '../sql/position.ts'
import { StatementFailure } from './statement-failure.ts'

/** Characters of a text; a longer one is cut. */
const maxTextLength = 16_384

export interface SpannedDatasource {
  readonly name: string
  /** The kind of database, as OpenTelemetry calls it. */
  readonly system: string
  /** Its name on its server; undefined where it has none. */
  readonly database?: string | undefined
  /** Undefined where it is not certain, or there is none. */
  readonly server?: { readonly host: string; readonly port: number } | undefined
  /** Statements of sampled requests carry their place in the trace; never unless given. */
  readonly sqlComment?: boolean | undefined
}

/** By the clock of `performance`. */
export interface Times {
  /** When work asked for a connection. */
  readonly arrived: number
  /** When it had one and began, at last; undefined before. */
  started: number | undefined
}

export class StatementSpans {
  readonly #datasource: Attributes
  readonly #namespace: string | undefined
  readonly #isCommented: boolean
  /** Facts about statements, made with the first span of each. */
  readonly #known = new WeakMap<Statement, { readonly name: string; readonly attributes: Attributes }>()

  constructor({ name, system, database, server, sqlComment = false }: SpannedDatasource) {
    this.#namespace = database
    this.#isCommented = sqlComment
    this.#datasource = {
      'db.system.name': system,
      'db.namespace': database,
      ...(server !== undefined && { 'server.address': server.host, 'server.port': server.port }),
      'sqlapi.datasource': name,
    }
  }

  /**
   * The wait that began at `arrived` (by the clock of `performance`) is over; with an error no connection came of it.
   */
  waited({ trace }: Work, arrived: number, error?: unknown): void {
    const span = trace?.span
    if (span?.isRecording !== true) return
    const wait = span.begin('wait for a connection', { started: arrived, attributes: this.#datasource })
    endStatement(wait, error)
  }

  /** The same outcome; where the work never began, with the span of a wait that ended without a connection. */
  async wait<T>(work: Work, times: Times, running: Promise<T>): Promise<T> {
    try {
      return await running
    } catch (error) {
      if (times.started === undefined) this.waited(work, times.arrived, error)
      throw error
    }
  }

  /** Makes both spans once the outcome is there: work that a connection gives back begins again. Gives the outcome. */
  async follow<T>(work: Work, times: Times, running: Promise<T>): Promise<T> {
    try {
      const outcome = await running
      this.#passed(work, times)
      return outcome
    } catch (error) {
      this.#passed(work, times, error)
      throw error
    }
  }

  #passed(work: Work, { arrived, started }: Times, error?: unknown): void {
    const span = work.trace?.span
    if (span?.isRecording !== true) return
    if (started === undefined) {
      this.waited(work, arrived, error)
      return
    }
    span.begin('wait for a connection', { started: arrived, attributes: this.#datasource }).end({ ended: started })
    endStatement(this.beginAll(work, started), error)
  }

  /** A statement of the work begins. */
  begin({ trace, endpoint }: Work, statement: Statement, started?: number): Span | undefined {
    const span = trace?.span
    if (span === undefined) return undefined
    const { name, attributes } = this.#factsOf(statement, endpoint.file)
    return span.begin(name, { kind: 'client', attributes, ...(started !== undefined && { started }) })
  }

  /** All that the work does begins, where its statements go out together. */
  beginAll(work: Work, started?: number): Span | undefined {
    const { trace, script, sets, endpoint } = work
    const span = trace?.span
    const [first] = script.statements
    if (span === undefined || first === undefined) return undefined
    const size = script.statements.length * sets.length
    if (size === 1) return this.begin(work, first, started)
    const { attributes } = this.#factsOf(first, endpoint.file)
    const isOne = script.statements.length === 1
    const operation = isOne ? `BATCH ${String(attributes['db.operation.name'] ?? '')}`.trim() : 'BATCH'
    return span.begin(this.#nameOf(operation), {
      kind: 'client',
      ...(started !== undefined && { started }),
      attributes: {
        ...attributes,
        'db.operation.name': operation,
        'db.operation.batch.size': size,
        'db.query.text': cut(script.statements.map(sourceOf).join(';\n')),
      },
    })
  }

  /**
   * What goes behind the text of a statement that the span is of, in the form of sqlcommenter; undefined for nothing.
   * On a line of its own, because the text may end in a comment. A `traceparent` is written from its ids, so it holds
   * nothing that could end this comment.
   */
  commentOf(span: Span | undefined): string | undefined {
    return this.#isCommented && span?.isSampled === true ? `\n/*traceparent='${span.traceparent}'*/` : undefined
  }

  #factsOf(statement: Statement, file: string): { readonly name: string; readonly attributes: Attributes } {
    let known = this.#known.get(statement)
    if (known === undefined) {
      const text = sourceOf(statement)
      const [operation] = /^[A-Za-z]+/.exec(text) ?? []
      const attributes = {
        ...this.#datasource,
        'db.operation.name': operation?.toUpperCase(),
        'db.query.text': cut(text),
        'code.file.path': file,
        'code.line.number': statement.line,
      }
      this.#known.set(statement, (known = { name: this.#nameOf(attributes['db.operation.name']), attributes }))
    }
    return known
  }

  #nameOf(operation: string | undefined): string {
    return [operation, this.#namespace].filter(Boolean).join(' ') || (this.#datasource['db.system.name'] as string)
  }
}

/** The same outcome, with which the span ends. */
export async function endWith<T>(span: Span, running: Promise<T>): Promise<T> {
  try {
    const outcome = await running
    span.end()
    return outcome
  } catch (error) {
    endStatement(span, error)
    throw error
  }
}

/** Ends the span of a statement, with the code of its failure where it has failed. */
export function endStatement(span: Span | undefined, error?: unknown): void {
  span?.end(error === undefined ? {} : toEnd(error))
}

function toEnd(error: unknown): { readonly error: string; readonly attributes: Attributes } {
  const code = error instanceof StatementFailure ? error.verdict.code : (error as { readonly code?: unknown }).code
  const status = typeof code === 'string' || typeof code === 'number' ? String(code) : undefined
  return {
    error: status ?? (error instanceof Failure ? error.reason : 'internal_error'),
    attributes: { 'db.response.status_code': status },
  }
}

function cut(text: string): string {
  return text.length > maxTextLength ? text.slice(0, maxTextLength) : text
}
