/**
 * A column that is said to hold no null holds none, whatever stands around it: random statements over tables with
 * columns that are NOT NULL and others are described, and run on data. And what is said of single statements.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openDatabase } from '../../../src/database/open.ts'
import type { StatementDescription } from '../../../src/description.ts'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import type { Database } from '../../../src/database/database.ts'
import { readScript } from '../../../src/sql/script.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'
import { textOf } from '../../support/sqlite.ts'

const seed = Number(process.env['SEED'] ?? 20260701)

async function withDatabase(
  kind: Dialect,
  schema: string,
  run: (ask: Ask, raw: TestDatabase) => Promise<void>,
): Promise<void> {
  const raw = await createDatabase(kind)
  await raw.execute(schema)
  const limits = {
    maxConnections: 2,
    poolSize: 2,
    acquireTimeoutSeconds: 300,
    statementTimeoutSeconds: 0,
    timeZone: 'UTC',
  }
  const database = await openDatabase({ name: 'demo', dialect: kind, url: raw.url, ...limits })
  try {
    await run(new Ask(database, kind), raw)
  } finally {
    await database.close()
    await raw.remove()
  }
}

class Ask {
  readonly #database: Database
  readonly #dialect: Dialect

  constructor(database: Database, dialect: Dialect) {
    this.#database = database
    this.#dialect = dialect
  }

  async describe(sql: string): Promise<StatementDescription> {
    const [descriptions] = await this.#database.describe([readScript(sql, dialects[this.#dialect].grammar)])
    return (descriptions as readonly [StatementDescription])[0]
  }

  /** `id! name` for `id`, which is never null, and `name`, of which nobody knows; else why there is nothing to tell. */
  async nullable(sql: string): Promise<string> {
    const description = await this.describe(sql)
    if (description.outcome !== 'described') return JSON.stringify(description)
    return (description.columns ?? []).map(({ key, nullable }) => (nullable === false ? `${key}!` : key)).join(' ')
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    const script = readScript(sql, dialects[this.#dialect].grammar)
    const place = { method: 'GET', project: 'p', path: '/p/x', file: 'x' } as const
    const endpoint = { ...place, transactional: false, scripts: {}, declarations: undefined }
    const cancellation = { cancelled: false, onCancel: undefined }
    const nobody = { requestId: 'a-request', trace: undefined, cancellation }
    const result = await this.#database.run({
      endpoint,
      script,
      sets: [new Map()],
      batch: false,
      format: 'json',
      ...nobody,
    })
    return JSON.parse(await textOf(result)) as Record<string, unknown>[]
  }
}

const tables = `
CREATE TABLE a (id INTEGER PRIMARY KEY, v VARCHAR(9) NOT NULL, n INT);
CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INT NOT NULL, n INT);
CREATE TABLE c (k INT NOT NULL, n INT);
CREATE VIEW seen AS SELECT a.id, b.id AS b_id FROM a LEFT JOIN b ON b.a_id = a.id;
INSERT INTO a VALUES (1, 'one', 1), (2, 'two', NULL), (3, 'three', 3);
INSERT INTO b VALUES (1, 1, NULL), (2, 1, 1), (5, 4, NULL);`

