/** Which bodies of stored routines are taken for harmless: the rule is that they must show it. */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findRisky, judge, type Routine } from '../../../src/database/postgres/stored-code/harmless.ts'
import { readBody } from '../../../src/database/postgres/stored-code/routine-body.ts'

const usual: readonly (readonly [what: string, body: string])[] = [
  ['a trigger that sets a column', 'BEGIN NEW.updated_at := now(); RETURN NEW; END'],
  ['the same with =', 'begin new.updated_at = now(); return new; end;'],
  [
    'an audit trigger',
    `BEGIN INSERT INTO audit (at, who, was) VALUES (now(), current_user, to_jsonb(OLD)); RETURN NULL; END`,
  ],
  [
    'branches and messages',
    `DECLARE n int := 0; r record; BEGIN
      IF TG_OP = 'INSERT' THEN n := 1; ELSIF TG_OP = 'UPDATE' THEN n := 2; ELSE RAISE EXCEPTION 'SET role % %', n, OLD.id USING ERRCODE = 'P0001'; END IF;
      RETURN NEW; END`,
  ],
  [
    'loops',
    `DECLARE r record; t text; BEGIN
      FOR i IN 1..10 LOOP CONTINUE WHEN i = 3; EXIT WHEN i > 5; END LOOP;
      FOR i IN REVERSE 10..1 BY 2 LOOP NULL; END LOOP;
      <<outer>> FOR r IN SELECT * FROM a WHERE b = (CASE WHEN true THEN 1 ELSE 2 END) LOOP t := t || r.x; END LOOP outer;
      FOREACH t SLICE 1 IN ARRAY ARRAY['a','b'] LOOP RETURN NEXT t; END LOOP;
      WHILE n < 3 LOOP n := n + 1; END LOOP;
      LOOP EXIT; END LOOP; END`,
  ],
  [
    'CASE as a statement and as an expression',
    `BEGIN CASE x WHEN 1, 2 THEN y := 'a'; WHEN 3 THEN y := CASE WHEN z THEN 'b' ELSE 'c' END; ELSE NULL; END CASE;
      RETURN CASE WHEN x = 1 THEN 'SET' ELSE 'RESET' END; END`,
  ],
  [
    'blocks, exceptions, labels',
    `<<main>> DECLARE x int; BEGIN BEGIN UPDATE t SET a = 1 WHERE id = x RETURNING a INTO x;
      EXCEPTION WHEN unique_violation OR SQLSTATE '23503' THEN GET STACKED DIAGNOSTICS y = MESSAGE_TEXT; WHEN OTHERS THEN RAISE; END;
      RETURN x; END main;`,
  ],
  [
    'cursors',
    `DECLARE c CURSOR (k int) FOR SELECT * FROM t WHERE id = k; r record; BEGIN OPEN c (1); FETCH c INTO r; MOVE NEXT FROM c; CLOSE c; END`,
  ],
  [
    'queries',
    `BEGIN RETURN QUERY WITH x AS (SELECT 1) SELECT * FROM x; SELECT count(*) INTO STRICT n FROM t; PERFORM 1 FROM t; END`,
  ],
  [
    'upsert and merge',
    `BEGIN INSERT INTO t VALUES (1) ON CONFLICT (id) DO UPDATE SET a = excluded.a; MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT VALUES (1); END`,
  ],
  [
    'arrays and records',
    `DECLARE xs int[] := '{}'; BEGIN xs[1] := 2; xs[1:2] := ARRAY[1, 2]; r.a.b := 3; $1 := 2; "Odd Name" := xs[a:b]; RETURN xs; END`,
  ],
  [
    'words in literals and comments',
    `BEGIN -- SET role x; EXECUTE 'y'
      /* LISTEN /* nested */ x; */ RETURN 'SET search_path = x; ' || $q$EXECUTE 'z'$q$ || E'it\\'s; RESET ALL' || U&'\\0041'; END`,
  ],
  ['options', `#variable_conflict use_column\n#print_strict_params on\nBEGIN RETURN 1; END`],
  [
    'notifications and locks of tables',
    `BEGIN NOTIFY x; PERFORM pg_notify('a', 'b'); LOCK TABLE t IN SHARE MODE; PERFORM pg_advisory_xact_lock(1); END`,
  ],
  ['a procedure', `BEGIN FOR i IN 1..3 LOOP INSERT INTO t VALUES (i); COMMIT; END LOOP; CALL other(1); ROLLBACK; END`],
]

