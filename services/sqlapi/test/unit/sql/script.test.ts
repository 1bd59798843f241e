/** Files -> statements: where they end, which parameters they have, and that nothing of the text is lost. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { before, test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { loadModule, parseSync } from 'libpg-query'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import type { Dialect, ParameterSlot, Statement } from '../../../src/model.ts'
import { lex } from '../../../src/sql/lex.ts'
import { readScript } from '../../../src/sql/script.ts'

const seed = Number(process.env['SEED'] ?? 20260701)

before(() => loadModule())

/** The statement as it stands in the file. In a slice such as `[1:n]` the colon is in the piece already. */
function sourceOf({ pieces, slots }: Statement): string {
  let text = pieces[0] as string
  for (const [index, { name, role, before, after }] of slots.entries()) {
    const hasColon = role === 'value' && /(?:^|[^:]):$/.test(text)
    text += `${before}${hasColon ? '' : ':'}${name}${after}${pieces[index + 1]}`
  }
  return text
}

function sources(text: string, dialect: Dialect): string[] {
  return readScript(text, dialects[dialect].grammar).statements.map(sourceOf)
}

test('pieces and slots make up the statement again, and between statements there is nothing but semicolons', () => {
  const parts = [
    "'",
    '"',
    '$$',
    '--',
    '\n',
    '/*',
    '*/',
    ';',
    ':x',
    ':y',
    ':',
    '::',
    'a',
    ' ',
    '(',
    ')',
    '[',
    ']',
    '1',
    ',',
    'IN',
    'NOT ',
    ' ARRAY',
    '`',
    'BEGIN ',
    'ATOMIC ',
    'END ',
    'CREATE ',
    'FUNCTION ',
    'TRIGGER ',
    'CASE ',
    'é',
    '?',
    '$1',
  ]
  const texts = fc.array(fc.constantFrom(...parts), { maxLength: 30 }).map((chosen) => chosen.join(''))
  for (const dialect of dialectNames) {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: anyCharacter })), (text) => {
        const { statements, parameters } = readScript(text, dialects[dialect].grammar)
        let at = 0
        for (const statement of statements) {
          strictEqual(statement.pieces.length, statement.slots.length + 1)
          const source = sourceOf(statement)
          const found = text.indexOf(source, at)
          ok(found >= at, `${JSON.stringify(source)} after ${at}`)
          at = found + source.length
          strictEqual(text.slice(0, found).split('\n').length <= statement.line + source.length, true)
        }
        deepStrictEqual(parameters, [...new Set(statements.flatMap(({ names }) => names))])
        for (const { slots, names } of statements) deepStrictEqual(names, [...new Set(slots.map(({ name }) => name))])
      }),
      { seed, numRuns: 4000 },
    )
  }
})

/** Valid statements without white space inside their quotes, so that any other may stand between the words. */
const postgresStatements = [
  'SELECT 1',
  "SELECT ';' , ';'';'",
  'SELECT $$;$$ , $a$;$$;$a$',
  "SELECT E'\\';'",
  'SELECT 1 AS ";" , 2 AS "a"";"',
  'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1 ; SELECT 2 ; END',
  'CREATE OR REPLACE FUNCTION s.f( a int DEFAULT 1 ) RETURNS text LANGUAGE sql IMMUTABLE BEGIN ATOMIC SELECT CASE WHEN a > 1 THEN CASE a WHEN 2 THEN 3 END END ; END',
  'CREATE PROCEDURE p() BEGIN ATOMIC INSERT INTO t VALUES (1) ; DELETE FROM t ; END',
  'CREATE PROCEDURE p() BEGIN ATOMIC END',
  'CREATE FUNCTION f() RETURNS int RETURN 1',
  'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$BEGIN;RETURN/*;*/1;END$$',
  'CREATE RULE r AS ON INSERT TO t DO ALSO ( SELECT 1 ; SELECT 2 )',
  'DO $$BEGIN;END$$',
  'BEGIN',
  'END',
  'SELECT CASE WHEN true THEN 1 END',
  'SELECT "begin" , atomic FROM t "atomic"',
  'SELECT ( 1 + ( 2 ) )',
  'CREATE TABLE "create" ( a int )',
  'CREATE FUNCTION "begin" ( "atomic" int ) RETURNS int BEGIN ATOMIC SELECT "end" FROM ( SELECT 1 "end" ) "begin" ; END',
  'CREATE FUNCTION begin() RETURNS int RETURN 1',
]

