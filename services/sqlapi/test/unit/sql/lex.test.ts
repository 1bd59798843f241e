/**
 * The lexer against the real ones: random texts are cut up by PostgreSQL's own scanner (libpg-query) and by ours, and
 * what is quoted, what is a comment and where a semicolon counts must be the same. Plus: it takes every text, in linear
 * time.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { loadModule, scanSync } from 'libpg-query'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { lex } from '../../../src/sql/lex.ts'
import { readScript } from '../../../src/sql/script.ts'

/** Printed by a failure; set it to look at one again. */
const seed = Number(process.env['SEED'] ?? 20260701)

before(() => loadModule())

const common = [
  "'",
  "''",
  '"',
  '--',
  '\n',
  '/*',
  '*/',
  ';',
  ':x',
  ':',
  '::',
  ':=',
  'a',
  'B',
  ' ',
  '(',
  ')',
  '[',
  ']',
  '1',
  ',',
  'é',
  '-',
  '/',
  '*',
  '.',
]
const postgresParts = [
  ...common,
  '$$',
  '$',
  '$a$',
  '$1',
  "E'",
  "e'",
  "U&'",
  'U&"',
  "B'",
  "X'",
  "N'",
  '\\',
  "\\'",
  '\r',
  '?',
  '@',
  '|',
  '<',
  '=',
  'a$b',
  '_',
  '\t',
  '\f',
]
const sqliteParts = [...common, '`', '``', '[a]', '$a', '?', '?1', '@a', "x'", '\r', '\\', '|', '=', '==', '\t']

function soup(parts: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...parts), { maxLength: 24 }).map((chosen) => chosen.join(''))
}

interface Span {
  readonly kind: 'q' | 'c' | ';'
  readonly start: number
  readonly end: number
}

/** For each character that is no white space: whether it is code, quoted (`q`), a comment (`c`) or a semicolon. */
function mask(text: string, spans: readonly Span[]): string {
  const marks: string[] = Array.from(text.split(''), (char) => (/\s/.test(char) ? ' ' : '.'))
  for (const { kind, start, end } of spans) {
    for (let i = start; i < end; i++) if (marks[i] !== ' ') marks[i] = kind
  }
  return marks.join('')
}

/** As ours sees it: a comment is what lies between two tokens and is no white space. */
function ourMask(text: string, dialect: Dialect): string {
  const tokens = lex(text, dialects[dialect].grammar)
  const spans: Span[] = []
  let at = 0
  for (const { kind, start, end } of [...tokens, { kind: 'symbol', start: text.length, end: text.length }]) {
    spans.push({ kind: 'c', start: at, end: start })
    if (kind === 'quoted') spans.push({ kind: 'q', start: quoteIn(text, start), end })
    else if (text.slice(start, end) === ';') spans.push({ kind: ';', start, end })
    at = end
  }
  return mask(text, spans)
}

