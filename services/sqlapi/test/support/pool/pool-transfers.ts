/**
 * Transfers between five accounts, some of which must fail, with readers who look at the total meanwhile: whatever is
 * lost, done twice or half shows in a sum.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { type Reply, call, errorOf, randomFrom } from '@services/testing'

export const transfers = {
  'POST/setup.sql': `CREATE TABLE accounts (id integer PRIMARY KEY, balance integer NOT NULL CHECK (balance >= 0));
    INSERT INTO accounts VALUES (1, 100), (2, 100), (3, 100), (4, 100), (5, 100)`,
  'POST/transfer.sql': `-- @transactional
    UPDATE accounts SET balance = balance + :amount WHERE id = :to;
    UPDATE accounts SET balance = balance - :amount WHERE id = :from;
    SELECT count(*) AS n FROM accounts`,
  'GET/total.sql': 'SELECT cast(sum(balance) AS integer) AS total, count(*) AS n FROM accounts',
}

/** Transfers of which some must fail, batches of them, and readers who look at the total meanwhile. */
export async function transferAtRandom(port: number, project: string, seed: number): Promise<void> {
  const next = randomFrom(seed)
  await call(port, `/${project}/setup`, { body: {} })
  const outcomes = new Map<string, number>()
  const note = (answer: Reply): void => {
    const outcome = answer.status === 200 ? 'done' : errorOf(answer)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  const transfer = () => ({
    from: 1 + Math.floor(next() * 5),
    to: 1 + Math.floor(next() * 5),
    amount: Math.floor(next() * 60),
  })
  const write = async (): Promise<void> => {
    for (let i = 0; i < 15; i++) {
      const isBatch = next() < 0.3
      const body = isBatch ? { queries: [transfer(), transfer()] } : transfer()
      note(await call(port, `/${project}/transfer${isBatch ? '/batch' : ''}`, { body }))
    }
  }
  const state = { going: true }
  let looks = 0
  const read = async (): Promise<void> => {
    for (; state.going; looks++) strictEqual((await call(port, `/${project}/total`)).text, '[{"total":500,"n":5}]')
  }
  const readers = [read(), read(), read()]
  await Promise.all(Array.from({ length: 10 }, write))
  state.going = false
  await Promise.all(readers)
  const known = new Set(['done', 'BadSqlGrammarException'])
  deepStrictEqual(
    [...outcomes.keys()].filter((outcome) => !known.has(outcome)),
    [],
  )
  ok(
    (outcomes.get('done') ?? 0) > 20 && (outcomes.get('BadSqlGrammarException') ?? 0) > 0,
    JSON.stringify([...outcomes]),
  )
  ok(looks > 10)
  strictEqual((await call(port, `/${project}/total`)).text, '[{"total":500,"n":5}]')
}

export function inProject(project: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${project}/${path}`, text]))
}
