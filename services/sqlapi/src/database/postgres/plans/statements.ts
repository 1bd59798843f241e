/**
 * What one datasource has learnt about the statements of the files: how long they take and which plan fits which kinds
 * of values. Filled per request, bounded per statement.
 */
import { randomBytes } from 'node:crypto'
import type { Statement } from '../../../model.ts'
import { History } from '../../pool/history.ts'
import { type Binding, type Plan, widen } from './plan.ts'

/** Clients choose the kinds of their values, so the number of plans of a statement is limited. */
const maxPlans = 64

export interface KnownStatement {
  readonly statement: Statement
  readonly history: History
  /** Plans by shape, the oldest first. */
  readonly plans: Map<string, Plan>
  /** It names stored code that may change the session, as known at this version of session-code.ts. */
  namesSessionCode: boolean
  judgedAt: number
  /** It has written although its words say that it only reads. */
  writes: boolean
}

export class Statements {
  readonly #known = new WeakMap<Statement, KnownStatement>()
  /**
   * Of this datasource in this process alone, so that a file's own PREPARE or a mixed-up pooler meets no other
   * statement.
   */
  readonly #prefix = `sqlapi_${randomBytes(6).toString('hex')}_`
  #names = 0

  of(statement: Statement): KnownStatement {
    const known = this.#known.get(statement)
    if (known !== undefined) return known
    const fresh = {
      statement,
      history: new History(),
      plans: new Map<string, Plan>(),
      namesSessionCode: false,
      judgedAt: -1,
      writes: false,
    }
    this.#known.set(statement, fresh)
    return fresh
  }

  /** The plan for the values, if one is known; their shape is the one that it is or will be kept under. */
  find({ plans }: KnownStatement, binding: Binding): Plan | undefined {
    for (;;) {
      const plan = plans.get(binding.shape)
      if (plan === undefined || plan.narrow.length === 0) return plan
      const shape = widen(plan, binding)
      if (shape === binding.shape) return plan
      binding.shape = shape
    }
  }

  /** A name for the next prepared statement. */
  nextName(): string {
    return `${this.#prefix}${++this.#names}`
  }

  keep({ plans }: KnownStatement, shape: string, plan: Plan): void {
    const [oldest] = plans.keys()
    if (plans.size >= maxPlans && oldest !== undefined) plans.delete(oldest)
    plans.set(shape, plan)
  }
}
