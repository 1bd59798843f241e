/** A place in the source of an expression, for those who read one: what comes next, and taking it. */
export class Cursor {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  /** What has been taken, in code units. */
  get at(): number {
    return this.#at
  }

  get isDone(): boolean {
    return this.#at === this.#source.length
  }

  /** One code unit; empty at the end. */
  peek(ahead = 0): string {
    return this.#source.charAt(this.#at + ahead)
  }

  take(character: string): boolean {
    if (this.peek() !== character) return false
    this.#at++
    return true
  }

  /** A whole character, also one that takes two code units; empty at the end. */
  next(): string {
    const codePoint = this.#source.codePointAt(this.#at)
    if (codePoint === undefined) return ''
    const character = String.fromCodePoint(codePoint)
    this.#at += character.length
    return character
  }

  /** Takes what the expression, which begins with `^`, matches from here on. */
  match(expression: RegExp): RegExpExecArray | undefined {
    const found = expression.exec(this.#source.slice(this.#at))
    if (found === null) return undefined
    this.#at += found[0].length
    return found
  }

  /** What has been taken since then. */
  since(start: number): string {
    return this.#source.slice(start, this.#at)
  }
}
