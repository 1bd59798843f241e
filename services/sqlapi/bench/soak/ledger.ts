/** What was written, as far as callers were told, and what is there in the end. Pure. */

export type Project = 'soak' | 'lite'

/** `whole`: acknowledged. `unknown`: the answer never came or was an error, so the write may have happened, once. */
type Fate = 'whole' | 'unknown'

interface Write {
  readonly project: Project
  readonly ids: readonly number[]
  readonly fate: Fate
}

const mostTold = 5

export class Ledger {
  readonly #writes: Write[] = []
  #last = 0

  /** Numbers that nobody else has. */
  take(count: number): number[] {
    return Array.from({ length: count }, () => ++this.#last)
  }

  note(project: Project, ids: readonly number[], fate: Fate): void {
    this.#writes.push({ project, ids, fate })
  }

  /** A line for each write that is lost, doubled, there by halves, or nobody's. */
  compare(project: Project, found: readonly number[]): readonly string[] {
    const times = new Map<number, number>()
    for (const id of found) times.set(id, (times.get(id) ?? 0) + 1)
    const problems: string[] = []
    for (const { ids, fate } of this.#writes.filter((write) => write.project === project)) {
      const there = ids.filter((id) => times.has(id))
      const named = `${project}: write of ${ids[0]}${ids.length > 1 ? ` to ${ids.at(-1)}` : ''}`
      if (ids.some((id) => (times.get(id) ?? 0) > 1)) problems.push(`${named} is there twice`)
      else if (fate === 'whole' && there.length < ids.length) problems.push(`${named} was acknowledged and is lost`)
      else if (there.length > 0 && there.length < ids.length) problems.push(`${named} is there by halves`)
      for (const id of ids) times.delete(id)
    }
    if (times.size > 0) problems.push(`${project}: ${times.size} rows that nobody wrote`)
    return problems.slice(0, mostTold)
  }
}
