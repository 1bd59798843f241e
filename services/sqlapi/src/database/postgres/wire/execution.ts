/**
 * The round trip that runs one plan: Parse and Describe where they are needed, Bind, Execute, Sync go out; rows come in
 * and become text in a format, whole or piece by piece. flight.ts has the one for many plans, questions.ts those of the
 * service itself.
 */
import { Failure } from '../../../errors.ts'
import type { DatasourceMeter } from '../../../metering.ts'
import type { Result } from '../../../model.ts'
import { collectLimit, maxResultLength, type Sink, pieceSize } from '../../result.ts'
import type { ByteWriter } from '../rows/bytes.ts'
import { type ColumnDescription, readColumns } from './frames.ts'
import {
  writeBind,
  writeDescribe,
  writeDescribePortal,
  writeExecute,
  writeParse,
  writeSync,
} from './frontend-messages.ts'
import { declaredType, type Plan } from '../plans/plan.ts'
import type { RowWriter } from '../rows/rows.ts'
import { Writers } from '../../../formats/writers.ts'
import type { RowFormat } from '../../../formats/format.ts'
import { RoundTrip } from './round-trip.ts'
import type { Wire } from './wire.ts'

/** A result set's columns, with the writers for them, which there are as soon as all their types are known. */
export interface ResultShape {
  readonly columns: readonly ColumnDescription[]
  readonly writers: Writers<RowWriter>
  /** As the server sent it, where it is compared with what it sends next. */
  readonly bytes: Buffer | undefined
  /** How the next executions ask for some columns in binary form, where that saves time. */
  readonly binary: BinaryShape | undefined
}

export interface BinaryShape {
  /** For each column whether it is to come in binary form, as a Bind has it. */
  readonly formats: Buffer
  readonly writers: Writers<RowWriter>
}

/**
 * A plan that one connection has prepared, or is just preparing in the pipeline ahead. One without a name leaves
 * nothing on the connection: it is parsed and described with each flight, and what is known of it is what came last.
 */
export interface Prepared {
  readonly plan: Plan
  /** Of the prepared statement; empty for none. */
  readonly name: string
  /** Its Parse is on its way; executions behind it need not send another one. */
  isSent: boolean
  /** The server has described the statement. */
  isDescribed: boolean
  /** Stays undefined when it has no result set. */
  result: ResultShape | undefined
}

/** Whether the server describes the columns of before, so that nothing has to be made of them again. */
export function isAsBefore(result: ResultShape | undefined, source: Buffer, at: number, end: number): boolean {
  const bytes = result?.bytes
  return bytes !== undefined && source.compare(bytes, 0, bytes.length, at, end) === 0
}

/** The text of a plan as it is sent. Positions in errors stay, for the comment comes last. */
export function withComment({ text }: Plan, comment: string | undefined): string {
  return comment === undefined ? text : text + comment
}

/** Parameter texts in the order of a plan's `$n`. */
export type Values = readonly (string | null)[]

/** What executions of one connection share. */
export interface ExecutionContext {
  readonly wire: Wire
  /**
   * Where rows are written; only the execution at the head of the pipeline does, and takes its result out when
   * complete.
   */
  readonly out: ByteWriter
  readonly meter?: DatasourceMeter | undefined
  readonly compile: (columns: readonly ColumnDescription[], format: RowFormat) => RowWriter | undefined
  readonly toBinary: (columns: readonly ColumnDescription[]) => BinaryShape | undefined
}

/** Shorter results leave as text, in one write with the head of the reply. Measured. */
const longestText = 32 * 1024

/**
 * Runs a plan: Parse and Describe where the connection has not prepared it, then Bind, Execute, Sync. With a sink a
 * result that grows long becomes a stream; without one it is collected as far as any is.
 */
export class Execution extends RoundTrip {
  readonly #context: ExecutionContext
  readonly prepared: Prepared
  readonly format: RowFormat
  readonly #values: Values
  /** It prepares its statement itself. */
  #isNew: boolean
  readonly #sink: Sink | undefined
  #limit: number
  #hasRows = false
  /** Columns have come. */
  #isDescribed = false
  /** Rows that have come. */
  rows = 0
  #isRefused = false
  /** Rows that came before their types were known. */
  readonly unwritten: Buffer[] = []
  #unwrittenLength = 0
  /** The rows, less what has gone to the sink; undefined where there is none. */
  result: Result | undefined
  isParsed: boolean
  /** The server has begun to execute; before that nothing has happened. */
  isBound = false
  /** Goes behind the text of a statement without a name; set before it is submitted. */
  comment: string | undefined
  /** The session prints values as the service expects, so that it does not matter who prints them. */
  isPlain = false
  /** For columns of which some were asked for in binary form. */
  #binary: RowWriter | undefined

