/**
 * A doubly linked list. A removed link lets go of its neighbours: one that has reached the old generation of the heap
 * would keep all that came behind it alive until the next major collection (README.md).
 */

/** Where an element is. Only the list changes it. */
export interface Link<T> {
  readonly element: T
  before: Link<T> | undefined
  behind: Link<T> | undefined
}

export class LinkedList<T> {
  #first: Link<T> | undefined
  #last: Link<T> | undefined
  #size = 0

  get first(): Link<T> | undefined {
    return this.#first
  }

  get last(): Link<T> | undefined {
    return this.#last
  }

  get size(): number {
    return this.#size
  }

  /** Adds the element at the end. */
  append(element: T): Link<T> {
    return this.insertBehind(this.#last, element)
  }

  /** Adds the element behind a link of this list, or at the front. */
  insertBehind(before: Link<T> | undefined, element: T): Link<T> {
    const behind = before === undefined ? this.#first : before.behind
    const link = { element, before, behind }
    if (before === undefined) this.#first = link
    else before.behind = link
    if (behind === undefined) this.#last = link
    else behind.before = link
    this.#size++
    return link
  }

  /** Takes out a link of this list; to be called once for each. */
  remove(link: Link<T>): void {
    const { before, behind } = link
    if (before === undefined) this.#first = behind
    else before.behind = behind
    if (behind === undefined) this.#last = before
    else behind.before = before
    link.before = undefined
    link.behind = undefined
    this.#size--
  }
}
