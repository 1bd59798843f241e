/** What a statement may do, judged by its words: wrong on the safe side only. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { dialects } from '../../../src/dialects.ts'
import type { Dialect, Effect } from '../../../src/model.ts'
import { readScript } from '../../../src/sql/script.ts'

function effectOf(text: string, dialect: Dialect): Effect | undefined {
  return readScript(text, dialects[dialect].grammar).statements[0]?.effect
}

type Cases = Readonly<Record<Effect, readonly string[]>>

const postgres: Cases = {
  read: [
    'SELECT 1',
    '( SELECT 1 )',
    'VALUES (1)',
    'TABLE t',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'SHOW TimeZone',
    "SELECT 'set_config'",
    'SELECT 1 -- INSERT',
    "SELECT 'INSERT INTO t'",
    'SELECT "insert" FROM t',
    'SELECT temp FROM weather',
    'SELECT t.temporary FROM t',
    'SELECT share FROM t',
    "SELECT replace(a, 'x', 'y') FROM t",
  ],
  write: [
    'INSERT INTO t VALUES (1)',
    'update t SET a = 1',
    'DELETE FROM t',
    'MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE',
    'WITH a AS (DELETE FROM t RETURNING id) SELECT * FROM a',
    'SELECT 1 INTO t',
    'TRUNCATE t',
    'SELECT * FROM t FOR UPDATE',
    'SELECT * FROM t FOR SHARE',
    'SELECT * FROM t FOR KEY SHARE NOWAIT',
  ],
  definition: [
    'CREATE TABLE t (a int)',
    'DROP TABLE t',
    'ALTER TABLE t ADD temp int',
    'CREATE FUNCTION f() RETURNS int RETURN 1',
  ],
  session: [
    'SET a = 1',
    'BEGIN',
    'COMMIT',
    'ROLLBACK',
    'SAVEPOINT a',
    'LISTEN a',
    'DO $$BEGIN END$$',
    'CALL p()',
    'PREPARE p AS SELECT 1',
    'EXECUTE p',
    'DEALLOCATE p',
    'DECLARE c CURSOR FOR SELECT 1',
    'DISCARD ALL',
    'RESET ALL',
    'LOCK TABLE t',
    "LOAD 'x'",
    'CREATE TEMP TABLE t (a int)',
    'CREATE TEMPORARY VIEW v AS SELECT 1',
    'CREATE LOCAL TEMP TABLE t (a int)',
    'CREATE OR REPLACE TEMP VIEW v AS SELECT 1',
    'SELECT 1 INTO TEMP t',
    'CREATE TABLE pg_temp.t (a int)',
    'CREATE TABLE "pg_temp".t (a int)',
    "SELECT set_config('a.b', 'c', false)",
    "select pg_catalog.SET_CONFIG('a.b', 'c', false)",
    `SELECT "set_config"('a.b', 'c', false)`,
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_try_advisory_lock_shared(1)',
    'INSERT INTO t SELECT pg_advisory_lock(1)',
    'WITH a AS (SELECT pg_advisory_lock(1)) SELECT * FROM a',
    'no sql at all',
    '$$a$$',
  ],
}

const sqlite: Cases = {
  read: [
    'SELECT 1',
    'VALUES (1)',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'EXPLAIN SELECT 1',
    "SELECT 'temp'",
    'SELECT [insert] FROM t',
  ],
  write: [
    'INSERT INTO t VALUES (1)',
    'REPLACE INTO t VALUES (1)',
    'UPDATE t SET a = 1',
    'DELETE FROM t',
    'WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a',
    'REINDEX',
    'ANALYZE',
  ],
  definition: ['CREATE TABLE t (a)', 'DROP TABLE t', 'ALTER TABLE t ADD a'],
  session: [
    'PRAGMA foreign_keys = 0',
    "ATTACH 'a' AS b",
    'DETACH b',
    'BEGIN',
    'COMMIT',
    'END',
    'SAVEPOINT a',
    'RELEASE a',
    'CREATE TEMP TABLE t (a)',
    'CREATE TEMPORARY VIEW v AS SELECT 1',
    'CREATE TEMP TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END',
    'CREATE TABLE temp.t (a)',
    'CREATE TABLE "temp".t (a)',
  ],
}

for (const [dialect, cases] of [
  ['postgres', postgres],
  ['sqlite', sqlite],
] as const) {
  for (const [effect, texts] of Object.entries(cases)) {
    for (const text of texts) {
      test(`${text} (${dialect}) counts as ${effect} [D3.6]`, () => strictEqual(effectOf(text, dialect), effect))
    }
  }
}
