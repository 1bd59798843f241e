/**
 * What one connection has prepared: a statement for each plan, by a name, up to a limit. And what it knows of plans
 * that it parses again each time, without a name: nothing of those stays on the connection. Sends nothing itself.
 */
import { json } from '../../../formats/json.ts'
import type { Plan } from '../plans/plan.ts'
import type { Prepared } from '../wire/execution.ts'

/** Beyond this the oldest are given up. */
const maxStatements = 1000

export class PreparedStatements {
  readonly #named = new Map<string, Prepared>()
  readonly #unnamed = new Map<string, Prepared>()
  readonly #close: ((name: string) => void) | undefined

  /** `close` gets the name of a statement that is given up; without it nothing has a name. */
  constructor(close: ((name: string) => void) | undefined) {
    this.#close = close
  }

  /**
   * The statement of this plan, which its first execution prepares. With a comment the text is another one each time,
   * so it has no name, and each execution prepares it.
   */
  of(plan: Plan, comment?: string): Prepared {
    const close = comment === undefined ? this.#close : undefined
    if (close === undefined) return this.#unnamed.get(plan.name) ?? add(this.#unnamed, plan, '').fresh
    const known = this.#named.get(plan.name)
    if (known !== undefined) return known
    const { fresh, oldest } = add(this.#named, plan, plan.name)
    if (oldest !== undefined) close(oldest)
    return fresh
  }

  /** The same where all is known about its result. */
  described(plan: Plan, comment?: string): Prepared | undefined {
    const hasName = this.#close !== undefined && comment === undefined
    const prepared = (hasName ? this.#named : this.#unnamed).get(plan.name)
    if (prepared === undefined || !prepared.isDescribed) return undefined
    const { result } = prepared
    return result === undefined || result.writers.find(json) !== undefined ? prepared : undefined
  }

  /** The server has refused to prepare it. */
  drop(prepared: Prepared): void {
    const statements = prepared.name === '' ? this.#unnamed : this.#named
    if (statements.get(prepared.plan.name) === prepared) statements.delete(prepared.plan.name)
  }

  /** Forgets that any plan is prepared, because the server has. */
  forget(): void {
    for (const statements of [this.#named, this.#unnamed]) statements.clear()
  }

  /** The plan is not used any more. The server may have forgotten its statement already. */
  giveUp({ name }: Plan): void {
    this.#unnamed.delete(name)
    if (this.#named.delete(name)) this.#close?.(name)
  }

  /** The texts of results are read in another way from now on. */
  forgetWriters(): void {
    for (const statements of [this.#named, this.#unnamed])
      for (const { result } of statements.values()) {
        result?.writers.forget()
        result?.binary?.writers.forget()
      }
  }
}

function add(statements: Map<string, Prepared>, plan: Plan, name: string): { fresh: Prepared; oldest?: string } {
  const fresh = { plan, name, isSent: false, isDescribed: false, result: undefined }
  statements.set(plan.name, fresh)
  const [oldest] = statements.keys()
  if (statements.size <= maxStatements || oldest === undefined) return { fresh }
  statements.delete(oldest)
  return { fresh, oldest }
}