/** Both databases, or one of them; what is said of the columns. */
const single: readonly (readonly [sql: string, said: string, only?: Dialect])[] = [
  ['SELECT id, v, n, n + 1 AS m, 1 AS one FROM a', 'id! v! n m one'],
  ['SELECT a.id, v, b.id AS b_id, a_id FROM a LEFT JOIN b ON a.id = b.a_id', 'id! v! bId aId'],
  ['SELECT a.id, v, b.id AS b_id, a_id FROM a RIGHT OUTER JOIN b ON a.id = b.a_id', 'id v bId! aId!'],
  ['SELECT a.id, b.id AS b_id FROM a FULL JOIN b ON a.id = b.a_id', 'id bId'],
  ['SELECT a.id, b.id AS b_id, k FROM a JOIN b ON a.id = b.a_id CROSS JOIN c', 'id! bId! k!'],
  ['SELECT a.id, b.id AS b_id, k FROM a, b, c WHERE a.id = b.a_id', 'id! bId! k!'],
  ['SELECT a.id, b.id AS b_id, k FROM a LEFT JOIN (b JOIN c ON b.n = c.k) ON a.id = b.a_id', 'id! bId k'],
  ['SELECT a.id, b.id AS b_id, k FROM a LEFT JOIN b ON a.id = b.a_id JOIN c ON c.n = a.n', 'id! bId k!'],
  ['SELECT * FROM a LEFT JOIN b USING (id)', 'id! v! n aId n'],
  ['SELECT e.v, m.v AS w FROM a e LEFT JOIN a m ON e.n = m.id', 'v! w'],
  ['SELECT v, w FROM (SELECT e.v, m.v AS w FROM a e LEFT JOIN a m ON e.n = m.id) s', 'v w'],
  ['SELECT s.* FROM (SELECT id, a_id FROM b) s', 'id! aId!'],
  ['SELECT s.id, a.id AS b FROM a LEFT JOIN (SELECT id FROM b) s ON s.id = a.id', 'id b!'],
  ['SELECT b_id FROM (SELECT b.id AS b_id FROM a LEFT JOIN b ON a.id = b.a_id) s', 'bId'],
  ['WITH q AS (SELECT id, a_id FROM b) SELECT q.id, a.v FROM q JOIN a ON a.id = q.id', 'id! v!'],
  ['WITH q AS (SELECT id, a_id FROM b) SELECT q.id, a.v FROM a LEFT JOIN q ON a.id = q.id', 'id v!'],
  ['WITH q AS (SELECT id FROM b), r AS (SELECT id FROM q) SELECT r.id, a.v FROM a LEFT JOIN r ON a.id = r.id', 'id v!'],
  ['SELECT id FROM a UNION ALL SELECT NULL', 'id'],
  ['SELECT id FROM (SELECT id FROM a UNION ALL SELECT NULL) s', 'id'],
  ['SELECT (SELECT v FROM a WHERE a.id = b.a_id) AS v, id FROM b', 'v id!'],
  [
    'SELECT id, v FROM a WHERE id IN (SELECT a_id FROM b) AND EXISTS (SELECT 1 FROM a x LEFT JOIN b y ON true)',
    'id! v!',
  ],
  ['SELECT id, b_id FROM seen', 'id bId'],
  ['SELECT v, count(*) AS n FROM a GROUP BY v', 'v! n'],
  ["INSERT INTO a (id, v) VALUES (9, 'x') RETURNING id, v, n", 'id! v! n'],
  ['UPDATE a SET n = 1 RETURNING *', 'id! v! n'],
  ['DELETE FROM a RETURNING v', 'v!'],
  ['SELECT v, count(*) AS n FROM a GROUP BY ROLLUP (v)', 'v n', 'postgres'],
  ['SELECT v FROM (SELECT v FROM a GROUP BY GROUPING SETS ((v), ())) s', 'v', 'postgres'],
  ['SELECT s.x FROM a LEFT JOIN LATERAL (SELECT a.id AS x WHERE false) s ON true', 'x', 'postgres'],
  ['SELECT s.x FROM a, LATERAL (SELECT t.x FROM (SELECT 1) o LEFT JOIN (SELECT a.id AS x WHERE false) t ON true) s', 'x', 'postgres'], // prettier-ignore
  ['SELECT s.x, a.v FROM a CROSS JOIN LATERAL (SELECT a.id AS x) s', 'x! v!', 'postgres'],
  ["INSERT INTO a (id, v) VALUES (9, 'x') RETURNING old.id, new.v", 'id v', 'postgres'],
  ["INSERT INTO a (id, v) VALUES (9, 'x') RETURNING (old).id", 'id', 'postgres'],
  ["INSERT INTO a (id, v) VALUES (9, 'x') RETURNING WITH (OLD AS o) o.id", 'id', 'postgres'],
  ['WITH q AS (DELETE FROM a RETURNING new.id) SELECT id FROM q', 'id', 'postgres'],
  ['WITH q AS (DELETE FROM a RETURNING id) SELECT id FROM q', 'id!', 'postgres'],
  ['MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE RETURNING a.id, b.a_id', 'id aId', 'postgres'],
  ['UPDATE a SET n = 1 FROM c LEFT JOIN b ON b.n = c.n WHERE a.n = c.n RETURNING a.id, c.k, b.a_id', 'id! k! aId', 'postgres'], // prettier-ignore
  ['SELECT (a).id FROM a', 'id!', 'postgres'],
  ['SELECT (x).id FROM c LEFT JOIN a x ON true', 'id', 'postgres'],
  ['SELECT d.id, d.t FROM d', 'id t', 'postgres'],
  ['SELECT id FROM parents', 'id', 'postgres'],
  ['SELECT id FROM partitioned', 'id!', 'postgres'],
  ['SELECT id FROM ruled', 'id', 'postgres'],
  ['TABLE a', 'id! v! n', 'postgres'],
  ['SELECT v, count(*) AS n FROM a', 'v n', 'sqlite'],
  ['SELECT v, coalesce(max(id), 0) AS n FROM a', 'v n', 'sqlite'],
  ['SELECT v, max(id, n) AS n FROM a', 'v n', 'sqlite'],
  ['SELECT v, max(id) OVER (PARTITION BY v) AS n, sum(n) FILTER (WHERE n > 1) OVER () AS s FROM a', 'v! n s', 'sqlite'],
  ['SELECT v FROM (SELECT v, count(*) FROM a) s', 'v', 'sqlite'],
  ['SELECT (SELECT a.v WHERE 0) AS x, v FROM a', 'x v!', 'sqlite'],
  ['SELECT *, (SELECT a.v WHERE 0) AS x FROM a', 'id v n x', 'sqlite'],
  ['SELECT x FROM (SELECT (SELECT a.v WHERE 0) AS x FROM a) s', 'x', 'sqlite'],
  ['SELECT id, name, txt, d FROM kinds', 'id! name! txt d', 'sqlite'],
  ['SELECT id FROM backwards', 'id', 'sqlite'],
  ['SELECT p, q FROM rowless', 'p! q!', 'sqlite'],
  ['SELECT rowid, v FROM a', 'id! v!', 'sqlite'],
  ['SELECT x FROM search', 'x', 'sqlite'],
  ['SELECT double FROM computed', 'double!', 'sqlite'],
  ['WITH recursive q(id) AS (SELECT id FROM a UNION ALL SELECT NULL FROM q WHERE id < 0) SELECT id FROM q', 'id'],
  ['SELECT "a"."id", [v] FROM "a" LEFT JOIN main.b ON 1', 'id! v!', 'sqlite'],
  ['SELECT a.id, x.a_id FROM a NATURAL LEFT JOIN main.b AS x', 'id! aId', 'sqlite'],
]

