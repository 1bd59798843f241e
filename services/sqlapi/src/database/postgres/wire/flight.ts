/**
 * Many executions in one round trip, for the sets of a batch: their answers are put behind each other into the batch's own, which
 * is JSON.
 */
import { Failure } from '../../../errors.ts'
import { json } from '../../../formats/json.ts'
import type { Result } from '../../../model.ts'
import { maxResultLength } from '../../result.ts'
import type { ByteWriter } from '../rows/bytes.ts'
import type { Prepared, Values } from './round-trips.ts'
import { closingBracket, comma, openingBracket } from '../rows/json-bytes.ts'
import { writeBind, writeExecute, writeSync } from './frontend-messages.ts'
import { RoundTrip } from './wire.ts'

/** One statement of a flight. */
export interface Step {
  readonly prepared: Prepared
  readonly values: Values
  /** `rows`: they are the answer of their set. `empty`: the set has no result set, and ends here. `none`: another step answers. */
  readonly answer: 'rows' | 'empty' | 'none'
}

/**
 * Many executions of plans that the connection has prepared and described, behind each other and with one Sync, so that the
 * server answers them all at once and passes over those behind the first that fails.
 */
export class Flight extends RoundTrip {
  readonly #steps: readonly Step[]
  readonly #out: ByteWriter
  #current = 0
  /** Of the current step. */
  #rows = 0
  /** That have come, of all steps, those that do not answer too. */
  rows = 0
  /** The current step is executing. */
  isBound = false

  /** Answers are appended to `out`, which holds the opening bracket of the batch. */
  constructor(steps: readonly Step[], out: ByteWriter) {
    super()
    this.#steps = steps
    this.#out = out
  }

  /** Number of the step that failed. */
  get current(): number {
    return this.#current
  }

  send(out: ByteWriter): void {
    for (const { prepared, values } of this.#steps) {
      writeBind(out, prepared.plan.name, values)
      writeExecute(out)
    }
    writeSync(out)
  }

  override handleBound(): void {
    this.isBound = true
  }

  override handleRow(source: Buffer, at: number): void {
    this.rows++
    const step = this.#steps[this.#current] as Step
    if (step.answer !== 'rows' || this.hasFailed) return
    if (this.#rows === 0) writeSeparator(this.#out)
    step.prepared.result?.writers.find(json)?.write(source, at, this.#out, this.#rows === 0)
    this.#rows++
    if (this.#out.length > maxResultLength) this.fail(new Failure('result_too_large'))
  }

  override handleHugeRow(): void {
    this.fail(new Failure('result_too_large'))
  }

  override handleComplete(): void {
    const { answer, prepared } = this.#steps[this.#current] as Step
    if (this.#rows > 0) prepared.result?.writers.find(json)?.writeEnd(this.#out)
    else if (answer !== 'none') appendResult(this.#out, json.nothing)
    this.#rows = 0
    this.isBound = false
    this.#current++
  }
}

/** Starts the answer of a batch, which `Flight` and `appendResult` go on with. */
export function beginResults(out: ByteWriter): void {
  out.byte(openingBracket)
}

/** Adds the answer of one set. */
export function appendResult(out: ByteWriter, answer: Result): void {
  writeSeparator(out)
  if (typeof answer === 'string') out.text(answer)
  else out.copy(answer as Buffer)
}

export function endResults(out: ByteWriter): Buffer {
  out.byte(closingBracket)
  return out.take()
}

function writeSeparator(out: ByteWriter): void {
  if (out.length > 1) out.byte(comma)
}
