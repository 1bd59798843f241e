/**
 * Whether the body of a stored routine can change the session it runs in: the words of the body -> what it calls, or
 * the reason why it may change something. The question is not whether bad words are there: a body passes when it is
 * built of statements and expressions that are known to be harmless, and of nothing else. What the functions do that it
 * calls is harmless.ts's.
 *
 * The shape of PL/pgSQL is that of the server's own parser (src/pl/plpgsql/src/pl_gram.y), down to where a condition
 * ends.
 */
import { readWords, type Word } from './routine-words.ts'

export interface Body {
  /** Why the body may change the session; undefined where it is harmless in itself. */
  readonly reason: string | undefined
  /** Lower-cased names that may be those of functions, each once. */
  readonly calls: ReadonlySet<string>
}

class Unknown extends Error {}

export function readBody(source: string, language: 'sql' | 'plpgsql'): Body {
  const words = readWords(source)
  if (words === undefined) return { reason: 'cannot be read with certainty', calls: new Set() }
  const reader = new BodyReader(words)
  try {
    if (language === 'sql') reader.readSql()
    else reader.readPlpgsql()
    return { reason: undefined, calls: reader.calls }
  } catch (error) {
    if (!(error instanceof Unknown)) throw error
    return { reason: error.message, calls: reader.calls }
  }
}

/** Statements of SQL that read or change data and nothing else. */
const sqlStatements = wordSet('select with values table insert update delete merge')

/** Statements of PL/pgSQL up to their semicolon that leave nothing behind when the transaction has ended. */
const plainStatements = wordSet(
  'select with values table insert update delete merge',
  'return raise assert perform get null exit continue call commit rollback',
  // Cursors of PL/pgSQL and locks of tables end with the transaction.
  'open fetch move close lock truncate notify refresh',
)

/** Where a list of statements ends. */
const terminators = wordSet('end exception else elsif elseif when')

/** A body deeper than this is not read. */
const maxDepth = 200

class BodyReader {
  readonly calls = new Set<string>()
  readonly #words: readonly Word[]
  #at = 0
  #depth = 0

  constructor(words: readonly Word[]) {
    this.#words = words
  }

