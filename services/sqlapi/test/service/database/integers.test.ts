/**
 * Integers of a request against the same integers written into the SQL: whatever takes the one takes the other, and
 * alike.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../support/service.ts'

/** `:n` is 2, `:m` 3, `:z` 0. */
const expressions = [
  "substring('hello', :n)",
  "substring('hello', :n, :m)",
  "substring('hello' from :n for :m)",
  "substr('hello', :n)",
  "left('hello', :n)",
  "right('hello', :n)",
  "repeat('ab', :n)",
  "lpad('a', :m, 'xy')",
  "rpad('a', :m)",
  "split_part('a,b,c', ',', :n)",
  "overlay('hello' placing 'xx' from :n for :m)",
  "'[10,20,30]'::jsonb - :n",
  "'[10,20,30]'::jsonb -> :n",
  "'[10,20,30]'::jsonb ->> :n",
  "'[10,20,30]'::json -> :n",
  "'[10,20,30]'::json ->> :n",
  "('[10,20,30]'::jsonb)[:n]",
  "'[[1],[2],[3]]'::jsonb -> :n -> :z",
  "'[10,20,30]'::jsonb -> :n -> :z IS NULL",
  "'2026-01-10'::date + :n",
  "'2026-01-10'::date - :n",
  ":n + '2026-01-10'::date",
  "'2026-01-10'::date + :n - :m",
  "'2026-01-10'::date + :n * :m",
  "interval '1 day' * :n",
  "date '2026-01-10' + interval '1 day' * :n",
  'make_date(2026, :n, :m)',
  'make_time(:n, :m, 0)::text',
  'make_interval(days => :n, hours => :m)',
  'make_timestamp(2026, :n, :m, :z, :n, :m)',
  'round(2.345, :n)',
  'trunc(2.345, :n)',
  "to_char(:n, '009')",
  'chr(:m + 62)',
  '1 << :n',
  ':m << :n',
  '16 >> :n',
  '5::smallint + :n',
  'power(:n, :m)',
  'mod(:m, :n)',
  'abs(:n)',
  'gcd(:n, :m)',
  'greatest(:n, :m, 1)',
  'coalesce(NULL, :n)',
  'nullif(:n, 1)',
  ':n || :m::text',
  "'a' || :n",
  "concat('a', :n)",
  "format('%s-%s', :n, :m)",
  'to_hex(:n)',
  '(ARRAY[10, 20, 30])[:n]',
  '(ARRAY[10, 20, 30])[:n::int : :m]',
  'array_length(ARRAY[[1], [2]], :n)',
  'array_fill(7, ARRAY[:n])',
  'array_fill(7, ARRAY[:n], ARRAY[:m])',
  'array_append(ARRAY[1, 2], :n)',
  'array_append(ARRAY[1, 2]::bigint[], :n)',
  'array_remove(ARRAY[1, 2], :n)',
  'array_position(ARRAY[1, 2], :n)',
  'ARRAY[1, 2] || :n',
  ':n = ANY (ARRAY[1, 2])',
  'trim_array(ARRAY[1, 2, 3], :n)',
  'int4range(:n, :m)',
  'int8range(:n, :m)',
  '5 <@ int4range(:n, 9)',
  'width_bucket(5.0, 0, 10, :n)',
  "get_bit('\\x1f'::bytea, :n)",
  "set_byte('\\x1f2f3f'::bytea, :n, :m)",
  "set_bit(B'1010', :n, 1)::text",
  "jsonb_set('[1,2,3]', '{1}', to_jsonb(:n))",
  'jsonb_build_array(:n, :m)',
  'to_jsonb(:n)',
  "justify_days(interval '1 day' * :n * 20)",
  'generate_series(1, :n) * 0',
  '(SELECT max(x) FROM generate_series(:z, 11, :n) AS x)',
  "(SELECT string_agg(x::text, ',') FROM generate_series('2026-01-01'::date, '2026-01-09', interval '1 day' * :m) AS x)",
  '(SELECT ntile(:n) OVER () FROM (VALUES (1)) AS t)',
  '(SELECT lag(x, :n) OVER (ORDER BY x) FROM (VALUES (1), (2), (3)) AS t (x) ORDER BY x DESC LIMIT 1)',
  '(SELECT nth_value(x, :n) OVER () FROM (VALUES (5), (6)) AS t (x) LIMIT 1)',
  '(SELECT sum(x) OVER (ROWS :n PRECEDING) FROM (VALUES (5), (6)) AS t (x) LIMIT 1)',
  '(SELECT x FROM (VALUES (1), (2), (3), (4)) AS t (x) LIMIT 1 OFFSET :n)',
  '(SELECT x FROM (VALUES (1), (2), (3), (4)) AS t (x) OFFSET :n ROWS FETCH FIRST (:m - 2) ROWS ONLY)',
  'CASE :n WHEN 2 THEN :m ELSE 0 END',
  ':n::numeric / :m',
  ":n * '1.50'::money",
  'point(:n, :m)::text',
  'setseed(0) IS NULL AND :n = 2',
  'only_int4(:n)',
  'only_int8(:n)',
  'only_int2(:n)',
  'int4_or_text(:n)',
  'text_or_int4s(:n, :m)',
  'int4_and_text(:n, 1::text)',
  ':n BETWEEN 1 AND :m',
  ':n IN (1, :m, 2)',
  'a_small + :n FROM small',
  'a_small FROM small WHERE a_small = :n',
  "(INTERVAL '1' DAY) * :n",
  'EXTRACT(year FROM make_date(2020 + :n, 1, 1))',
]

