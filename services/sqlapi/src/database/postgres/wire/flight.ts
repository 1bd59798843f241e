/**
 * Many executions in one round trip, for the sets of a batch: their results are put behind each other into the batch's
 * own, which is JSON.
 */
import { Failure } from '../../../errors.ts'
import { json } from '../../../formats/json.ts'
import type { Result } from '../../../model.ts'
import { maxResultLength } from '../../result.ts'
import type { ByteWriter } from '../rows/bytes.ts'
import { declaredType, type Plan } from '../plans/plan.ts'
import { isAsBefore, type Prepared, type Values, withComment } from './execution.ts'
import { closingBracket, comma, openingBracket } from '../rows/json-bytes.ts'
import { ServerError } from './frames.ts'
import { writeBind, writeDescribePortal, writeExecute, writeParse, writeSync } from './frontend-messages.ts'
import { RoundTrip } from './round-trip.ts'
import { sqlStates } from '../plans/sql-states.ts'

/** One statement of a flight. */
export interface Step {
  readonly prepared: Prepared
  readonly values: Values
  /**
   * `rows`: they are the result of their set. `empty`: the set has no result set, and ends here. `none`: another step
   * gives it.
   */
  readonly gives: 'rows' | 'empty' | 'none'
}

/**
 * Many executions of plans that the connection has prepared and described, behind each other and with one Sync, so that
 * the server answers them all at once and passes over those behind the first that fails.
 */
export class Flight extends RoundTrip {
  readonly #steps: readonly Step[]
  readonly #out: ByteWriter
  readonly #comment: string | undefined
  #current = 0
  /** Of the current step. */
  #rows = 0
  /** That have come, of all steps, those too that give nothing. */
  rows = 0
  /** The current step is executing. */
  isBound = false
  /** A statement has other columns than it had: all of them have to be prepared again. */
  hasChanged = false

  /** Results are appended to `out`, which holds the opening bracket of the batch. With a comment no step has a name. */
  constructor(steps: readonly Step[], out: ByteWriter, comment: string | undefined) {
    super()
    this.#steps = steps
    this.#out = out
    this.#comment = comment
  }

  /** Number of the step that failed. */
  get current(): number {
    return this.#current
  }

  send(out: ByteWriter): void {
    let parsed: Plan | undefined
    for (const { prepared, values } of this.#steps) {
      const { name, plan } = prepared
      const isNew = name === '' && plan !== parsed
      if (isNew) writeParse(out, '', withComment(plan, this.#comment), plan.parameters.map(declaredType))
      writeBind(out, name, values)
      // Once is enough: nobody can change it as long as the statement exists.
      if (isNew) writeDescribePortal(out)
      writeExecute(out)
      parsed = plan
    }
    writeSync(out)
  }

  override handleBound(): void {
    this.isBound = true
  }

  override handleDescription(source: Buffer, at: number, end: number): void {
    const { result } = (this.#steps[this.#current] as Step).prepared
    if (isAsBefore(result, source, at, end)) return
    this.hasChanged = true
    this.fail(changed)
  }

  override handleRow(source: Buffer, at: number): void {
    this.rows++
    const step = this.#steps[this.#current] as Step
    if (step.gives !== 'rows' || this.hasFailed) return
    if (this.#rows === 0) writeSeparator(this.#out)
    step.prepared.result?.writers.find(json)?.write(source, at, this.#out, this.#rows === 0)
    this.#rows++
    if (this.#out.length > maxResultLength) this.fail(new Failure('result_too_large'))
  }

  override handleHugeRow(): void {
    this.fail(new Failure('result_too_large'))
  }

  override handleComplete(): void {
    const { gives, prepared } = this.#steps[this.#current] as Step
    if (this.#rows > 0) prepared.result?.writers.find(json)?.writeEnd(this.#out)
    else if (gives !== 'none') appendResult(this.#out, json.nothing)
    this.#rows = 0
    this.isBound = false
    this.#current++
  }
}

/** As the server says it of a prepared statement: the plan has to be made again. */
const changed = new ServerError('The columns of the statement have changed', {
  severity: 'ERROR',
  code: sqlStates.invalidStatementName,
})

/** Starts the result of a batch, which `Flight` and `appendResult` go on with. */
export function beginResults(out: ByteWriter): void {
  out.byte(openingBracket)
}

/** Adds the result of one set. */
export function appendResult(out: ByteWriter, result: Result): void {
  writeSeparator(out)
  if (typeof result === 'string') out.text(result)
  else out.copy(result as Buffer)
}

export function endResults(out: ByteWriter): Buffer {
  out.byte(closingBracket)
  return out.take()
}

function writeSeparator(out: ByteWriter): void {
  if (out.length > 1) out.byte(comma)
}