  constructor(
    context: ExecutionContext,
    prepared: Prepared,
    values: Values,
    format: RowFormat,
    sink: Sink | undefined,
  ) {
    super()
    this.#context = context
    this.prepared = prepared
    this.#isNew = !prepared.isSent
    this.isParsed = prepared.isSent
    prepared.isSent = prepared.name !== ''
    this.#values = values
    this.format = format
    this.#sink = sink
    this.#limit = sink === undefined ? maxResultLength : collectLimit
  }

  send(out: ByteWriter): void {
    this.write(out, this.#isNew)
    writeSync(out)
  }

  /** Without the Sync. One that is not new takes the statement that the one before it has prepared. */
  write(out: ByteWriter, isNew: boolean): void {
    this.#isNew = isNew
    const { name, plan } = this.prepared
    if (isNew) {
      writeParse(out, name, withComment(plan, this.comment), plan.parameters.map(declaredType))
      if (name !== '') writeDescribe(out, name)
    }
    const binary = isNew || !this.isPlain ? undefined : this.prepared.result?.binary
    this.#binary = binary?.writers.find(this.format)
    writeBind(out, name, this.#values, this.#binary === undefined ? undefined : binary?.formats)
    if (isNew && name === '') writeDescribePortal(out)
    writeExecute(out)
  }

  /** Characters of its values. */
  get length(): number {
    let length = 0
    for (const value of this.#values) length += value?.length ?? 0
    return length
  }

  override handleParsed(): void {
    this.isParsed = true
  }

  override handleBound(): void {
    this.isBound = true
    this.prepared.isDescribed = true
  }

  override handleDescription(source: Buffer, at: number, end: number): void {
    this.#isDescribed = true
    if (this.prepared.name !== '') this.handleColumns(readColumns(source, at))
    else if (!isAsBefore(this.prepared.result, source, at, end)) {
      // What the buffer holds is gone with the next read.
      this.#take(readColumns(source, at), Buffer.from(source.subarray(at, end)))
    }
  }

  override handleColumns(columns: readonly ColumnDescription[]): void {
    this.#take(columns, undefined)
  }

  #take(columns: readonly ColumnDescription[], bytes: Buffer | undefined): void {
    const { compile, toBinary } = this.#context
    // Without a name the columns may be others by the time of the next Bind.
    const binary = this.prepared.name === '' ? undefined : toBinary(columns)
    this.prepared.result = { columns, writers: new Writers((format) => compile(columns, format)), bytes, binary }
  }

  override handleRow(source: Buffer, at: number, end: number): void {
    this.rows++
    // Once rows are kept, all are: their type may have become known meanwhile.
    const writer = this.unwritten.length > 0 ? undefined : this.#writer
    if (writer === undefined) {
      this.#keep(source, at, end)
      return
    }
    if (this.#isRefused || this.#sink?.isAbandoned === true) return
    const { out } = this.#context
    if (!this.#hasRows) out.truncate(0)
    writer.write(source, at, out, !this.#hasRows)
    this.#hasRows = true
    if (out.length > this.#limit) this.#overflow()
  }

  get #writer(): RowWriter | undefined {
    return this.#binary ?? this.prepared.result?.writers.find(this.format)
  }

  override handleHugeRow(): void {
    this.#refuseTooLong()
  }

  override handleComplete(): void {
    if (this.prepared.name === '' && this.#isNew && !this.#isDescribed) this.prepared.result = undefined
    if (!this.#hasRows) return
    const { out } = this.#context
    this.#writer?.writeEnd(out)
    this.result = out.length <= longestText ? out.takeText() : out.take()
  }

  override settle(): void {
    this.#context.meter?.gave(this.rows)
    if (this.#sink?.isOpen === true) {
      // What is left of the result waits for its reader alone; the next execution's must not.
      this.#sink.onWanted = undefined
      this.#context.wire.resume()
    }
    super.settle()
  }

  #overflow(): void {
    const { out, wire } = this.#context
    if (this.#sink === undefined) {
      this.#refuseTooLong()
      return
    }
    this.#limit = pieceSize
    this.#sink.onWanted ??= () => wire.resume()
    const isWanted = this.#sink.write(out.take())
    if (isWanted) return
    // Round trips behind this one must not wait for its reader. It happens only once: from now on the statement runs
    // alone.
    if (!wire.isShared) wire.pause()
    else if (this.#sink.waiting > maxResultLength) this.#refuse(new Error('The client reads too slowly, others wait'))
  }

  #keep(source: Buffer, at: number, end: number): void {
    this.#unwrittenLength += end - at
    if (this.#unwrittenLength > maxResultLength) this.#refuseTooLong()
    else this.unwritten.push(Buffer.from(source.subarray(at, end)))
  }

  #refuseTooLong(): void {
    this.#refuse(new Failure('result_too_large'))
  }

  /** What still comes is dropped. */
  #refuse(error: Error): void {
    this.#isRefused = true
    this.fail(error)
  }
}
