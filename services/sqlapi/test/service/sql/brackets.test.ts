/**
 * Parameters inside brackets against PostgreSQL's own parser: for every `:name` of a text there are three readings (a
 * parameter, a separating colon and a parameter, SQL as it stands). Where the parser takes one of them, ours has to be
 * one that it takes.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { loadModule, parseSync } from 'libpg-query'
import pg from 'pg'
import { dialects } from '../../../src/dialects.ts'
import { readScript } from '../../../src/sql/script.ts'
import { createDatabase } from '../../support/databases.ts'

const seed = Number(process.env['SEED'] ?? 20260701)

before(() => loadModule())

/** The text as the service sends it, with `$1` for every parameter. */
function sent(text: string): string {
  return readScript(text, dialects.postgres.grammar)
    .statements.map(({ pieces, slots }) =>
      slots.reduce((sum, { before, after }, index) => `${sum}${before}$1${after}${pieces[index + 1]}`, pieces[0] ?? ''),
    )
    .join(';')
}

function isAccepted(text: string): boolean {
  try {
    return parseSync(text).stmts?.length === 1
  } catch {
    return false
  }
}

/** What may stand for `:name`: a parameter, the colon and a parameter; the text itself where it can be no parameter. */
const readings = [() => ' $1', () => ': $1', (source: string) => source] as const
const parameter = /(?<![:\w]):[a-z_]\w*/gi
const noParameter = /^:(?:(?:array|case|not)\b(?!\s*[\]),])|(?:false|null|true)\b|\w+\s*[(.'])/i

/** Nothing where the parser takes our reading, or none at all; else one that it takes. */
function betterReading(text: string): string | undefined {
  if (isAccepted(sent(text))) return undefined
  const parts = text.split(parameter)
  const names = Array.from(text.matchAll(parameter))
  if (names.length > 6) return undefined
  let texts = parts.slice(0, 1)
  for (const [number, { 0: name, index }] of names.entries()) {
    const possible = noParameter.test(text.slice(index)) ? readings : readings.slice(0, 2)
    texts = possible.flatMap((read) => texts.map((before) => `${before}${read(name)}${parts[number + 1]}`))
  }
  return texts.find(isAccepted)
}

/** Names that are no key word, and key words that may be names. */
const names = 'a xs n lo hi t.a "q" value name zone key year position between out escape end_ user'
/** Apart from each other by `|`. */
const literals = String.raw`'x'|''']'''|E'\']'|$$]$$|$t$[]$t$|U&'\0061'|B'101'|x'1f'|N'a'|1|2.5|1e3|date '2026-01-01'
interval '1' day|NULL|TRUE|CURRENT_DATE|LOCALTIME|current_user`
const types = `int|text|double precision|int[]|numeric(5, 2)|character varying|app.kind|timestamp with time zone
time without time zone|interval day to second|int array`
const name = fc.constantFrom(...names.split(' '))
const literal = fc.constantFrom(...literals.split(/[|\n]/))
const type = fc.constantFrom(...types.split(/[|\n]/))

const { expression } = fc.letrec<Record<'expression' | 'operand' | 'subscript' | 'pair', string>>((tie) => {
  const e = tie('expression')
  const o = tie('operand')
  const join = (template: string, ...holes: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
    fc.tuple(...holes).map((filled) => {
      let index = 0
      return template.replaceAll('#', () => filled[index++] ?? '')
    })
  const colon = fc.constantFrom(':', ' :', ': ', ' : ')
  const bounds = fc.tuple(fc.option(e, { nil: '' }), colon, fc.option(e, { nil: '' }))
  return {
    subscript: fc.oneof(
      e,
      // Two colons together would be a cast.
      bounds.map(([low, between, high]) => `${low}${high.startsWith(':') ? ': ' : between}${high}`),
    ),
    pair: fc.oneof(
      join('#:#', literal, name),
      join('# : #', o, e),
      join('# VALUE #', o, e),
      join('KEY # VALUE #', o, e),
    ),
    operand: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'o' },
      fc.constantFrom(':a', ':b'),
      name,
      literal,
      join('(#)', e),
      join('f(#)', e),
      join('t.f(#, #)', o, e),
      join('xs[#]', tie('subscript')),
      join('xs[#]', tie('subscript')),
      join(':a[#]', tie('subscript')),
      join('(#)[#][#]', e, tie('subscript'), tie('subscript')),
      join('ARRAY[#]', e),
      join('ARRAY[#, #]', e, e),
      join('ARRAY[[#], [#]]', e, e),
      join('ARRAY(SELECT #)', e),
      join('(SELECT # FROM t WHERE # LIMIT :a OFFSET :b)', e, e),
      join('CASE WHEN # THEN # ELSE # END', e, e, e),
      join('CASE # WHEN # THEN # END', e, e, e),
      join('#::#', o, type),
      join('cast(# AS #)', e, type),
      join('json_object(#, #)', tie('pair'), tie('pair')),
      join('json_object(# ABSENT ON NULL RETURNING jsonb)', tie('pair')),
      join('substring(# FROM # FOR #)', o, o, o),
    ),
    expression: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'e' },
      o,
      join('# + #', o, e),
      join('# || #', o, e),
      join('# OPERATOR(pg_catalog.+) #', o, e),
      join('- #', o),
      join('NOT #', e),
      join('# AND #', e, e),
      join('# or #', e, e),
      join('# BETWEEN # AND #', o, o, o),
      join('# NOT BETWEEN SYMMETRIC # AND #', o, o, o),
      join('# LIKE # ESCAPE #', o, o, o),
      join('# NOT ILIKE #', o, o),
      join('# SIMILAR TO #', o, o),
      join('# IS NOT DISTINCT FROM #', o, o),
      join('# IS NULL', o),
      join('# IN (#, #)', o, e, e),
      join('# = ANY (#)', o, e),
      join('# AT TIME ZONE #', o, o),
      join('# COLLATE "C"', o),
    ),
  }
})

