/**
 * Writes that share a transaction on SQLite: when they do, and that nobody can tell but by the time. The groups are
 * driven with a real session and a clock of the test, so that each is what the test says.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { randomFrom } from '@services/testing'
import { Groups } from '../../../src/database/sqlite/worker/group.ts'
import { runJob } from '../../../src/database/sqlite/worker/job.ts'
import type { Job, JobReply, SqliteValue } from '../../../src/database/sqlite/worker-messages.ts'
import { Session } from '../../../src/database/sqlite/worker/session.ts'
import { commitsOf, newFile, openOptions } from '../../support/sqlite.ts'

/** A write: its text and values. */
type Write = readonly [sql: string, ...values: SqliteValue[]]

const wal = 'PRAGMA journal_mode = WAL;'

/**
 * A session and the groups on it; every write that is given at once is there before the first of them begins. Time
 * passes only where a test says so.
 */
class Bench {
  readonly file: string
  readonly session: Session
  readonly groups: Groups
  readonly #numbers = new Map<string, number>()
  #waiting: Job[] = []
  #nowMs = 0
  /** How long a statement takes, where it takes time. */
  readonly tookMs = new Map<string, number>()

  constructor(schema: string) {
    this.file = newFile(wal + schema)
    this.session = new Session(openOptions(this.file, 100))
    this.groups = new Groups({
      session: this.session,
      run: (job) => this.#run(job),
      next: (fits) => (this.#waiting[0] !== undefined && fits(this.#waiting[0]) ? this.#waiting.shift() : undefined),
      commit: () => this.session.commit(),
      now: () => this.#nowMs,
    })
  }

  /** Does the writes in groups; gives the replies, and how many jobs each group had. */
  together(writes: readonly Write[]): { replies: string[]; sizes: number[] } {
    this.#waiting = writes.map((write) => this.#toJob(write))
    const replies: JobReply[] = []
    const sizes: number[] = []
    for (let first = this.#waiting.shift(); first !== undefined; first = this.#waiting.shift()) {
      const group = this.groups.run(first)
      sizes.push(group.length)
      replies.push(...group)
    }
    return { replies: replies.map(show), sizes }
  }

  /** Does each of the writes by itself. */
  apart(writes: readonly Write[]): string[] {
    return writes.map((write) => show(this.#run({ ...this.#toJob(write), transaction: 'none' })))
  }

  /** Runs the writes once, so that they are known to be short. */
  teach(...writes: readonly Write[]): void {
    for (const write of writes) this.together([write])
  }

  /** What another connection sees. */
  ask(sql: string): unknown {
    const other = new DatabaseSync(this.file)
    const rows = other.prepare(sql).all()
    other.close()
    return rows.map((row) => Object.values(row).join())
  }

  #run(job: Job): JobReply {
    const number = job.sets[0]?.[0]?.statement
    for (const [sql, ms] of this.tookMs) if (this.#numbers.get(sql) === number) this.#nowMs += ms
    const site = {
      session: this.session,
      isCancelled: () => false,
      beginStatement: nothing,
      endStatement: nothing,
      commit: () => this.session.commit(),
    }
    return runJob(job, site, undefined)
  }

  #toJob([sql, ...values]: Write): Job {
    let statement = this.#numbers.get(sql)
    if (statement === undefined) {
      statement = this.#numbers.size
      this.#numbers.set(sql, statement)
      this.session.statements.learn([[statement, sql]])
    }
    return {
      claim: 0,
      transaction: 'shared',
      touchesSession: false,
      batch: false,
      format: 'json',
      mayRunOn: true,
      isRead: false,
      sets: [[{ statement, values }]],
    }
  }
}

function nothing(): void {
  // Nobody looks.
}

function show(reply: JobReply): string {
  if ('json' in reply) return reply.json
  return 'error' in reply ? `${reply.error.code} ${reply.error.message}` : ''
}

const insert = 'INSERT INTO t VALUES (?1)'
const unique = '1555 UNIQUE constraint failed: t.x'

describe('a group of writes', () => {
  test('commits once [D4.5]', () => {
    const bench = new Bench('CREATE TABLE t (x PRIMARY KEY)')
    bench.teach([insert, 0])
    const before = commitsOf(bench.file)
    const { replies, sizes } = bench.together([1, 2, 3, 4, 5].map((x) => [insert, x]))
    deepStrictEqual(sizes, [5])
    deepStrictEqual(replies, ['[]', '[]', '[]', '[]', '[]'])
    strictEqual(commitsOf(bench.file) - before, 1)
    deepStrictEqual(bench.ask('SELECT x FROM t'), ['0', '1', '2', '3', '4', '5'])
  })

  test('undoes the work of a failing job and no other [S-marker.4]', () => {
    const bench = new Bench('CREATE TABLE t (x PRIMARY KEY)')
    const two = 'INSERT INTO t VALUES (?1), (?2)'
    bench.teach([insert, 0], [two, -1, -2])
    const { replies, sizes } = bench.together([
      [insert, 1],
      [two, 2, 1],
      [insert, 1],
      [two, 3, 4],
    ])
    deepStrictEqual(sizes, [4])
    deepStrictEqual(replies, ['[]', unique, unique, '[]'])
    deepStrictEqual(bench.ask('SELECT x FROM t WHERE x > 0 ORDER BY x'), ['1', '3', '4'])
  })

  test('is done one by one when a statement ends the transaction, and that one has no company from then on [D4.5]', () => {
    const trigger = `CREATE TRIGGER guard BEFORE INSERT ON t WHEN NEW.x = 13 BEGIN SELECT RAISE(ROLLBACK, 'no thirteen'); END`
    const endings: Write[] = [
      ['INSERT OR ROLLBACK INTO t VALUES (?1), (0)', 7],
      ['INSERT INTO t VALUES (?1) RETURNING x', 13],
    ]
    for (const ending of endings) {
      const bench = new Bench(`CREATE TABLE t (x PRIMARY KEY); ${trigger}`)
      bench.teach([insert, 0])
      // Known to be short while it does no harm.
      bench.apart([['DELETE FROM t']])
      bench.teach([ending[0], 100])
      bench.apart([['DELETE FROM t'], [insert, 0]])
      const all: Write[] = [[insert, 1], [insert, 1], ending, [insert, 2]]
      const first = bench.together(all)
      deepStrictEqual(first.sizes, [3, 1], 'up to the one that ended it')
      match(first.replies[2] as string, /^(?:1555 UNIQUE|1811 no thirteen)/)
      deepStrictEqual(first.replies, ['[]', unique, first.replies[2], '[]'])
      deepStrictEqual(bench.ask('SELECT x FROM t ORDER BY x'), ['0', '1', '2'])
      deepStrictEqual(bench.together([[insert, 3], ending, [insert, 4], [insert, 5]]).sizes, [1, 1, 2])
    }
  })

  test('keeps what OR FAIL and RAISE(FAIL) leave behind [D4.5]', () => {
    const trigger = `CREATE TRIGGER guard BEFORE INSERT ON t WHEN NEW.x = 13 BEGIN SELECT RAISE(FAIL, 'no thirteen'); END`
    const bench = new Bench(`CREATE TABLE t (x PRIMARY KEY); ${trigger}`)
    const fail = 'INSERT OR FAIL INTO t VALUES (?1), (?2), (?3)'
    bench.teach([insert, 0], [fail, 100, 101, 102])
    const { replies, sizes } = bench.together([
      [insert, 1],
      [fail, 2, 1, 3],
      [fail, 4, 13, 5],
      [insert, 6],
    ])
    deepStrictEqual(sizes, [4])
    deepStrictEqual(replies, ['[]', unique, '1811 no thirteen', '[]'])
    deepStrictEqual(bench.ask('SELECT x FROM t WHERE x BETWEEN 1 AND 9 ORDER BY x'), ['1', '2', '4', '6'])
  })

  test('is not made where a commit checks what a statement did not, also once the schema has become so [D4.5]', () => {
    const parent = 'CREATE TABLE parent (id PRIMARY KEY);'
    const child = 'CREATE TABLE child (id REFERENCES parent DEFERRABLE INITIALLY DEFERRED);'
    const bench = new Bench(`${parent} CREATE TABLE t (x PRIMARY KEY)`)
    const addParent: Write = ['INSERT INTO parent VALUES (?1)', 1]
    const addChild: Write = ['INSERT INTO child VALUES (?1)', 1]
    bench.teach([insert, 0], ['INSERT INTO parent VALUES (?1)', 0])
    deepStrictEqual(
      bench.together([
        [insert, 1],
        [insert, 2],
      ]).sizes,
      [2],
    )
    const other = new DatabaseSync(bench.file)
    other.exec(child)
    other.close()
    const { replies, sizes } = bench.together([[insert, 3], addChild, addParent, addChild])
    deepStrictEqual(sizes, [1, 1, 1, 1])
    deepStrictEqual(replies, ['[]', '787 FOREIGN KEY constraint failed', '[]', '[]'], 'as if nothing came behind it')
    bench.apart([['DROP TABLE child']])
    deepStrictEqual(
      bench.together([
        [insert, 4],
        [insert, 5],
      ]).sizes,
      [2],
    )
  })

  test('whose commit fails is done one by one [D4.5]', () => {
    const bench = new Bench('CREATE TABLE parent (id PRIMARY KEY); CREATE TABLE child (id REFERENCES parent)')
    // No plain write can do this; what is wanted is a commit that fails.
    const defer: Write = ['PRAGMA defer_foreign_keys = ON']
    const add = 'INSERT INTO child VALUES (?1)'
    bench.teach(defer, [add, null])
    const { replies, sizes } = bench.together([[add, null], defer, [add, 7], [add, null]])
    deepStrictEqual(sizes, [4])
    deepStrictEqual(replies, ['[]', '[]', '787 FOREIGN KEY constraint failed', '[]'])
    deepStrictEqual(bench.ask('SELECT count(*) FROM child'), ['3'])
  })

  test('that fills the disk keeps those that fit [D4.5]', () => {
    const bench = new Bench('CREATE TABLE t (x PRIMARY KEY)')
    const large = 'INSERT INTO t VALUES (zeroblob(?1))'
    bench.teach([insert, 0], [large, 10])
    bench.apart([['PRAGMA max_page_count = 12']])
    const { replies } = bench.together([
      [insert, 1],
      [large, 8000],
      [large, 1_000_000],
      [insert, 2],
      [large, 1_000_001],
      [insert, 3],
    ])
    deepStrictEqual(replies, ['[]', '[]', '13 database or disk is full', '[]', '13 database or disk is full', '[]'])
    deepStrictEqual(bench.ask("SELECT x FROM t WHERE typeof(x) <> 'blob' ORDER BY x"), ['0', '1', '2', '3'])
    deepStrictEqual(bench.ask("SELECT length(x) FROM t WHERE typeof(x) = 'blob' ORDER BY 1"), ['10', '8000'])
  })

  test('leaves out what is slow, what nobody has seen yet, and what cannot share [D4.5]', () => {
    const bench = new Bench('CREATE TABLE t (x PRIMARY KEY)')
    const slow: Write = ['INSERT INTO t SELECT -1 - count(*) FROM t']
    bench.tookMs.set(slow[0], 10)
    bench.teach([insert, 0], slow)
    const unseen: Write = ['INSERT INTO t VALUES (?1) RETURNING x', 3]
    const { sizes, replies } = bench.together([
      [insert, 1],
      [insert, 2],
      slow,
      unseen,
      [insert, 4],
      [insert, 5],
      unseen,
    ])
    deepStrictEqual(sizes, [2, 1, 1, 3])
    deepStrictEqual(replies, ['[]', '[]', '[]', '[{"x":3}]', '[]', '[]', unique])
  })

  test('ends when it has taken long enough or has enough [D4.5]', () => {
    const bench = new Bench('CREATE TABLE t (x PRIMARY KEY)')
    bench.teach([insert, 0])
    const many = Array.from({ length: 150 }, (_, x): Write => [insert, x + 1])
    deepStrictEqual(bench.together(many).sizes, [64, 64, 22])
    bench.tookMs.set(insert, 1.5)
    deepStrictEqual(bench.together(many).sizes.slice(0, 3), [4, 4, 4], 'of five milliseconds')
  })

  test('waits for the lock of another process once for each job at most, and a wrong statement not at all [D4.5]', () => {
    const bench = new Bench('CREATE TABLE t (x PRIMARY KEY)')
    bench.teach([insert, 0])
    const other = new DatabaseSync(bench.file)
    other.exec('BEGIN IMMEDIATE')
    const { replies, sizes } = bench.together([[insert, 1], ['INSERT INTO nowhere VALUES (1)'], [insert, 2]])
    deepStrictEqual(sizes, [1, 1, 1])
    deepStrictEqual(replies, ['5 database is locked', '1 no such table: nowhere', '5 database is locked'])
    other.exec('ROLLBACK')
    other.close()
    deepStrictEqual(
      bench.together([
        [insert, 1],
        [insert, 2],
      ]).sizes,
      [2],
    )
  })

  test('answers and writes what its jobs would have by themselves, whatever they are [S-marker.4]', () => {
    const schema = `
      CREATE TABLE kind (id INTEGER PRIMARY KEY);
      INSERT INTO kind VALUES (1), (2), (3);
      CREATE TABLE t (
        id INTEGER PRIMARY KEY AUTOINCREMENT, x UNIQUE ON CONFLICT ABORT CHECK (x < 30), kind REFERENCES kind ON DELETE CASCADE
      );
      CREATE TABLE trail (x, what);
      CREATE TRIGGER added AFTER INSERT ON t BEGIN INSERT INTO trail VALUES (NEW.x, 'added ' || changes()); END;
      CREATE TRIGGER odd BEFORE UPDATE ON t WHEN NEW.x = 21 BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
      CREATE TRIGGER even BEFORE UPDATE ON t WHEN NEW.x = 22 BEGIN SELECT RAISE(FAIL, 'not so'); END;
      CREATE TRIGGER gone BEFORE DELETE ON t WHEN OLD.x = 23 BEGIN SELECT RAISE(ABORT, 'stays'); END;
      CREATE TRIGGER still BEFORE DELETE ON t WHEN OLD.x = 24 BEGIN SELECT RAISE(IGNORE); END;`
    const texts = [
      'INSERT INTO t (x, kind) VALUES (?1, ?2)',
      'INSERT INTO t (x, kind) VALUES (?1, ?2) RETURNING id, x, last_insert_rowid() AS last',
      'INSERT INTO t (x, kind) VALUES (?1, 1), (?2, 2)',
      'INSERT OR FAIL INTO t (x, kind) VALUES (?1 + 5, 1), (?2, ?2), (?1, 2)',
      'INSERT OR IGNORE INTO t (x, kind) VALUES (?1, ?2) RETURNING id',
      'INSERT OR REPLACE INTO t (x, kind) VALUES (?1, ?2) RETURNING id',
      'INSERT OR ROLLBACK INTO t (x, kind) VALUES (?1, ?2)',
      'INSERT INTO t (x, kind) VALUES (?1, ?2) ON CONFLICT (x) DO UPDATE SET kind = 3, x = x + 1 RETURNING *',
      'UPDATE t SET x = x + 1 WHERE id % 7 = ?2 AND x > ?1',
      'DELETE FROM t WHERE x > ?1 AND kind = ?2 RETURNING id',
      'DELETE FROM kind WHERE id = ?2 AND ?1 = 1',
      'REPLACE INTO kind VALUES (?2)',
      'WITH far (x) AS (SELECT max(x) FROM t) INSERT INTO trail SELECT x, ?1 || total(?2) FROM far',
      'UPDATE t SET absent = ?1 + ?2',
    ]
    const everything =
      'SELECT * FROM (SELECT 1, id, x, kind FROM t UNION ALL SELECT 2, rowid, x, what FROM trail UNION ALL SELECT 3, id, 0, 0 FROM kind UNION ALL SELECT 4, 0, name, seq FROM sqlite_sequence) ORDER BY 1, 2'
    const random = randomFrom(5)
    const grouped = new Bench(schema)
    const single = new Bench(schema)
    // Nobody switches the machine off.
    for (const bench of [grouped, single]) bench.apart([['PRAGMA synchronous = OFF']])
    let largest = 0
    const seen = new Set<string>()
    for (let round = 0; round < 150; round++) {
      const writes = Array.from({ length: 12 }, (): Write => [
        texts[Math.floor(random() * texts.length)] as string,
        Math.floor(random() * 32),
        Math.floor(random() * 5),
      ])
      const { replies, sizes } = grouped.together(writes)
      deepStrictEqual(replies, single.apart(writes), JSON.stringify(writes))
      deepStrictEqual(grouped.ask(everything), single.ask(everything), JSON.stringify(writes))
      largest = Math.max(largest, ...sizes)
      for (const reply of replies) seen.add(reply.replace(/[[{].*/, 'rows'))
    }
    ok(largest > 3, `the largest group had ${largest}`)
    ok(commitsOf(grouped.file) < commitsOf(single.file))
    for (const [reply] of [
      ['rows'],
      ['1811 no'],
      ['1811 not so'],
      ['1811 stays'],
      ['275 CHECK constraint failed: x < 30'],
      ['787 FOREIGN KEY constraint failed'],
      ['2067 UNIQUE constraint failed: t.x'],
      ['1 no such column: absent'],
    ]) {
      ok(seen.has(reply as string), `${reply} among ${[...seen].join('; ')}`)
    }
  })
})
