/**
 * The search for types against all combinations, on a real server: random statements of fragments that want their
 * parameters to be this or that. What any combination of the candidates makes possible is found, and nothing is given
 * up without need.
 */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Catalog } from '../../../src/database/postgres/sessions/catalog.ts'
import { candidateTypes, type Code } from '../../../src/database/postgres/types/encode.ts'
import { type Describe, findTypes, isTypeError, maxAttempts } from '../../../src/database/postgres/plans/search.ts'
import { Session } from '../../../src/database/postgres/sessions/session.ts'
import { oid } from '../../../src/database/postgres/types/types.ts'
import { createDatabase } from '../../support/databases.ts'

const seed = Number(process.env['SEED'] ?? 20260701)

/** Expressions over a row of `sample`, by the kind of their first parameter; `#` is that one, `@` any other. */
const fragments: readonly string[] = [
  "substring('hello', #)",
  "'2026-01-10'::date + #",
  'j -> #',
  'j - #',
  '# + 1',
  '# + @',
  '#::text',
  '# IS NULL',
  "# IS NULL OR # = ''",
  '# IS NULL OR i = #',
  'd = #',
  'd IN (#, @)',
  'i = #',
  't = #',
  'u IN (#, @, @)',
  'lower(#)',
  "# || 'x'",
  '# || @',
  'coalesce(#, 1)',
  'coalesce(#, t)',
  'coalesce(#, @)',
  'make_date(2026, #, @)',
  'round(#, 1)',
  'round(n, #)',
  'CASE WHEN # THEN 1 END',
  'CASE # WHEN @ THEN 1 END',
  'b = #',
  'j = #',
  'jsonb_typeof(#)',
  'json_typeof(#)',
  'i = ANY (#)',
  't = ANY (#)',
  'xs @> #',
  'array_length(#, 1)',
  'to_date(#, @)',
  'i + # + @',
]

const limits = ['', ' LIMIT #', ' LIMIT CASE WHEN true THEN # END', ' OFFSET # LIMIT @']