const schema = `
CREATE FUNCTION only_int4(int) RETURNS text RETURN 'int4 ' || $1;
CREATE FUNCTION only_int8(bigint) RETURNS text RETURN 'int8 ' || $1;
CREATE FUNCTION only_int2(smallint) RETURNS text RETURN 'int2 ' || $1;
CREATE FUNCTION int4_or_text(int) RETURNS text RETURN 'int4 ' || $1;
CREATE FUNCTION int4_or_text(text) RETURNS text RETURN 'text ' || $1;
CREATE FUNCTION text_or_int4s(int, int) RETURNS text RETURN 'int4s ' || $1 || $2;
CREATE FUNCTION text_or_int4s(text, text) RETURNS text RETURN 'texts ' || $1 || $2;
CREATE FUNCTION int4_and_text(int, text) RETURNS text RETURN 'int4 ' || $1;
CREATE FUNCTION int4_and_text(text, text) RETURNS text RETURN 'text ' || $1;
CREATE TABLE small (a_small smallint);
INSERT INTO small VALUES (2)`

/** Where PostgreSQL refuses the literal for its type, which a parameter need not have. */
const onlyParameters = new Set(['only_int2(:n)'])

const values = { n: 2, m: 3, z: 0 }

test('an integer gives what the same integer in the SQL gives: alone, in a marked file, in a batch [S2]', async () => {
  const files: Record<string, string> = {}
  for (const [index, expression] of expressions.entries()) {
    files[`demo/POST/parameter${index}.sql`] = `SELECT ${expression.replace(/( FROM small)|$/, ' AS r$1')}`
    files[`demo/POST/marked${index}.sql`] = `-- @transactional\nSELECT 1;\n${files[`demo/POST/parameter${index}.sql`]}`
    files[`demo/POST/literal${index}.sql`] = (files[`demo/POST/parameter${index}.sql`] as string).replaceAll(
      /(?<!:):([nmz])\b/g,
      (_, name: 'n' | 'm' | 'z') => String(values[name]),
    )
  }
  const service = await startTestService({ kind: 'postgres', files, schema })
  try {
    const wrong: string[] = []
    for (const [index, expression] of expressions.entries()) {
      const literal = await service.post(`/demo/literal${index}`, {})
      const expected = onlyParameters.has(expression) ? '[{"r":"int2 2"}]' : literal.text
      const texts = [
        await service.post(`/demo/parameter${index}`, values),
        await service.post(`/demo/parameter${index}`, values),
        await service.post(`/demo/marked${index}`, values),
      ].map(({ text }) => text)
      const batch = await service.post(`/demo/parameter${index}/batch`, { queries: [values, values] })
      texts.push(batch.text)
      const wanted = [expected, expected, expected, `[${expected},${expected}]`]
      if (literal.status !== 200 && !onlyParameters.has(expression)) wrong.push(`${expression}: ${literal.text}`)
      else if (texts.join() !== wanted.join()) wrong.push(`${expression}: ${texts.join(' ')} not ${expected}`)
    }
    deepStrictEqual(wrong, [])
  } finally {
    await service.close()
  }
})

/** `name(:n)` after a call with `before`, and alone. */
const widths = [
  ['int4_or_text(:n)', 2, '"int4 2"'],
  ['int4_or_text(:n)', 2_147_483_647, '"int4 2147483647"'],
  ['int4_or_text(:n)', -2_147_483_648, '"int4 -2147483648"'],
  ['int4_or_text(:n)', 2_147_483_648, '"text 2147483648"'],
  ['int4_or_text(:n)', -2_147_483_649, '"text -2147483649"'],
  ['only_int8(:n)', 2, '"int8 2"'],
  ['only_int8(:n)', 2_147_483_648, '"int8 2147483648"'],
  ["int4_or_text(:n) || '/' || only_int8(:n)", 5, '"int4 5/int8 5"'],
  ["int4_or_text(:n) || '/' || :n::text", 5_000_000_000, '"text 5000000000/5000000000"'],
  ["(SELECT sum('2026-01-10'::date + x - '2026-01-01'::date) FROM unnest(:n) AS x)", [1, null, 2], '21'],
] as const

test("what an integer that fits int4 needs and what a larger one needs never get into each other's way [S2]", async () => {
  const texts = Array.from(new Set(widths.map(([text]) => text)))
  const files = Object.fromEntries(texts.map((text, index) => [`demo/POST/f${index}.sql`, `SELECT ${text} AS r`]))
  for (const order of [widths, widths.toReversed()]) {
    const service = await startTestService({ kind: 'postgres', files, schema })
    try {
      for (let round = 0; round < 5; round++) {
        for (const [text, n, r] of order) {
          strictEqual((await service.post(`/demo/f${texts.indexOf(text)}`, { n })).text, `[{"r":${r}}]`)
        }
      }
      const queries = order.filter(([text]) => text === 'int4_or_text(:n)')
      const batch = await service.post('/demo/f0/batch', { queries: queries.map(([, n]) => ({ n })) })
      strictEqual(batch.text, `[${queries.map(([, , r]) => `[{"r":${r}}]`).join(',')}]`)
    } finally {
      await service.close()
    }
  }
})