/** A prefix (`E`, `U&`) may be a token of its own or a part of the string, so it counts as code in both. */
function quoteIn(text: string, start: number): number {
  return start + (/^(?:[A-Za-z]&?)(?=['"])/.exec(text.slice(start, start + 3))?.[0].length ?? 0)
}

/** As PostgreSQL sees it; nothing for a text that its scanner refuses. */
function postgresMask(text: string): string | undefined {
  const bytes = Buffer.from(text)
  const offset = (byte: number): number => bytes.subarray(0, byte).toString().length
  let tokens: ReturnType<typeof scanSync>['tokens']
  try {
    ;({ tokens } = scanSync(text))
  } catch {
    return undefined
  }
  return mask(
    text,
    tokens.flatMap(({ start, end, text: source, tokenName }): Span[] => {
      const span = { start: offset(start), end: offset(end) }
      if (/COMMENT/.test(tokenName)) return [{ kind: 'c', ...span }]
      if (source === ';') return [{ kind: ';', ...span }]
      const isQuoted = /^(?:[A-Za-z]?'|[Uu]&['"]|"|\$[^0-9])/.test(source)
      return isQuoted ? [{ kind: 'q', ...span, start: quoteIn(text, span.start) }] : []
    }),
  )
}

test('quotes, comments and semicolons are where the scanner of PostgreSQL sees them [D3.1] [S-params.2]', () => {
  let compared = 0
  fc.assert(
    fc.property(soup(postgresParts), (text) => {
      // A name of ours ends before a `$`, an identifier of SQL goes on with it.
      const expected = /:\w+\$/.test(text) ? undefined : postgresMask(text)
      fc.pre(expected !== undefined)
      compared++
      strictEqual(ourMask(text, 'postgres'), expected)
    }),
    { seed, numRuns: 6000 },
  )
  ok(compared >= 6000, `${compared} texts compared`)
})

test('what the scanner of PostgreSQL calls unterminated is what is never closed here [S5]', () => {
  let compared = 0
  const isUnterminated = (text: string): boolean => {
    try {
      scanSync(text)
      return false
    } catch (error) {
      // The library shows the first letters. Another error may stand before or behind it.
      fc.pre((error as Error).message.includes('unterminat'))
      return true
    }
  }
  fc.assert(
    fc.property(soup(postgresParts), (text) => {
      fc.pre(!/:\w+\$/.test(text))
      const expected = isUnterminated(text)
      if (expected) compared++
      strictEqual(
        lex(text, dialects.postgres.grammar).some(({ kind }) => kind === 'unclosed'),
        expected,
      )
    }),
    { seed, numRuns: 2000 },
  )
  ok(compared > 500, `${compared} texts that are not closed`)
})

test('quotes that follow each other closely, nested comments and tags, as PostgreSQL sees them [D3.1]', () => {
  const parts = [
    "'",
    "''",
    "'\n'",
    "E'",
    "\\'",
    '\\\\',
    '$$',
    '$a$',
    '$ab$',
    'a',
    ';',
    ' ',
    '/*',
    '*/',
    '/',
    '*',
    '\n',
    '--',
    '"',
    '""',
  ]
  fc.assert(
    fc.property(soup(parts), (text) => {
      const expected = postgresMask(text)
      fc.pre(expected !== undefined)
      strictEqual(ourMask(text, 'postgres'), expected)
    }),
    { seed, numRuns: 6000 },
  )
})

test('what SQLite takes for one value or one name is one token [D3.1]', () => {
  const database = new DatabaseSync(':memory:')
  /** Nothing when the quote is not closed. */
  const nameOf = (source: string): string | undefined => {
    try {
      return database.prepare(source).columns()[0]?.name
    } catch (error) {
      if ((error as Error).message.startsWith('unrecognized token')) return undefined
      throw error
    }
  }
  const parts = [
    "'",
    "''",
    '"',
    '""',
    '`',
    '``',
    '[',
    ']',
    'a',
    ';',
    ':x',
    '--',
    '/*',
    '*/',
    '$',
    '\\',
    '?',
    ' ',
    '\n',
    'é',
  ]
  let compared = 0
  const run = fc.property(fc.constantFrom("''", '""', '``', '[]'), soup(parts), ([open = '', close = ''], inside) => {
    const text = `${open}${inside}${close}`
    const source = `SELECT 1 AS ${text}`
    const tokens = lex(source, dialects.sqlite.grammar)
    fc.pre(tokens.length === 4 && tokens[3]?.end === source.length && inside !== '')
    const value = close === ']' ? inside : inside.replaceAll(`${close}${close}`, close)
    const name = nameOf(source)
    fc.pre(name !== undefined)
    compared++
    strictEqual(name, value)
  })
  fc.assert(run, { seed, numRuns: 2000 })
  ok(compared >= 2000, `${compared} names compared`)
})

test('every text gives tokens that are in order, apart from each other and not empty', () => {
  for (const dialect of dialectNames) {
    const texts = fc.oneof(
      soup(dialect === 'postgres' ? postgresParts : sqliteParts),
      fc.string({ unit: anyCharacter }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        let at = 0
        for (const { start, end } of lex(text, dialects[dialect].grammar)) {
          ok(start >= at && end > start && end <= text.length, `${start}-${end} after ${at}`)
          at = end
        }
      }),
      { seed, numRuns: 3000 },
    )
  }
})

const hostile = [
  "'",
  '"',
  '$',
  '$$',
  '$a',
  '/',
  '/*',
  '/*/',
  ':',
  ':a',
  '::',
  '-',
  '[:a',
  "E'\\",
  'a',
  'é',
  '\n',
  'IN(:a)',
  'BEGIN ATOMIC ',
]

for (const dialect of dialectNames) {
  for (const part of hostile) {
    test(`${dialect}: the time to read many ${JSON.stringify(part)} grows with their number [S24]`, () => {
      checkGrowth(262_144, (length) => {
        const text = part.repeat(Math.ceil(length / part.length))
        return () => readScript(text, dialects[dialect].grammar)
      })
    })
  }

  test(`${dialect}: the time to read many statements grows with their number [S24]`, () => {
    checkGrowth(8000, (count) => {
      const text = 'a;\n'.repeat(count)
      return () => strictEqual(readScript(text, dialects[dialect].grammar).statements.length, count)
    })
  })
}

function kinds(text: string, dialect: Dialect): string[] {
  return lex(text, dialects[dialect].grammar).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)
}

test('parameters are a colon and a name [S-params.1] [D3.2]', () => {
  for (const dialect of dialectNames) {
    deepStrictEqual(kinds(':a :_b1 :B', dialect), ['parameter :a', 'parameter :_b1', 'parameter :B'])
    deepStrictEqual(kinds(': a', dialect), ['symbol :', 'word a'])
    deepStrictEqual(kinds('a::b', dialect), ['word a', 'symbol ::', 'word b'])
    deepStrictEqual(kinds('a := b', dialect), ['word a', 'symbol :=', 'word b'])
    deepStrictEqual(kinds(':a::b', dialect), ['parameter :a', 'symbol ::', 'word b'])
    deepStrictEqual(kinds(':aé', dialect), ['placeholder :aé'])
  }
  deepStrictEqual(kinds(':1', 'postgres'), ['symbol :', 'symbol 1'])
  deepStrictEqual(kinds(':1', 'sqlite'), ['placeholder :1'])
})