for (const [what, body] of usual) {
  test(`harmless PL/pgSQL: ${what} [S7]`, () => {
    strictEqual(readBody(body, 'plpgsql').reason, undefined)
  })
}

for (const body of [
  'SELECT 1',
  'select a, b from t where c = $1;',
  ' (SELECT 1) UNION SELECT 2',
  'INSERT INTO t VALUES ($1); SELECT 1',
  'WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x',
  'UPDATE t SET a = 1',
  '',
  '-- nothing',
]) {
  test(`harmless SQL: ${body} [S7]`, () => {
    strictEqual(readBody(body, 'sql').reason, undefined)
  })
}

const risky: readonly (readonly ['sql' | 'plpgsql', string, RegExp])[] = [
  ['plpgsql', 'BEGIN/**/SET search_path = x; END', /SET/],
  ['plpgsql', 'BEGIN IF true THEN/**/RESET ALL; END IF; END', /RESET/],
  ['plpgsql', `BEGIN EXECUTE 'SELECT 1'; END`, /EXECUTE/],
  ['plpgsql', `BEGIN RETURN QUERY EXECUTE 'SELECT 1'; END`, /EXECUTE/],
  ['plpgsql', `BEGIN FOR r IN EXECUTE 'SELECT 1' LOOP NULL; END LOOP; END`, /EXECUTE/],
  ['plpgsql', `BEGIN OPEN c FOR EXECUTE 'SELECT 1'; END`, /EXECUTE/],
  ['plpgsql', 'BEGIN CREATE TABLE pg_temp.x (a int); END', /CREATE/],
  ['plpgsql', 'BEGIN INSERT INTO "pg_temp".x VALUES (1); END', /temporary/],
  ['plpgsql', 'BEGIN LISTEN x; END', /LISTEN/],
  ['plpgsql', `BEGIN DO 'BEGIN END'; END`, /DO/],
  ['plpgsql', 'BEGIN RETURN U&"\\0073et_config"(1); END', /certainty/],
  ['plpgsql', `BEGIN x := '\\'; SET search_path = y; --'; END`, /certainty/],
  ['plpgsql', `BEGIN x := 'a\\''; SET search_path = y; --'; END`, /certainty/],
  ['plpgsql', 'BEGIN FOR i IN 1..n$$ LOOP EXECUTE x; END LOOP; y := m$$; END', /certainty/],
  ['plpgsql', 'BEGIN y := \u00a0$$; EXECUTE x; z := \u00a0$$; END', /certainty/],
  ['plpgsql', 'BEGIN y := $$; SET x = 1; END', /certainty/],
  ['sql', 'SET search_path = x', /SET/],
  ['sql', 'SELECT 1;SET search_path = x', /SET/],
  ['sql', 'SELECT 1 INTO TEMP x', /temporary table/],
  ['sql', 'SELECT 1 INTO LOCAL TEMPORARY TABLE x', /temporary table/],
  ['sql', 'SELECT 1 INTO pg_temp.x', /temporary/],
  ['sql', 'CREATE TEMP TABLE x (a int)', /CREATE/],
]

for (const [language, body, reason] of risky) {
  test(`not harmless: ${body} [S7]`, () => {
    match(readBody(body, language).reason ?? 'harmless', reason)
  })
}

