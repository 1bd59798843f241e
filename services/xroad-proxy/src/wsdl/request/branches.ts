/**
 * Branches of large requests, kept for the other operations of a WSDL that have the same ones. What is the same is for
 * expansion.ts to say, by type and key.
 */
import type { OutlineType } from '../outline/outline.ts'
import type { RequestElement } from './request.ts'

export interface Branch {
  readonly element: RequestElement
  /** What was left out of it, one sentence each. */
  readonly notes: readonly string[]
}

export class SharedBranches {
  readonly #branches = new Map<OutlineType, Map<string, Branch>>()

  /** `taken` are the branches that a tree holds: each value in it has to be one of its own. */
  take(type: OutlineType, key: string, taken: Set<Branch>, grow: () => Branch): Branch {
    const known = this.#branches.get(type)?.get(key)
    const branch = known === undefined || taken.has(known) ? grow() : known
    taken.add(branch)
    if (known === undefined) this.#keep(type, key, branch)
    return branch
  }

  #keep(type: OutlineType, key: string, branch: Branch): void {
    const ofType = this.#branches.get(type) ?? new Map<string, Branch>()
    this.#branches.set(type, ofType.set(key, branch))
  }
}
