/**
 * A connection to PostgreSQL that asks questions of our own and knows how what comes is read: the types of columns, and
 * their encoding. What it remembers of those who use it is session.ts's.
 */
import { Failure } from '../../../errors.ts'
import type { RowFormat } from '../../../formats/format.ts'
import { ByteWriter } from '../rows/bytes.ts'
import { binaryTypes } from '../rows/binary-columns.ts'
import { compileRowWriter, type RowWriter, takesBinary } from '../rows/rows.ts'
import type { ElementForm } from '../types/encode.ts'
import { type ColumnType, jsonKinds, oid } from '../types/types.ts'
import type { Opened } from '../wire/driver.ts'
import type { ColumnDescription } from '../wire/frames.ts'
import type { BinaryShape, ExecutionContext, ResultShape } from '../wire/execution.ts'
import { toFormats } from '../wire/frontend-messages.ts'
import { Closing, Command, Listing } from '../wire/questions.ts'
import { Writers } from '../../../formats/writers.ts'
import { Wire } from '../wire/wire.ts'
import { type Catalog, queries } from './catalog.ts'
import type { Rows } from './plan-run.ts'
import { PreparedStatements } from './prepared-statements.ts'

export interface ServerConnectionOptions {
  readonly meter?: ExecutionContext['meter']
  /**
   * A pooler in between gives each transaction another connection: nothing is prepared or set for longer than a
   * transaction.
   */
  readonly isPooled?: boolean | undefined
}

export class ServerConnection {
  protected readonly wire: Wire
  protected readonly catalog: Catalog
  protected readonly opened: Opened
  protected readonly context: ExecutionContext
  readonly prepared: PreparedStatements
  /** Types whose binary form tells something else than what the session prints. */
  protected readonly textTypes = new Set<number>([oid.float8])
  /** The texts that the server sends are valid UTF-8. */
  #isUtf8: boolean

  /** `onBroken` is called when the connection ends by itself. */
  constructor(opened: Opened, { isPooled, meter }: ServerConnectionOptions, catalog: Catalog, onBroken: () => void) {
    this.wire = new Wire(opened.socket, () => this.#forgetThen(onBroken), isPooled)
    this.opened = opened
    this.catalog = catalog
    this.#isUtf8 = opened.isUtf8
    // Sent ahead of the statement that takes its place; should it fail, the connection is lost and says so itself.
    const close = (name: string): void => void this.wire.ask(new Closing(name)).catch(() => undefined)
    this.prepared = new PreparedStatements(isPooled === true ? undefined : close)
    this.context = {
      wire: this.wire,
      out: new ByteWriter(),
      meter,
      compile: (columns, format) => this.#compileWriter(columns, format),
      toBinary: (columns) => this.#toBinary(columns),
    }
  }

  /** Name of the login. */
  get role(): string {
    return this.opened.role
  }

  /** What is sent is taken for UTF-8, not for single bytes. */
  get isUtf8(): boolean {
    return this.#isUtf8
  }

  get isInTransaction(): boolean {
    return this.wire.status !== 'I'
  }

  /** Number of the process that was announced at the start. */
  get announced(): number {
    return this.opened.processId
  }

  /** Number of the process that answers. */
  async askBackend(): Promise<number> {
    return Number((await this.list('SELECT pg_catalog.pg_backend_pid()', [])).flat()[0])
  }

  /** Runs a query of our own and gives its rows as text. */
  async list(query: string, values: readonly string[]): Promise<Listing['rows']> {
    const listing = new Listing(query, values)
    await this.wire.ask(listing)
    return listing.rows
  }

  /** Runs a text of our own, which may hold several commands, for its effect. */
  command(text: string): Promise<void> {
    return this.wire.ask(new Command(text))
  }

  async elementsOf(type: number): Promise<ElementForm | undefined> {
    await this.learn([type])
    const known = this.catalog.typeOf(type)
    if (known?.array !== true) return undefined
    return jsonKinds.has(known.kind) ? 'json' : 'text'
  }

  close(): Promise<void> {
    return this.#forgetThen(() => this.wire.close())
  }

  #forgetThen<Outcome>(next: () => Outcome): Outcome {
    this.catalog.poolers.forget(this)
    return next()
  }

  /** Texts come in this encoding from now on. */
  protected setEncoding(isUtf8: boolean): void {
    this.#isUtf8 = isUtf8
    this.prepared.forgetWriters()
  }

  /** Asks what is not known of these types. */
  protected async learn(ids: readonly number[]): Promise<void> {
    const unknown = ids.filter((id) => id !== 0 && this.catalog.typeOf(id) === undefined)
    if (unknown.length === 0) return
    this.catalog.addTypes(await this.list(queries.types, [`{${unknown.join(',')}}`]), unknown)
  }

  /** Rows that came before their types were known. */
  protected async writeLate(
    result: ResultShape | undefined,
    rows: readonly Buffer[],
    format: RowFormat,
  ): Promise<Rows> {
    if (result === undefined) {
      // The statement of this name is another session's: something between us and the server swaps connections.
      this.catalog.poolers.mixedUp()
      this.wire.destroy()
      throw new Failure('session_swapped')
    }
    await this.learn(result.columns.map(({ dataTypeID }) => dataTypeID))
    const writer = result.writers.find(format) as RowWriter
    const out = new ByteWriter()
    for (const [index, row] of rows.entries()) writer.write(row, 0, out, index === 0)
    writer.writeEnd(out)
    return out.take()
  }

  /** The writer for these columns, if every type is known. */
  #compileWriter(
    columns: readonly ColumnDescription[],
    format: RowFormat,
    binary: readonly (number | undefined)[] = [],
  ): RowWriter | undefined {
    const types = columns.map(({ dataTypeID }) => this.catalog.typeOf(dataTypeID))
    if (types.includes(undefined)) return undefined
    const names = columns.map(({ name }) => name)
    return compileRowWriter({ names, types: types as ColumnType[], isUtf8: this.#isUtf8, binary }, format)
  }

  #toBinary(columns: readonly ColumnDescription[]): BinaryShape | undefined {
    const isBinary = ({ dataTypeID }: ColumnDescription): boolean =>
      binaryTypes.has(dataTypeID) && !this.textTypes.has(dataTypeID)
    if (!columns.some(isBinary)) return undefined
    const types = columns.map((column) => (isBinary(column) ? column.dataTypeID : undefined))
    const compile = (format: RowFormat): RowWriter | undefined =>
      takesBinary(format) ? this.#compileWriter(columns, format, types) : undefined
    return { formats: toFormats(columns.map(isBinary)), writers: new Writers(compile) }
  }
}
