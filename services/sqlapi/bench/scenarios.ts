/** What is raced: for each scenario the requests with their right answers, who takes part and what is to be reached. */
import { hundredItems, insertedNote, oneItem } from './answers.ts'

export type ContenderName = 'sqlapi' | 'floor' | 'constant'

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly target: string
  readonly body?: string
  /** The right answer. */
  readonly expected: string
}

export interface Scenario {
  readonly name: string
  readonly title: string
  readonly connections: number
  readonly contenders: readonly [ContenderName, ContenderName]
  readonly requests: readonly Request[]
  /** Rows that each request adds to the table `note`. */
  readonly added?: number
  /** The least ratio of sqlapi to the other contender, and the words of the target. */
  readonly target?: { readonly ratio: number; readonly text: string }
}

const clients = 64
const ids = Array.from({ length: 1000 }, (_, index) => index * 10 + 7)

export const scenarios: readonly Scenario[] = [
  {
    name: 'one-get',
    title: 'one row by key, PostgreSQL, GET',
    connections: clients,
    contenders: ['sqlapi', 'floor'],
    requests: ids.map((id) => ({ method: 'GET', target: `/bench/one?id=${id}`, expected: oneItem(id) })),
    target: { ratio: 1.5, text: '>= 1.5 x the floor' },
  },
  {
    name: 'one-post',
    title: 'one row by key, PostgreSQL, POST',
    connections: clients,
    contenders: ['sqlapi', 'floor'],
    requests: ids.map((id) => ({
      method: 'POST',
      target: '/bench/one',
      body: JSON.stringify({ id }),
      expected: oneItem(id),
    })),
    target: { ratio: 1.5, text: '>= 1.5 x the floor' },
  },
  {
    name: 'hundred',
    title: '100 rows x 8 mixed columns, PostgreSQL',
    connections: clients,
    contenders: ['sqlapi', 'floor'],
    requests: ids.slice(0, 50).map((id) => {
      const after = id * 19
      return { method: 'GET', target: `/bench/hundred?after=${after}`, expected: hundredItems(after) }
    }),
    target: { ratio: 1.8, text: '>= 1.8 x the floor' },
  },
  {
    name: 'insert',
    title: 'insert of one row, PostgreSQL',
    connections: clients,
    contenders: ['sqlapi', 'floor'],
    requests: notes(64, 0).map(({ author_id, content }) => ({
      method: 'POST',
      target: '/bench/insert',
      body: JSON.stringify({ author_id, content }),
      expected: insertedNote(author_id, content),
    })),
    added: 1,
  },
  {
    name: 'batch',
    title: 'batch of 1000 inserts, PostgreSQL, 8 clients',
    connections: 8,
    contenders: ['sqlapi', 'floor'],
    requests: [0, 1, 2, 3].map((index) => {
      const queries = notes(1000, index * 1000)
      return {
        method: 'POST',
        target: '/bench/insert/batch',
        body: JSON.stringify({ queries }),
        expected: `[${queries.map(({ author_id, content }) => insertedNote(author_id, content)).join(',')}]`,
      }
    }),
    added: 1000,
  },
  {
    name: 'sqlite',
    title: 'one row by key, SQLite, GET',
    connections: clients,
    contenders: ['sqlapi', 'constant'],
    requests: ids.map((id) => ({ method: 'GET', target: `/lite/one?id=${id}`, expected: oneItem(id) })),
    target: { ratio: 20 / 90, text: '>= 20 000/s where the constant answer makes 90 000/s (0.22 x)' },
  },
  {
    name: 'constant',
    title: 'constant answer, no statement',
    connections: clients,
    contenders: ['sqlapi', 'constant'],
    requests: [{ method: 'GET', target: '/bench/nothing', expected: '[]' }],
  },
]

function notes(count: number, from: number) {
  return Array.from({ length: count }, (_, index) => ({
    author_id: from + index,
    content: `Märkus ${from + index}: called back, answered "yes"`,
  }))
}