const oddities: Readonly<Record<Dialect, string>> = {
  postgres: `
CREATE TABLE d (id INT, t TEXT); INSERT INTO d VALUES (NULL, NULL);
ALTER TABLE d ADD CONSTRAINT later NOT NULL id NOT VALID;
CREATE TABLE parents (id INT); CREATE TABLE children () INHERITS (parents);
ALTER TABLE parents ADD CONSTRAINT own NOT NULL id NO INHERIT; INSERT INTO children VALUES (NULL);
CREATE TABLE partitioned (id INT NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE part PARTITION OF partitioned FOR VALUES FROM (1) TO (9);
CREATE TABLE ruled (id INT NOT NULL); CREATE RULE r AS ON INSERT TO ruled DO ALSO SELECT 1;`,
  sqlite: `
CREATE TABLE kinds (id INTEGER PRIMARY KEY, name TEXT NOT NULL, txt TEXT UNIQUE, d DATE);
CREATE TABLE backwards (id INTEGER PRIMARY KEY DESC);
CREATE TABLE rowless (p TEXT, q INT, PRIMARY KEY (p, q)) WITHOUT ROWID;
CREATE TABLE computed (n INT NOT NULL, double INT NOT NULL AS (n * 2));
CREATE VIRTUAL TABLE search USING fts5(x);`,
}

/** A query, and the columns that it gives, by their names. */
interface Query {
  readonly sql: string
  readonly columns: readonly string[]
}

/** What stands in FROM, and the columns that it can be asked for: `x3.id`. */
interface FromItem {
  readonly sql: string
  readonly columns: readonly string[]
}

/** Draws numbers from 0 to before `below`; makes statements of them. */
class Maker {
  readonly #draw: () => number
  readonly #dialect: Dialect
  #names = 0
  readonly #with: Query[] = []

  constructor(draws: readonly number[], dialect: Dialect) {
    let at = 0
    this.#draw = () => draws[at++ % draws.length] as number
    this.#dialect = dialect
  }

  statement(): string {
    const withs: string[] = []
    for (let left = this.#below(3); left > 0; left--) {
      const name = `q${++this.#names}`
      const query = this.query(2)
      withs.push(`${name} AS (${query.sql})`)
      this.#with.push({ sql: name, columns: query.columns })
    }
    const { sql } = this.query(3)
    return `${withs.length > 0 ? `WITH ${withs.join(', ')} ` : ''}${sql}`
  }