  /** The text of a function in SQL: statements with semicolons between them. */
  readSql(): void {
    while (this.#at < this.#words.length) {
      if (this.#takeSymbol(';')) continue
      if (!sqlStatements.has(this.#keyword) && this.#symbol !== '(') this.#refuse()
      this.#readFragment(undefined)
      if (this.#at < this.#words.length) this.#expectSymbol(';')
    }
  }

  readPlpgsql(): void {
    // `#variable_conflict use_column`
    while (this.#takeSymbol('#')) this.#at += 2
    this.#readLabel()
    this.#readBlock()
    this.#takeSymbol(';')
    if (this.#at < this.#words.length) this.#refuse()
  }

  get #keyword(): string {
    return this.#words[this.#at]?.keyword ?? ''
  }

  get #symbol(): string {
    return this.#words[this.#at]?.symbol ?? ''
  }

  #readBlock(): void {
    if (++this.#depth > maxDepth) throw new Unknown('is nested too deeply')
    if (this.#take('declare')) {
      while (this.#keyword !== 'begin') {
        if (this.#at >= this.#words.length) this.#refuse()
        if (!this.#take('declare')) this.#readToSemicolon()
      }
    }
    this.#expect('begin')
    this.#readStatements()
    if (this.#take('exception')) {
      while (this.#take('when')) {
        this.#readFragment('then')
        this.#expect('then')
        this.#readStatements()
      }
    }
    this.#expect('end')
    this.#readEndLabel()
    this.#depth--
  }

  #readStatements(): void {
    while (!terminators.has(this.#keyword)) {
      if (this.#at >= this.#words.length) this.#refuse()
      this.#readStatement()
    }
  }

  #readStatement(): void {
    this.#readLabel()
    switch (this.#keyword) {
      case 'declare':
      case 'begin':
        this.#readBlock()
        this.#expectSymbol(';')
        return
      case 'if':
        return this.#readIf()
      case 'case':
        return this.#readCase()
      case 'loop':
      case 'while':
      case 'for':
      case 'foreach':
        return this.#readLoop()
      default:
        if (!plainStatements.has(this.#keyword) && this.#symbol !== '(' && !this.#isAssignment()) this.#refuse()
        this.#readToSemicolon()
    }
  }

  #readIf(): void {
    do {
      this.#at++
      this.#readFragment('then')
      this.#expect('then')
      this.#readNested()
    } while (this.#keyword === 'elsif' || this.#keyword === 'elseif')
    if (this.#take('else')) this.#readNested()
    this.#expect('end')
    this.#expect('if')
    this.#expectSymbol(';')
  }

  #readCase(): void {
    this.#at++
    this.#readFragment('when')
    while (this.#take('when')) {
      this.#readFragment('then')
      this.#expect('then')
      this.#readNested()
    }
    if (this.#take('else')) this.#readNested()
    this.#expect('end')
    this.#expect('case')
    this.#expectSymbol(';')
  }

  #readLoop(): void {
    if (this.#keyword !== 'loop') {
      this.#at++
      this.#readFragment('loop')
    }
    this.#expect('loop')
    this.#readNested()
    this.#expect('end')
    this.#expect('loop')
    this.#readEndLabel()
    this.#expectSymbol(';')
  }

  #readNested(): void {
    if (++this.#depth > maxDepth) throw new Unknown('is nested too deeply')
    this.#readStatements()
    this.#depth--
  }

  #readLabel(): void {
    while (this.#symbol === '<' && this.#words[this.#at + 1]?.symbol === '<') {
      this.#at += 3
      this.#expectSymbol('>')
      this.#expectSymbol('>')
    }
  }

  #readEndLabel(): void {
    if ((this.#words[this.#at]?.name ?? '') !== '') this.#at++
  }

  /** `name :=`, `name =`, `name.field :=`, `name[1] :=`; no command of SQL begins like this. */
  #isAssignment(): boolean {
    const next = this.#words[this.#at + 1]?.symbol ?? ''
    const isVariable = (this.#words[this.#at]?.name ?? '') !== '' || /^\$\d+$/.test(this.#symbol)
    return isVariable && [':=', '=', '.', '['].includes(next)
  }

  #readToSemicolon(): void {
    this.#readFragment(undefined)
    this.#expectSymbol(';')
  }

  /**
   * An expression, a query or the rest of a statement: up to this keyword outside of brackets, or to a semicolon. It
   * cannot hold a command, only call functions, and make tables.
   */
  #readFragment(until: string | undefined): void {
    let depth = 0
    for (; this.#at < this.#words.length; this.#at++) {
      const { keyword, name, symbol } = this.#words[this.#at] as Word
      if (symbol === ';' || (depth === 0 && until !== undefined && keyword === until)) break
      if (symbol === '(' || symbol === '[') depth++
      else if (symbol === ')' || symbol === ']') depth--
      if (depth < 0) this.#refuse()
      if (keyword === 'execute') throw new Unknown('runs SQL that it puts together (EXECUTE)')
      if (name.startsWith('pg_temp')) throw new Unknown('names the schema of temporary objects')
      if (keyword === 'into') this.#refuseTemp()
      if (name !== '') this.#noteCall(name)
    }
    if (depth !== 0) this.#refuse()
  }

  #refuseTemp(): void {
    const behind = [1, 2].map((steps) => this.#words[this.#at + steps]?.keyword ?? '')
    if (behind.some((keyword) => keyword === 'temp' || keyword === 'temporary')) {
      throw new Unknown('makes a temporary table')
    }
  }

  /** `f (..)`, and `x.f`, which calls f(x). */
  #noteCall(name: string): void {
    const isCall = this.#words[this.#at + 1]?.symbol === '(' || this.#words[this.#at - 1]?.symbol === '.'
    if (isCall || name === 'pg_settings') this.calls.add(name)
  }

  #take(keyword: string): boolean {
    if (this.#keyword !== keyword) return false
    this.#at++
    return true
  }

  #takeSymbol(symbol: string): boolean {
    if (this.#symbol !== symbol) return false
    this.#at++
    return true
  }

  #expect(keyword: string): void {
    if (!this.#take(keyword)) this.#refuse()
  }

  #expectSymbol(symbol: string): void {
    if (!this.#takeSymbol(symbol)) this.#refuse()
  }

  #refuse(): never {
    const word = (this.#words[this.#at]?.keyword ?? '').toUpperCase()
    throw new Unknown(/^[A-Z_]{2,30}$/.test(word) ? `has a ${word} that may change the session` : 'has an unusual form')
  }
}

function wordSet(...texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.join(' ').split(' '))
}