test('in brackets a colon is read as the parser of PostgreSQL has to read it [S1]', () => {
  let right = 0
  const shapes = fc.constantFrom('xs[#]', 'ARRAY[#]', 'xs[#:n]', 'xs[1:#]', 'ARRAY[1, #]', 'xs[#][:a: #]', 'f(xs[#])')
  const texts = fc
    .tuple(shapes, fc.array(expression, { minLength: 2, maxLength: 2 }))
    .map(([shape, holes]) => `SELECT ${shape.replaceAll('#', () => holes.pop() as string)} AS r`)
  fc.assert(
    fc.property(texts, (text) => {
      if (isAccepted(sent(text))) right++
      else strictEqual(betterReading(text), undefined, sent(text))
    }),
    { seed, numRuns: 6000 },
  )
  ok(right > 4000, `${right} texts accepted`)
})

test('every key word before a colon in brackets is read as the parser has to read it [S1]', async () => {
  const database = await createDatabase('postgres')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ word: string }>('SELECT word FROM pg_get_keywords()')
  /** The parser of the library takes parameters in more places than the server. */
  const isSyntax = async (text: string): Promise<boolean> =>
    client.query(text).then(
      () => true,
      (error: unknown) => (error as { code?: string }).code !== '42601',
    )
  const places = [
    'xs[# :n]',
    'xs[#:n]',
    'xs[a # :n]',
    'xs[a # :n + 1]',
    'xs[a # :n AND b]',
    'xs[a # :n THEN 1 END]',
    'xs[CASE # :n THEN 1 END]',
    'xs[CASE a WHEN b # :n END]',
    'xs[CASE WHEN a # :n THEN 1 END]',
    'xs[a::# :n]',
    'xs[CASE WHEN a NOT # :n AND b THEN 1 END]',
    'xs[CASE WHEN a # :n AND b THEN 1 END]',
    'xs[a IS # :n]',
    'xs[1 + # :n]',
    'xs[1 + #:n]',
    'xs[f(a) # :n]',
    'xs[a[1] # :n]',
    'xs[:a # :n]',
    "xs['a' # :n]",
    'xs[1 # :n]',
    'ARRAY[# :n]',
    'ARRAY[a # :n]',
    'ARRAY[1, # :n]',
    'ARRAY[(# :n)]',
    'ARRAY[f(# :n)]',
    'ARRAY[a # :n AND b]',
    'ARRAY[CASE a # :n END]',
    'ARRAY[CASE # :n WHEN a THEN b END]',
    'ARRAY[(SELECT a FROM t # :n)]',
    'json_object(# :n)',
    "json_object('a' # :n)",
    'json_object(a # :n, # :n)',
    'json_object(:a # :b)',
    'xs[1:#]',
    'xs[1:# a]',
    'xs[1:#(a)]',
    'xs[a:#.b]',
    "xs[1:# 'a']",
    "json_object('a':#)",
    "json_object('a':#(1))",
  ]
  const wrong: string[] = []
  let right = 0
  for (const { word } of rows) {
    for (const place of places) {
      const text = `SELECT ${place.replaceAll('#', word)}`
      const better = betterReading(text)
      if (better !== undefined && (await isSyntax(better))) wrong.push(`${text}: ${better}`)
      if (isAccepted(sent(text))) right++
    }
  }
  await client.end()
  await database.remove()
  deepStrictEqual(wrong, [])
  ok(right > 3000, `${right} texts accepted`)
})

test('the colon of a slice stays, that of a parameter does not [S1]', () => {
  const texts: [text: string, sent: string][] = [
    ['ARRAY[CASE WHEN true THEN :u END]', 'ARRAY[CASE WHEN true THEN $1 END]'],
    ["ARRAY[true AND :u = 'a']", "ARRAY[true AND $1 = 'a']"],
    ['ARRAY[(SELECT :u)]', 'ARRAY[(SELECT $1)]'],
    ["ARRAY[1 + CASE :u WHEN 'x' THEN 1 ELSE :v END]", "ARRAY[1 + CASE $1 WHEN 'x' THEN 1 ELSE $1 END]"],
    ['xs[1:n]', 'xs[1:$1]'],
    ['xs[a:b]', 'xs[a:$1]'],
    ['xs[f(:x):n]', 'xs[f($1):$1]'],
    ['xs[:a:b]', 'xs[$1:$1]'],
    ['xs[:a::int]', 'xs[$1::int]'],
    ['xs[:a::int:b::int]', 'xs[$1::int:$1::int]'],
    ['xs[1:(:n)]', 'xs[1:($1)]'],
    ['xs[1 : :n]', 'xs[1 : $1]'],
    ['xs[(CASE WHEN a THEN 1 END):n]', 'xs[(CASE WHEN a THEN 1 END):$1]'],
    ['xs[CASE WHEN a THEN 1 END:n]', 'xs[CASE WHEN a THEN 1 END:$1]'],
    ["xs['1':n]", "xs['1':$1]"],
    ['xs[year:n]', 'xs[year:$1]'],
    ['xs[2:array_length(xs, 1)]', 'xs[2:array_length(xs, 1)]'],
    ['xs[t.a:t.b]', 'xs[t.a:t.b]'],
    ["json_object('a':v)", "json_object('a':$1)"],
    ["json_object('a' VALUE :v)", "json_object('a' VALUE $1)"],
  ]
  for (const [text, expected] of texts) strictEqual(sent(`SELECT ${text}`), `SELECT ${expected}`)
})