/** Kinds of up to four parameters, and a text over them. */
const statements = fc
  .tuple(
    fc.array(fc.constantFrom<Code>('n', 'i', 'i', 'l', 'f', 't', 't', 'b', 'o', 'I', 'T'), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.array(fc.tuple(fc.constantFrom(...fragments), fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 4 }),
    fc.tuple(fc.constantFrom(...limits), fc.nat(3), fc.nat(3)),
  )
  .map(([kinds, parts, last]) => {
    const fill = ([text, first, other]: readonly [string, number, number]): string =>
      text.replaceAll('#', `$${(first % kinds.length) + 1}`).replaceAll('@', `$${(other % kinds.length) + 1}`)
    return { kinds, text: `SELECT ${parts.map((part) => `(${fill(part)})`).join(', ')} FROM sample${fill(last)}` }
  })

const schema = `CREATE TABLE sample (i int, t text, d date, u uuid, j jsonb, n numeric, b bool, xs int[])`

async function withSession(run: (session: Session) => Promise<void>): Promise<void> {
  const database = await createDatabase('postgres')
  await database.execute(schema)
  const options = { url: database.url, connectTimeoutSeconds: 30, statementTimeoutSeconds: 0 }
  const session = await Session.open(options, new Catalog(), () => undefined)
  try {
    await run(session)
  } finally {
    await session.close()
    await database.remove()
  }
}

function* combinations(candidates: readonly (readonly number[])[]): Generator<number[]> {
  const [first, ...rest] = candidates
  if (first === undefined) yield []
  else for (const type of first) for (const others of combinations(rest)) yield [type, ...others]
}

async function isAccepted(describe: Describe, types: readonly number[]): Promise<boolean> {
  try {
    await describe(types)
    return true
  } catch {
    return false
  }
}

test('whatever combination of types a statement allows, one is found, and none of its types is given up in vain [S3]', async () => {
  await withSession(async (session) => {
    let found = 0
    let onlyOthers = 0
    const property = fc.asyncProperty(statements, async ({ kinds, text }) => {
      const candidates = kinds.map((kind) => candidateTypes[kind])
      let asked = 0
      const describe: Describe = (types) => {
        asked++
        return session.describe(text, types)
      }
      const outcome = await findTypes(describe, candidates).catch((error: unknown) => {
        if (!isTypeError(error)) fc.pre(false)
        return undefined
      })
      ok(asked <= 2 * maxAttempts + 20, `${asked} questions`)
      const ask: Describe = (types) => session.describe(text, types)
      if (outcome === undefined) {
        for (const types of combinations(candidates)) {
          strictEqual(await isAccepted(ask, types), false, `${text} could be ${types.join()}`)
        }
        return
      }
      found++
      const { chosen } = outcome
      if (chosen.some((type, index) => type !== candidates[index]?.[0])) onlyOthers++
      ok(await isAccepted(ask, chosen))
      for (const [index, types] of candidates.entries()) {
        for (const better of types.slice(0, Math.max(0, types.indexOf(chosen[index] as number)))) {
          strictEqual(
            await isAccepted(ask, chosen.with(index, better)),
            false,
            `${text} could have ${better} as $${index + 1}`,
          )
        }
      }
    })
    await fc.assert(property, { seed, numRuns: 400 })
    ok(found > 80 && onlyOthers > 40, `${found} found, ${onlyOthers} with other types`)
  })
})

const many = (count: number, kind: Code): Code[] => Array.from({ length: count }, () => kind)

/**
 * Statements with more parameters than can be tried in all combinations: what is found, and with how many questions.
 */
const large: readonly (readonly [text: string, kinds: readonly Code[], chosen: Readonly<Record<number, number>>])[] = [
  // Thirty texts of which three must be left open.
  [
    `SELECT ${many(30, 't')
      .map((_, index) => `$${index + 1} = t`)
      .with(2, 'd = $3')
      .with(16, 'i = $17')
      .with(29, 'u = $30')
      .join()} FROM sample`,
    many(30, 't'),
    { 2: oid.unspecified, 16: oid.unspecified, 29: oid.unspecified },
  ],
  // Twenty-six integers of which seven have to be int4 and one left open, where open ones would be ambiguous.
  [
    `SELECT make_interval($1, $2, $3, $4, $5, $6), '2026-01-01'::date + $7, ${many(9, 'i')
      .map((_, index) => `$${8 + index} + $${17 + index}`)
      .join()}
     FROM sample WHERE t = $26`,
    many(26, 'i'),
    { ...Object.fromEntries(many(7, 'i').map((_, index) => [index, oid.int4])), 25: oid.unspecified },
  ],
  // Filters that are not used, beside what needs a type.
  [
    `SELECT 1 FROM sample WHERE ${many(12, 'n')
      .map((_, index) => `($${index + 1} IS NULL OR $${index + 1} = t)`)
      .join(' AND ')}
     LIMIT CASE WHEN true THEN $13 END`,
    [...many(12, 'n'), 'i'],
    Object.fromEntries(many(12, 'n').map((_, index) => [index, oid.text])),
  ],
]

test('statements with many parameters get their types as well, and only what must be is given up [S3]', async () => {
  await withSession(async (session) => {
    for (const [text, kinds, others] of large) {
      const candidates = kinds.map((kind) => candidateTypes[kind])
      const { chosen } = await findTypes((types) => session.describe(text, types), candidates)
      const expected = candidates.map(([declared], index) => others[index] ?? declared)
      deepStrictEqual(chosen, expected, text)
    }
  })
})

test('where no type makes a difference the search ends soon, and always within its bound [S3]', async () => {
  await withSession(async (session) => {
    const wrong: [text: string, kinds: Code[], most: number][] = [
      ["SELECT nothing_like_it('a'), $1::int, $2::text", ['i', 't'], 8],
      ['SELECT 1 + true, $1, $2, $3, $4, $5', many(5, 't'), 8],
      [
        `SELECT nothing_like_it(${many(30, 't')
          .map((_, index) => `$${index + 1}`)
          .join()})`,
        many(30, 't'),
        maxAttempts,
      ],
      [
        `SELECT i FROM sample WHERE ${many(40, 'i')
          .map((_, index) => `i = d + $${index + 1}`)
          .join(' AND ')}`,
        many(40, 'i'),
        maxAttempts,
      ],
    ]
    for (const [text, kinds, most] of wrong) {
      let asked = 0
      const describe: Describe = (types) => {
        asked++
        return session.describe(text, types)
      }
      const candidates = kinds.map((kind) => candidateTypes[kind])
      await rejects(findTypes(describe, candidates), { code: '42883' })
      ok(asked <= most, `${asked} questions for ${text}`)
    }
  })
})
