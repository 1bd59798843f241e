/**
 * Tokens of a PostgreSQL statement -> the parameters whose colon is SQL's own: in `xs[1:n]` it separates the bounds of
 * a slice, in `json_object('a':v)` a key and its value. Which tokens are parameters otherwise is script.ts's business.
 *
 * Such a colon can only be directly inside the brackets of a subscript or of JSON_OBJECT, and only where an operand
 * has ended. Everywhere else (`ARRAY[..]`, parentheses inside the brackets) a colon and a name are a parameter.
 */
import type { Token } from './lex.ts'

/** What a separating colon introduces: a parameter, or a name, function or key word that is SQL as it is. */
export type Separated = 'parameter' | 'sql'

interface Bracket {
  readonly kind: 'subscript' | 'list' | 'json' | 'other'
  /** `OPERATOR(..)`: what it closes is an operator and no operand. */
  readonly isOperator: boolean
  /** Index of the token behind the bracket. */
  readonly first: number
  /** The tokens so far end with an operand, so that none can begin here. */
  hasOperand: boolean
}

/** One search tells that most statements have no such brackets. */
const telling = /\[|json_object/i

const jsonConstructor = new Set(['JSON_OBJECT', 'JSON_OBJECTAGG'])

/** Key words of expressions behind which an operand begins. None of them can name a column without quotes. */
const connectives = new Set(
  'ALL AND ANY ASYMMETRIC CASE COLLATE DISTINCT ELSE FROM ILIKE IN IS LIKE NOT OR OVERLAPS SIMILAR SOME SYMMETRIC THEN TO WHEN'.split(
    ' ',
  ),
)

/** Key words that may name a column too, and when they are none. */
const mayBeConnective: Readonly<Record<string, (bracket: Bracket, previous: string, beforeThat: string) => boolean>> = {
  BETWEEN: ({ hasOperand }, previous) => hasOperand || previous === 'NOT',
  ESCAPE: ({ hasOperand }) => hasOperand,
  // Not in `timestamp with time zone`.
  ZONE: (_, previous, beforeThat) => previous === 'TIME' && beforeThat === 'AT',
  VALUE: ({ kind, hasOperand }) => kind === 'json' && hasOperand,
  KEY: ({ kind, hasOperand }) => kind === 'json' && !hasOperand,
}

/** Operands that are key words, and key words that an operand begins with. */
const constants = new Set(['FALSE', 'NULL', 'TRUE'])
const beginnings = new Set(['ARRAY', 'CASE', 'NOT'])

/** By index of the token; every other parameter token is a parameter with its colon. */
export function findSeparated(text: string, tokens: readonly Token[]): ReadonlyMap<number, Separated> {
  const separated = new Map<number, Separated>()
  if (!telling.test(text.slice(tokens[0]?.start, tokens.at(-1)?.end))) return separated
  const wordAt = (index: number): string => {
    const token = tokens[index]
    if (token === undefined) return ''
    if (token.kind === 'word') return text.slice(token.start, token.end).toUpperCase()
    return separated.get(index) === 'sql' ? text.slice(token.start + 1, token.end).toUpperCase() : ''
  }
  const open: Bracket[] = []
  for (const [index, token] of tokens.entries()) {
    const inside = open.at(-1)
    const symbol = token.kind === 'symbol' ? text.charAt(token.start) : ''
    if (symbol === '(' || symbol === '[') {
      open.push(openBracket(text, tokens, index, inside, wordAt(index - 1)))
    } else if (symbol === ')' || symbol === ']') {
      const closed = open.pop()
      const around = open.at(-1)
      if (around !== undefined) around.hasOperand = closed?.isOperator !== true
    } else if (inside !== undefined) {
      if (token.kind === 'parameter' && isDivided(inside)) {
        const introduced = introduces(text, token, tokens[index + 1])
        if (inside.hasOperand) separated.set(index, introduced)
        // A slice without a lower bound: `xs[:f(1)]`. `xs[:n]` has no bound but the index n.
        else if (introduced === 'sql' && inside.first === index) separated.set(index, 'sql')
      }
      const word = wordAt(index)
      const isType = text.startsWith('::', tokens[index - 1]?.start)
      inside.hasOperand =
        word === '' || isType
          ? symbol === '' || /\d/.test(symbol)
          : !isConnective(inside, word, wordAt(index - 1), wordAt(index - 2))
    }
  }
  return separated
}

function isDivided({ kind }: Bracket): boolean {
  return kind === 'subscript' || kind === 'json'
}

function openBracket(
  text: string,
  tokens: readonly Token[],
  index: number,
  inside: Bracket | undefined,
  previousWord: string,
): Bracket {
  const bracket = { isOperator: false, first: index + 1, hasOperand: false }
  if (text[tokens[index]?.start ?? 0] === '(') {
    const kind = jsonConstructor.has(previousWord) ? 'json' : 'other'
    return { ...bracket, kind, isOperator: previousWord === 'OPERATOR' }
  }
  const isNested = inside?.kind === 'list' && /[[,]/.test(text.charAt(tokens[index - 1]?.start ?? 0))
  return { ...bracket, kind: previousWord === 'ARRAY' || isNested ? 'list' : 'subscript' }
}

function isConnective(inside: Bracket, word: string, previous: string, beforeThat: string): boolean {
  return connectives.has(word) || mayBeConnective[word]?.(inside, previous, beforeThat) === true
}

/**
 * A parameter is followed neither by the arguments of a function nor by a column, nor by the text of a typed literal.
 */
function introduces(text: string, { start, end }: Token, next: Token | undefined): Separated {
  const word = text.slice(start + 1, end).toUpperCase()
  if (constants.has(word)) return 'sql'
  if (next === undefined) return 'parameter'
  const isMore = beginnings.has(word) ? !/[\]),]/.test(text.charAt(next.start)) : /[(.]/.test(text.charAt(next.start))
  return isMore || next.kind === 'quoted' ? 'sql' : 'parameter'
}