test('what a body calls is found however it is written [S7]', () => {
  const body = `DECLARE a int := f1(2); BEGIN FOR i IN 1..f2(3) LOOP x[1:f3(1)] := "F4" /* */ (1) + s . f5(2) + (t).f6; END LOOP;
    IF f7() THEN PERFORM f8(f9()); END IF; RETURN f10(1); END`
  deepStrictEqual([...readBody(body, 'plpgsql').calls].toSorted(), [
    'f1',
    'f10',
    'f2',
    'f3',
    'f4',
    'f5',
    'f6',
    'f7',
    'f8',
    'f9',
  ])
})

test('a body of any size or nonsense is read to its end, in time that grows with it [S7]', () => {
  for (const text of [
    'BEGIN '.repeat(100_000),
    `BEGIN ${'IF a THEN '.repeat(50_000)}`,
    `BEGIN x := ${'('.repeat(200_000)}`,
  ]) {
    notStrictEqual(readBody(text, 'plpgsql').reason, undefined)
  }
  fc.assert(fc.property(fc.string(), (text) => void readBody(text, 'plpgsql')))
  const pieces = [
    'BEGIN',
    'END',
    ';',
    'IF',
    'THEN',
    'SET',
    'x',
    ':=',
    '1',
    '(',
    ')',
    '$$',
    "'",
    '"',
    '/*',
    '*/',
    '--',
    '\n',
    'LOOP',
    '<<',
    '#',
    'U&"',
  ]
  fc.assert(fc.property(fc.array(fc.constantFrom(...pieces)), (words) => void readBody(words.join(' '), 'plpgsql')))
})

function routine(id: string, fields: Partial<Routine>): Routine {
  const plain = {
    name: `f${id}`,
    language: 'plpgsql',
    volatility: 'v',
    extension: '',
    source: 'BEGIN END',
    callsRisky: false,
  }
  return { id, ...plain, ...fields }
}

test('who calls or is made of what is risky is risky too, at any distance [S7]', () => {
  const routines = [
    routine('1', { source: `BEGIN PERFORM set_config('a', 'b', false); END` }),
    routine('2', { source: 'BEGIN RETURN F1(); END' }),
    routine('3', { language: 'sql', source: 'SELECT s.f2()' }),
    routine('4', { language: 'internal', source: 'aggregate_dummy' }),
    routine('5', { source: 'BEGIN RETURN f4(1); END' }),
    routine('6', { source: 'BEGIN RETURN f7(1); END' }),
    routine('7', { source: 'BEGIN RETURN f6(1); END' }),
    routine('8', { callsRisky: true }),
  ]
  const judgements = new Map(routines.map((each) => [each.id, judge(each)]))
  const found = findRisky(judgements, [{ user: '4', used: '3' }], new Set(['set_config']))
  deepStrictEqual([...found.keys()].toSorted(), ['1', '2', '3', '4', '5', '8'])
})

test('other languages are never harmless; C is where it is immutable or its extension is known [S7]', () => {
  const reasonOf = (fields: Partial<Routine>): string | undefined => judge(routine('1', fields)).reason
  for (const language of ['plpython3u', 'plperl', 'pltcl', 'plv8', 'SQL', 'PLPGSQL']) {
    notStrictEqual(reasonOf({ language, source: '' }), undefined, language)
  }
  notStrictEqual(reasonOf({ language: 'plpgsql', source: undefined }), undefined)
  const c = { language: 'c', source: 'symbol' }
  notStrictEqual(reasonOf(c), undefined)
  notStrictEqual(reasonOf({ ...c, volatility: 's' }), undefined)
  strictEqual(reasonOf({ ...c, volatility: 'i' }), undefined)
  strictEqual(reasonOf({ ...c, extension: 'pgcrypto' }), undefined)
  strictEqual(reasonOf({ ...c, extension: 'pg_trgm', name: 'similarity' }), undefined)
  notStrictEqual(reasonOf({ ...c, extension: 'pg_trgm', name: 'set_limit' }), undefined)
  notStrictEqual(reasonOf({ ...c, extension: 'tablefunc', name: 'crosstab3', volatility: 's' }), undefined)
  notStrictEqual(reasonOf({ ...c, extension: 'dblink', name: 'dblink_connect' }), undefined)
})