const sqliteStatements = [
  'SELECT 1',
  "SELECT ';' , ';'';'",
  'SELECT 1 AS ";" , 2 AS [;] , 3 AS `;`',
  'CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1 ; SELECT 2 ; END',
  'CREATE TEMP TRIGGER IF NOT EXISTS tr BEFORE UPDATE OF id ON t FOR EACH ROW WHEN new.id > CASE WHEN 1 THEN 2 END BEGIN UPDATE t SET id = CASE WHEN id = 1 THEN 2 END ; DELETE FROM t ; END',
  'CREATE TRIGGER main.tr INSTEAD OF DELETE ON v BEGIN SELECT CASE WHEN 1 THEN 2 END ; END',
  'BEGIN',
  'END',
  'BEGIN IMMEDIATE',
  'SELECT CASE WHEN 1 THEN 2 END AS "begin"',
  'CREATE TABLE "trigger" ( a int )',
]

function spaced(statements: readonly string[]): fc.Arbitrary<string[]> {
  const trivia = fc.constantFrom(' ', '\n', '\t', ' /*;*/ ', ' --;\n', '\r\n', " /*'*/ ", ' --"\n ')
  const one = fc.tuple(fc.constantFrom(...statements), fc.array(trivia, { minLength: 1, maxLength: 5 }))
  return fc.array(
    one.map(([statement, gaps]) => {
      let index = 0
      return statement.replaceAll(' ', () => gaps[index++ % gaps.length] as string)
    }),
    { minLength: 1, maxLength: 5 },
  )
}

test('statements end where the parser of PostgreSQL ends them [D3.1]', () => {
  fc.assert(
    fc.property(spaced(postgresStatements), fc.constantFrom(';', ' ; ', ';;\n', ' /*;*/;--;\n'), (statements, end) => {
      const text = statements.join(end)
      const bytes = Buffer.from(text)
      const expected = (parseSync(text).stmts ?? []).map((parsed) => {
        const { stmt_location: from = 0, stmt_len: length } = parsed as { stmt_location?: number; stmt_len?: number }
        return trim(bytes.subarray(from, length === undefined ? undefined : from + length).toString())
      })
      deepStrictEqual(sources(text, 'postgres'), expected)
    }),
    { seed, numRuns: 2000 },
  )
})

/** Without the white space, comments and semicolons around it. */
function trim(text: string): string {
  const tokens = lex(text, dialects.postgres.grammar).filter(({ start, end }) => text.slice(start, end) !== ';')
  return text.slice(tokens[0]?.start, tokens.at(-1)?.end)
}

test('statements end where SQLite takes them as complete [D3.1]', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('CREATE TABLE t (id); CREATE VIEW v AS SELECT 1 AS a')
  fc.assert(
    fc.property(spaced(sqliteStatements), fc.constantFrom(';', ' ; ', ';;\n', ' /*;*/;--;\n'), (statements, end) => {
      const found = sources(statements.join(end), 'sqlite')
      strictEqual(found.length, statements.length)
      for (const [index, statement] of found.entries()) {
        strictEqual(statement, (statements[index] as string).trim())
        database.prepare(statement)
      }
    }),
    { seed, numRuns: 1000 },
  )
})

test('comments and empty statements are no statements [D3.3]', () => {
  for (const dialect of dialectNames) {
    for (const text of ['', ' \n', '-- a', '/* ; */', ';', ' ; ; -- :a\n;'])
      deepStrictEqual(sources(text, dialect), [], text)
    deepStrictEqual(sources('a; /* b */ c -- ;\n; d;', dialect), ['a', 'c', 'd'])
  }
})

test('a closing parenthesis too many hides no semicolon, and opens nothing for those behind it [S25]', () => {
  deepStrictEqual(sources('SELECT 1); SELECT 2', 'postgres'), ['SELECT 1)', 'SELECT 2'])
  deepStrictEqual(sources('SELECT 1)) ( ; SELECT 2 ) ; SELECT 3', 'postgres'), [
    'SELECT 1)) ( ; SELECT 2 )',
    'SELECT 3',
  ])
})

test('what is never closed belongs to the statement before it, or is one of its own, and says its line [S5]', () => {
  const texts: [text: string, sources: string[], line: number, what: string][] = [
    ['SELECT 1 /* a', ['SELECT 1 /* a'], 1, 'The comment'],
    ['SELECT 1;\n\n/* a', ['SELECT 1', '/* a'], 3, 'The comment'],
    ['/*', ['/*'], 1, 'The comment'],
    ['/*/', ['/*/'], 1, 'The comment'],
    ["SELECT 1;\nSELECT\n'a;", ['SELECT 1', "SELECT\n'a;"], 3, 'The text'],
    ["SELECT 'a''", ["SELECT 'a''"], 1, 'The text'],
    ['SELECT "a', ['SELECT "a'], 1, 'The quoted name'],
  ]
  for (const dialect of dialectNames) {
    for (const [text, expected, line, what] of texts) {
      const { statements } = readScript(text, dialects[dialect].grammar)
      deepStrictEqual(statements.map(sourceOf), expected)
      strictEqual(statements.at(-1)?.refusal, `${what} that begins in line ${line} is never closed`)
    }
    for (const text of ['SELECT 1 /* a */', "SELECT ''", '/**/', 'SELECT "a"']) {
      strictEqual(readScript(text, dialects[dialect].grammar).statements[0]?.refusal, undefined)
    }
  }
})