  query(depth: number, outer: readonly string[] = []): Query {
    const item = this.item(depth, outer)
    const visible = [...item.columns, ...outer]
    const picked = Array.from({ length: 1 + this.#below(4) }, () => this.#of(visible))
    const names = picked.map(() => `c${++this.#names}`)
    const list = picked.map((column, index) => `${this.#expression(column, item)} AS ${names[index]}`)
    let sql = `SELECT ${list.join(', ')} FROM ${item.sql}${this.#of(['', '', ` WHERE ${this.#condition(visible)}`])}`
    const choice = this.#below(8)
    if (choice === 0) {
      const groups = picked.map((_, index) => `${index + 1}`)
      sql = `SELECT ${picked.map((column, index) => `${column} AS ${names[index]}`).join(', ')} FROM ${item.sql} GROUP BY `
      sql += this.#dialect === 'postgres' ? `ROLLUP (${[...new Set(picked)].join(', ')})` : groups.join(', ')
    } else if (choice === 1) {
      sql += ` UNION ALL SELECT ${picked.map(() => 'NULL').join(', ')}`
    }
    return { sql, columns: names }
  }

  item(depth: number, outer: readonly string[]): FromItem {
    const name = `x${++this.#names}`
    const choice = depth === 0 ? 0 : this.#below(6)
    if (choice > 2) return this.#join(depth, outer)
    if (choice === 2) {
      const { sql, columns } = this.query(depth - 1, outer)
      return { sql: `(${sql}) AS ${name}`, columns: columns.map((column) => `${name}.${column}`) }
    }
    if (this.#with.length > 0 && this.#below(2) === 0) {
      const { sql, columns } = this.#of(this.#with)
      return { sql: `${sql} AS ${name}`, columns: columns.map((column) => `${name}.${column}`) }
    }
    const [table, columns] = this.#of([
      ['a', ['id', 'v', 'n']],
      ['b', ['id', 'a_id', 'n']],
      ['c', ['k', 'n']],
    ] as const)
    return { sql: `${table} AS ${name}`, columns: columns.map((column) => `${name}.${column}`) }
  }

  #join(depth: number, outer: readonly string[]): FromItem {
    const left = this.item(depth - 1, outer)
    let kind = this.#of(['JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'LEFT OUTER JOIN', 'CROSS JOIN'])
    let right: FromItem
    if (this.#dialect === 'postgres' && this.#below(4) === 0) {
      kind = this.#of(['JOIN', 'LEFT JOIN'])
      const name = `x${++this.#names}`
      const { sql, columns } = this.query(depth - 1, [...left.columns, ...outer])
      right = { sql: `LATERAL (${sql}) AS ${name}`, columns: columns.map((column) => `${name}.${column}`) }
    } else {
      right = this.item(depth - 1, outer)
    }
    const columns = [...left.columns, ...right.columns]
    // A full join wants a condition that can be merged or hashed.
    const condition = kind === 'FULL JOIN' ? this.#of(['1 = 1', '1 = 0']) : this.#condition(columns)
    const on = kind === 'CROSS JOIN' ? '' : ` ON ${condition}`
    return { sql: `(${left.sql} ${kind} ${right.sql}${on})`, columns }
  }

  #expression(column: string, item: FromItem): string {
    const choice = this.#below(14)
    if (choice === 0) return `(SELECT ${column} WHERE 1 = 0)`
    if (choice === 1) return `(SELECT s.v FROM a AS s WHERE s.n IS NULL AND 1 = ${this.#below(2)} LIMIT 1)`
    if (choice === 2 && this.#dialect === 'sqlite') return `coalesce(max(${this.#of(item.columns)}), 0)`
    return column
  }

  #condition(columns: readonly string[]): string {
    const one = this.#of(columns)
    return this.#of(['1 = 1', '1 = 0', `${one} IS NULL`, `${one} IS NOT NULL`])
  }

  #below(limit: number): number {
    return this.#draw() % limit
  }

  #of<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T
  }
}

for (const kind of dialectNames) {
  describe(kind, () => {
    test('which columns are never null [N2.1]', async () => {
      await withDatabase(kind, tables + oddities[kind], async (ask) => {
        for (const [sql, said, only = kind] of single) {
          if (only === kind) deepStrictEqual(await ask.nullable(sql), said, sql)
        }
      })
    })

    test('a column that is said to be never null gives no null [N2.1]', async () => {
      await withDatabase(kind, tables, async (ask) => {
        let claims = 0
        let claimsOfJoins = 0
        let failed = 0
        const property = fc.asyncProperty(fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), async (draws) => {
          const sql = new Maker(draws, kind).statement()
          const description = await ask.describe(sql)
          if (description.outcome !== 'described') {
            failed++
            return
          }
          const never = (description.columns ?? []).filter(({ nullable }) => nullable === false)
          claims += never.length
          if (/(?:LEFT|RIGHT)/.test(sql)) claimsOfJoins += never.length
          for (const row of never.length === 0 ? [] : await ask.rows(sql)) {
            for (const { key } of never) ok(row[key] !== null, `${key} is null: ${sql}`)
          }
        })
        await fc.assert(property, { seed, numRuns: 600 })
        ok(
          claims > 100 && claimsOfJoins > 20 && failed < 120,
          `${claims} claims, ${claimsOfJoins} with joins, ${failed} failed`,
        )
      })
    })
  })
}
