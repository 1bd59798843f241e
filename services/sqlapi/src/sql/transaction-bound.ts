/**
 * Whether a statement whose effect is `session` leaves everything behind with its transaction: tokens -> yes or no.
 * Such a statement can run where each transaction has another connection. On the safe side: what is not known to end is
 * taken to last.
 */
import { isSessionName, isTempSchema, nameOf } from './effect.ts'
import type { TokenRules } from './grammar.ts'
import { lex, type Token } from './lex.ts'

/** First words of commands that leave nothing behind, or nothing that outlives the transaction. */
const boundCommands = new Set(
  [
    ['LOCK', 'SAVEPOINT', 'RELEASE', 'FETCH', 'MOVE', 'CLOSE'],
    ['VACUUM', 'REINDEX', 'CLUSTER', 'CHECKPOINT'],
  ].flat(),
)

/** First words behind which names decide. */
const plain = new Set(['SELECT', 'VALUES', 'TABLE', 'WITH', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'EXPLAIN', 'CREATE'])

/** All others that PostgreSQL has. */
const lastingCommands = new Set(
  [
    [
      'SET',
      'RESET',
      'DISCARD',
      'BEGIN',
      'START',
      'COMMIT',
      'END',
      'ROLLBACK',
      'ABORT',
      'PREPARE',
      'EXECUTE',
      'DEALLOCATE',
    ],
    ['DECLARE', 'LISTEN', 'UNLISTEN', 'NOTIFY', 'LOAD', 'COPY', 'DO', 'CALL', 'ALTER', 'DROP', 'TRUNCATE', 'COMMENT'],
    ['GRANT', 'REVOKE', 'REASSIGN', 'SECURITY', 'IMPORT', 'REFRESH', 'ANALYZE', 'ANALYSE', 'SHOW', 'REPACK', 'WAIT'],
  ].flat(),
)

/** Whether it begins with a command of PostgreSQL. */
export function isCommand(source: string, rules: TokenRules): boolean {
  const words = new Words(source, lex(source, rules))
  const first = words.keyword(0)
  return words.startsWithBracket || [plain, boundCommands, lastingCommands].some((commands) => commands.has(first))
}

/** `source` is the text of one statement of PostgreSQL. */
export function isTransactionBound(source: string, rules: TokenRules): boolean {
  const words = new Words(source, lex(source, rules))
  if (words.hasEscapedName) return false
  const [first, second, third] = [0, 1, 2].map((at) => words.keyword(at))
  switch (first) {
    case 'SET':
      return second === 'LOCAL' || second === 'CONSTRAINTS' || second === 'TRANSACTION'
    case 'ROLLBACK':
      return second === 'TO' || ((second === 'WORK' || second === 'TRANSACTION') && third === 'TO')
    case 'DECLARE':
      return !words.has('HOLD') && words.areNamesBound
    case undefined:
    case '':
      return false
    default:
      return boundCommands.has(first) || (plain.has(first) && words.areNamesBound)
  }
}

class Words {
  readonly #source: string
  readonly #tokens: readonly Token[]

  constructor(source: string, tokens: readonly Token[]) {
    this.#source = source
    this.#tokens = tokens
  }

  get startsWithBracket(): boolean {
    return this.#text(0) === '('
  }

  /** Upper-cased word that is not quoted; empty for anything else. */
  keyword(at: number): string {
    return this.#tokens[at]?.kind === 'word' ? this.name(at) : ''
  }

  /** Upper-cased name; empty for anything else. */
  name(at: number): string {
    const token = this.#tokens[at]
    return token === undefined ? '' : nameOf(this.#source, token)
  }

  #text(at: number): string {
    const token = this.#tokens[at]
    return token === undefined ? '' : this.#source.slice(token.start, token.end)
  }

  has(word: string): boolean {
    return this.#tokens.some((_, at) => this.name(at) === word)
  }

  /** `U&"set\005fconfig"` must not be read as it is. */
  get hasEscapedName(): boolean {
    return this.#tokens.some((token, at) => this.name(at) === 'U' && this.#source.startsWith('&"', token.end))
  }

  /** All that is named ends with the transaction. */
  get areNamesBound(): boolean {
    return this.#tokens.every((token, at) => {
      const name = this.name(at)
      if (name === 'SET_CONFIG') return this.#isLocal(at + 1)
      if (name === 'PG_SETTINGS') return !this.has('UPDATE')
      if (/^PG_(?:TRY_)?ADVISORY_XACT_LOCK(?:_SHARED)?$/.test(name)) return true
      if (name === 'TEMP' || name === 'TEMPORARY')
        return this.#isDropped && !isTempSchema(this.#source, name, this.#tokens[at + 1])
      return token.kind !== 'unclosed' && !isSessionName(name)
    })
  }

  /** `CREATE TEMP TABLE .. ON COMMIT DROP`. */
  get #isDropped(): boolean {
    if (this.name(0) !== 'CREATE') return false
    return this.#tokens.some(
      (_, at) => this.name(at) === 'ON' && this.name(at + 1) === 'COMMIT' && this.name(at + 2) === 'DROP',
    )
  }

  /** `set_config(name, value, true)`; `open` is the number of the bracket. */
  #isLocal(open: number): boolean {
    if (this.#text(open) !== '(') return false
    let depth = 0
    let commas = 0
    let last: number[] = []
    for (let at = open; at < this.#tokens.length; at++) {
      const text = this.#text(at)
      if (text === '(' || text === '[') depth++
      else if (text === ')' || text === ']') depth--
      if (depth === 0) break
      if (text === ',' && depth === 1) {
        commas++
        last = []
      } else if (at > open) {
        last.push(at)
      }
    }
    const [only] = last
    return commas === 2 && last.length === 1 && only !== undefined && this.#text(only).toUpperCase() === 'TRUE'
  }
}
