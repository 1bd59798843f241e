/** A statement as the rules read it: its words as the file has them, and where each of them is there. */
import type { Statement } from '../model.ts'
import type { TokenRules } from '../sql/grammar.ts'
import { lex, type Token } from '../sql/lex.ts'
import { positionInSource, sourceOf, type Position } from '../sql/position.ts'

export class Reading {
  readonly statement: Statement
  readonly source: string
  readonly tokens: readonly Token[]

  constructor(statement: Statement, rules: TokenRules) {
    this.statement = statement
    this.source = sourceOf(statement)
    this.tokens = lex(this.source, rules)
  }

  /** The upper-cased word at this number; empty for everything that is not a word. */
  wordAt(index: number): string {
    return this.tokens[index]?.kind === 'word' ? this.textAt(index).toUpperCase() : ''
  }

  /** As the file has it; empty behind the end. */
  textAt(index: number): string {
    const token = this.tokens[index]
    return token === undefined ? '' : this.source.slice(token.start, token.end)
  }

  /** The name that a word or a quoted identifier stands for, as databases compare those that are not quoted. */
  nameAt(index: number): string {
    const text = this.textAt(index)
    return (/^["`[]/.test(text) ? text.slice(1, -1) : text).toLowerCase()
  }

  /** Number of the token that closes the bracket at this number; that behind the last one where none does. */
  closingOf(index: number): number {
    let depth = 0
    for (let at = index; at < this.tokens.length; at++) {
      const text = this.textAt(at)
      if (text === '(' || text === '[') depth++
      else if ((text === ')' || text === ']') && --depth === 0) return at
    }
    return this.tokens.length
  }

  /** Where the token is in the file; the beginning of the statement for one that is not there. */
  positionOf(index: number): Position {
    return positionInSource(this.statement, this.source, this.tokens[index]?.start ?? 0)
  }
}
