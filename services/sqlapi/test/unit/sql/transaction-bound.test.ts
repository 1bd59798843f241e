/** Which statements leave everything behind with their transaction: sql/transaction-bound.ts. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { grammar } from '../../../src/database/postgres/grammar.ts'
import { isTransactionBound } from '../../../src/sql/transaction-bound.ts'

const bound = [
  `SET LOCAL search_path = 'x'`,
  `set /* all */ local role app`,
  'SET CONSTRAINTS ALL DEFERRED',
  'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
  'LOCK TABLE t IN EXCLUSIVE MODE',
  'SAVEPOINT a',
  'RELEASE SAVEPOINT a',
  'ROLLBACK TO a',
  'ROLLBACK WORK TO SAVEPOINT a',
  'VACUUM t',
  'DECLARE c CURSOR FOR SELECT 1',
  'FETCH ALL FROM c',
  `SELECT set_config('a.b', :v, true)`,
  `SELECT pg_catalog.set_config('a.b', (SELECT max(x) FROM t WHERE y IN (1, 2)), TRUE), 1`,
  `WITH s AS (SELECT "set_config"('a', 'b', true)) INSERT INTO t SELECT 1 FROM s`,
  'SELECT pg_advisory_xact_lock(1), pg_try_advisory_xact_lock_shared(2)',
  'SELECT name FROM pg_settings',
  'CREATE TEMP TABLE x (a int) ON COMMIT DROP',
  'CREATE LOCAL TEMPORARY TABLE x ON COMMIT DROP AS SELECT 1',
]
const lasting = [
  'SET search_path = x',
  `SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY`,
  `SET "local" = 1`,
  'SET',
  'RESET ALL',
  'DISCARD TEMP',
  'ROLLBACK',
  'COMMIT',
  'BEGIN',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'DEALLOCATE ALL',
  'LISTEN a',
  `LOAD 'x'`,
  'CALL p()',
  'DO $$ BEGIN END $$',
  'COPY t FROM STDIN',
  'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
  `DECLARE c CURSOR FOR SELECT set_config('a', 'b', false)`,
  `SELECT set_config('a', 'b', false)`,
  `SELECT set_config('a', 'b', :flag)`,
  `SELECT set_config('a', 'b', true AND false)`,
  `SELECT set_config('a', 'b', NOT true)`,
  `SELECT set_config('a', 'b', 'true')`,
  `SELECT set_config('a', 'b', is_local => false)`,
  `SELECT set_config('a', 'b', true), set_config('c', 'd', false)`,
  `SELECT set_config('a', set_config('c', 'd', false), true)`,
  `SELECT set_config`,
  `SELECT set_config(VARIADIC x)`,
  `SELECT U&"set\\005fconfig"('a', 'b', true)`,
  'SELECT pg_advisory_lock(1)',
  'SELECT pg_advisory_xact_lock(1), pg_advisory_unlock_all()',
  `UPDATE pg_settings SET setting = '1' WHERE name = 'a'`,
  'CREATE TEMP TABLE x (a int)',
  'CREATE TEMP TABLE x (a int) ON COMMIT DELETE ROWS',
  'CREATE TEMP VIEW v AS SELECT 1',
  'SELECT 1 AS a INTO TEMP x',
  'CREATE TABLE pg_temp.x (a int)',
  'SELECT currval(:s)',
  'SELECT setseed(0.5)',
  `SELECT dblink_connect('x')`,
  'SELEC 1',
  '',
]

for (const text of bound) {
  test(`${text} ends with its transaction [O4.3]`, () => strictEqual(isTransactionBound(text, grammar), true))
}
for (const text of lasting) {
  test(`${text} may outlive its transaction [O4.3]`, () => strictEqual(isTransactionBound(text, grammar), false))
}
