/**
 * The files' statements as SQLite sees them: texts with `?n`, each under a number, and how long they have taken. Kept
 * by the datasource; the workers know the numbers and texts that were sent to them.
 */
import { Failure } from '../../../errors.ts'
import type { JsonValue, ParameterSet, Statement, Work } from '../../../model.ts'
import type { Rendered } from '../../../sql/position.ts'
import { History } from '../../pool/history.ts'
import { render } from '../render.ts'
import type { BoundStatement } from '../worker-messages.ts'

type Sets = readonly (readonly BoundStatement[])[]

/** Most texts of one statement. They are kept for ever, and clients choose which are needed. */
const maxTexts = 1024

/** One way to write a statement. */
export interface StatementText extends Rendered {
  readonly statement: Statement
}

/**
 * A list alone in `IN (..)` becomes a look into `json_each`, so a statement has one text for every choice of which of
 * its parameters are lists.
 */
export class Statements {
  readonly #numbers = new WeakMap<Statement, Map<string, number>>()
  readonly #texts: StatementText[] = []
  /** Those that may run very long. */
  readonly #runOn = new Set<number>()
  readonly #histories = new WeakMap<Statement, History>()

  numberOf(statement: Statement, set: ParameterSet): number {
    const lists = statement.slots.map(({ role, name }) => role !== 'value' && isArray(set.get(name)))
    const key = lists.includes(true) ? lists.join() : ''
    let numbers = this.#numbers.get(statement)
    if (numbers === undefined) this.#numbers.set(statement, (numbers = new Map<string, number>()))
    let number = numbers.get(key)
    if (number === undefined) {
      if (numbers.size >= maxTexts) throw new Failure('list_combinations_exhausted')
      number = this.#texts.push({ statement, ...render(statement, lists) }) - 1
      numbers.set(key, number)
    }
    return number
  }

  mayRunOn(sets: Sets): boolean {
    return (
      this.#runOn.size > 0 && sets.some((statements) => statements.some(({ statement }) => this.#runOn.has(statement)))
    )
  }

  /** Recognized as such, or seen to take long. */
  markRunsOn(sets: Sets): void {
    for (const statements of sets) for (const { statement } of statements) this.#runOn.add(statement)
  }

  /** With another schema they may be others. */
  forgetRunsOn(): void {
    this.#runOn.clear()
  }

  textOf(number: number): StatementText {
    return this.#texts[number] as StatementText
  }

  /** Callers decide how long batches are, so their times say nothing. */
  historyOf({ script, batch }: Work): History | undefined {
    const [first] = script.statements
    if (batch || first === undefined) return undefined
    let history = this.#histories.get(first)
    // Trusted from the start: jobs behind it can be taken back, and each additional worker costs memory.
    if (history === undefined) this.#histories.set(first, (history = new History(0)))
    return history
  }
}

/**
 * Of the plain writes together. There is one writer, so a write waits for earlier ones in any case; together with
 * them it can share a commit.
 */
export class WriteHistory extends History {
  override get isShort(): boolean {
    return true
  }

  override get expectedMs(): number {
    return 0
  }
}

function isArray(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && value.kind === 'array'
}