test('a statement knows the line on which it starts', () => {
  const { statements } = readScript('-- one\n\nSELECT 1;\r\n/* x\n */ SELECT\n2; SELECT 3', dialects.postgres.grammar)
  deepStrictEqual(
    statements.map(({ line }) => line),
    [3, 5, 6],
  )
})

test('parameters are listed once, in the order of first use [S-params.1]', () => {
  for (const dialect of dialectNames) {
    const { statements, parameters } = readScript('SELECT :b, :a, :b; SELECT :c, :a', dialects[dialect].grammar)
    deepStrictEqual(parameters, ['b', 'a', 'c'])
    deepStrictEqual(
      statements.map(({ names }) => names),
      [
        ['b', 'a'],
        ['c', 'a'],
      ],
    )
    deepStrictEqual(
      statements[0]?.slots.map(({ name }) => name),
      ['b', 'a', 'b'],
    )
  }
})

function slotsOf(text: string, dialect: Dialect): readonly ParameterSlot[] {
  return readScript(text, dialects[dialect].grammar).statements.flatMap(({ slots }) => slots)
}

test('a parameter alone between the brackets of IN, NOT IN and ARRAY has that role [D4.3]', () => {
  const roles: [text: string, role: ParameterSlot['role'], before: string, after: string][] = [
    ['a IN (:x)', 'in', 'IN (', ')'],
    ['a in(:x)', 'in', 'in(', ')'],
    ['a NOT IN ( :x )', 'notIn', 'NOT IN ( ', ' )'],
    ['a not /* c */ in -- d\n(:x)', 'notIn', 'not /* c */ in -- d\n(', ')'],
    ['(a IN (:x))', 'in', 'IN (', ')'],
    ['NOT a IN (:x)', 'in', 'IN (', ')'],
    ['a IN (1, :x)', 'value', '', ''],
    ['a IN (:x, 1)', 'value', '', ''],
    ['a IN ((:x))', 'value', '', ''],
    ['a IN (:x + 1)', 'value', '', ''],
    ['a = ANY (:x)', 'value', '', ''],
    ['f(:x)', 'value', '', ''],
    [':x', 'value', '', ''],
  ]
  for (const dialect of dialectNames) {
    for (const [text, role, before, after] of roles)
      deepStrictEqual(slotsOf(text, dialect), [{ name: 'x', source: 0, role, before, after, cast: '' }], text)
  }
  const only = { name: 'x', source: 0, cast: '' }
  deepStrictEqual(slotsOf('ARRAY[:x]::int[]', 'postgres'), [{ ...only, role: 'array', before: 'ARRAY[', after: ']' }])
  deepStrictEqual(slotsOf('array [ :x ]', 'postgres'), [{ ...only, role: 'array', before: 'array [ ', after: ' ]' }])
  strictEqual(slotsOf('ARRAY[:x, 1]', 'postgres')[0]?.role, 'value')
  strictEqual(slotsOf('"IN"(:x)', 'postgres')[0]?.role, 'value')
})

test('a cast of the parameter belongs to the role, on PostgreSQL [D4.3]', () => {
  const casts: [text: string, role: ParameterSlot['role'], after: string, cast: string][] = [
    ['a IN (:x::text)', 'in', '::text)', '::text'],
    ['a NOT IN (:x :: character varying )', 'notIn', ' :: character varying )', ':: character varying'],
    ['ARRAY[:x::app."Kind"]', 'array', '::app."Kind"]', '::app."Kind"'],
    ['ARRAY[:x::text[]]', 'value', '', ''],
    ['a IN (:x::numeric(5,2))', 'value', '', ''],
  ]
  for (const [text, role, after, cast] of casts) {
    const [slot] = slotsOf(text, 'postgres')
    deepStrictEqual([slot?.role, slot?.after, slot?.cast], [role, after, cast], text)
  }
  strictEqual(slotsOf('a IN (:x::int)', 'sqlite')[0]?.role, 'value')
})

test('a name after the colon of a slice is a parameter, and the colon stays [D3.2]', () => {
  const { statements } = readScript('SELECT xs[1:n], xs[1:2], xs[:n], ARRAY[a, :n]', dialects.postgres.grammar)
  deepStrictEqual(statements[0]?.names, ['n'])
  deepStrictEqual(statements[0]?.pieces, ['SELECT xs[1:', '], xs[1:2], xs[', '], ARRAY[a, ', ']'])
})

test('bodies of routines and triggers bind nothing [D3.1]', () => {
  const routine = 'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1:a; END; SELECT :b'
  deepStrictEqual(readScript(routine, dialects.postgres.grammar).parameters, ['b'])
  const trigger = 'CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT :a; END; SELECT :b'
  deepStrictEqual(readScript(trigger, dialects.sqlite.grammar).parameters, ['b'])
})
