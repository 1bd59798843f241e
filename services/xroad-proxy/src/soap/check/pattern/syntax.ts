/**
 * An expression as its tree: patterns of XML Schema, and of ECMAScript what can be matched in one pass over the text.
 * Both are about a whole text. Matches nothing itself (automaton.ts does); a class of characters is left to the
 * expressions of JavaScript, one character at a time.
 */
import { Cursor } from './cursor.ts'
import { type Dialect, ecmaScript, quote, xmlSchema } from './dialects.ts'
import { UnknownSyntax } from './unknown-syntax.ts'

export type Expression =
  /** Source of a class with the flag `v`, such as `[a-z]`. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Expression[] }
  | { readonly kind: 'choice'; readonly parts: readonly Expression[] }
  | { readonly kind: 'repeat'; readonly part: Expression; readonly min: number; readonly max: number }

/** Of XML Schema. Throws `UnknownSyntax`. */
export function readPattern(source: string): Expression {
  return new Reader(source, xmlSchema).whole()
}

/** Of ECMAScript, with the flag `u`. Throws `UnknownSyntax`. */
export function readExpression(source: string): Expression {
  return new Reader(source, ecmaScript).whole()
}

const maxDepth = 100

class Reader {
  readonly #dialect: Dialect
  readonly #cursor: Cursor
  #depth = 0

  constructor(source: string, dialect: Dialect) {
    this.#cursor = new Cursor(source)
    this.#dialect = dialect
  }

  whole(): Expression {
    const found = this.#choice()
    if (!this.#cursor.isDone) throw new UnknownSyntax('has a bracket too many')
    return found
  }

  #choice(): Expression {
    this.#depth++
    if (this.#depth > maxDepth) throw new UnknownSyntax(`has brackets deeper than ${maxDepth} levels`)
    const parts = [this.#sequence()]
    while (this.#cursor.take('|')) parts.push(this.#sequence())
    this.#depth--
    return parts.length === 1 ? (parts[0] as Expression) : { kind: 'choice', parts }
  }

  #sequence(): Expression {
    const parts: Expression[] = []
    const isStart = this.#cursor.take('^')
    let isEnd = false
    while (!this.#cursor.isDone && !'|)'.includes(this.#cursor.peek())) {
      isEnd = this.#cursor.peek() === '$' && '|)'.includes(this.#cursor.peek(1))
      if (isEnd) this.#cursor.next()
      else parts.push(this.#repeated(this.#atom()))
    }
    return { kind: 'sequence', parts: this.#anchored(parts, isStart, isEnd) }
  }

  /** `^` and `$` are characters in XML Schema, but an author who writes both means the ends of the text. */
  #anchored(parts: readonly Expression[], isStart: boolean, isEnd: boolean): readonly Expression[] {
    if (this.#dialect.hasAnchors) {
      if ((isStart || isEnd) && this.#depth > 1) throw new UnknownSyntax('has ^ or $ inside brackets')
      return parts
    }
    if (isStart === isEnd) return parts
    return isStart ? [literal('^'), ...parts] : [...parts, literal('$')]
  }

  #atom(): Expression {
    const character = this.#next()
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'character', source: this.#class() }
      case '\\':
        return { kind: 'character', source: this.#dialect.escape(this.#escaped(), false) }
      case '.':
        return { kind: 'character', source: String.raw`[^\n\r]` }
      default:
        if ('*+?{'.includes(character)) throw new UnknownSyntax('repeats nothing')
        if (this.#dialect.hasAnchors && '^$'.includes(character)) throw new UnknownSyntax('has ^ or $ in its middle')
        return literal(character)
    }
  }

  #group(): Expression {
    if (this.#cursor.take('?')) {
      if (!this.#dialect.hasAnchors) throw new UnknownSyntax('has (?, which XML Schema does not know')
      const opening = this.#cursor.match(/^(?::|<[\p{L}_$][\p{L}\p{N}_$]*>)/u)
      if (opening === undefined) throw new UnknownSyntax('looks ahead or behind, or changes flags')
    }
    const found = this.#choice()
    if (!this.#cursor.take(')')) throw new UnknownSyntax('has a bracket that is not closed')
    return found
  }

  /** From behind its opening bracket. */
  #class(): string {
    this.#depth++
    if (this.#depth > maxDepth) throw new UnknownSyntax(`has brackets deeper than ${maxDepth} levels`)
    const negation = this.#cursor.take('^') ? '^' : ''
    let items = ''
    let without = ''
    while (!this.#cursor.take(']')) {
      if (this.#dialect.hasSubtraction && this.#cursor.match(/^-\[/) !== undefined) {
        without = this.#class()
        if (this.#cursor.peek() !== ']') throw new UnknownSyntax('goes on behind what is taken out of a class')
      } else items += this.#member()
    }
    this.#depth--
    const own = `[${negation}${items}]`
    return without === '' ? own : `[${own}--${without}]`
  }

  #member(): string {
    const first = this.#classCharacter()
    const isRange = this.#cursor.peek() === '-' && !']['.includes(this.#cursor.peek(1))
    if (!isRange || first.codePoint === undefined) return first.source
    this.#cursor.next()
    const last = this.#classCharacter()
    if (last.codePoint === undefined || last.codePoint < first.codePoint) throw new UnknownSyntax('has a broken range')
    return `${first.source}-${last.source}`
  }

  #classCharacter(): { readonly source: string; readonly codePoint?: number } {
    const character = this.#next()
    if (character === '[' && this.#dialect.hasSubtraction) throw new UnknownSyntax('has a bracket inside a class')
    if (character !== '\\') return { source: quote(character), codePoint: character.codePointAt(0) ?? 0 }
    const source = this.#dialect.escape(this.#escaped(), true)
    const [, hex] = /^\\u\{([0-9a-f]+)\}$/.exec(source) ?? []
    return hex === undefined ? { source } : { source, codePoint: Number.parseInt(hex, 16) }
  }

  /** What follows a backslash. */
  #escaped(): string {
    const [found] = this.#cursor.match(this.#dialect.escapes) ?? []
    if (found === undefined) throw new UnknownSyntax('has a backslash that escapes nothing')
    return found
  }

  #repeated(part: Expression): Expression {
    const [all, sign, from, comma, to] = this.#cursor.match(/^(?:([?*+])|\{([0-9]{1,9})(,?)([0-9]{0,9})\})/) ?? []
    if (all === undefined) return part
    // Whether it takes as much or as little as it can does not matter for a whole text.
    if (this.#dialect.hasAnchors) this.#cursor.take('?')
    if (sign !== undefined) return { kind: 'repeat', part, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    const min = Number(from)
    const most = to === '' ? Infinity : Number(to)
    const max = comma === '' ? min : most
    if (max < min) throw new UnknownSyntax('repeats at most less often than at least')
    return { kind: 'repeat', part, min, max }
  }

  #next(): string {
    const character = this.#cursor.next()
    if (character === '') throw new UnknownSyntax('ends too early')
    return character
  }
}

function literal(character: string): Expression {
  return { kind: 'character', source: `[${quote(character)}]` }
}
