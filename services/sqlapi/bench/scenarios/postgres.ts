/** Scenarios of calls that are alike, on PostgreSQL. */
import {
  divisionFailure,
  documentAnswer,
  documentOf,
  insertedNote,
  insertedNotes,
  notes,
  oneItem,
  pageOfItems,
  parameterAnswer,
  parametersOf,
  unknownFailure,
} from './answers.ts'
import type { Request, Scenario } from './scenario.ts'

const clients = 64
export const keys = Array.from({ length: 1000 }, (_, index) => index * 10 + 7)

const alike = { project: 'bench', connections: clients, reference: 'floor', merit: 'requests/s' } as const

export function oneRow(method: Request['method'], project: Scenario['project']): Request[] {
  return keys.map((id) => ({ method, path: `/${project}/one`, input: { id }, expected: oneItem(id) }))
}

export const postgresScenarios: readonly Scenario[] = [
  {
    ...alike,
    name: 'one-get',
    title: 'one row by key, GET',
    contenders: ['sqlapi', 'floor', 'rust-10', 'rust-3', 'rust-1', 'go', 'toolbox', 'pgbench'],
    requests: oneRow('GET', 'bench'),
  },
  {
    ...alike,
    name: 'one-post',
    title: 'one row by key, POST',
    contenders: ['sqlapi', 'floor', 'toolbox'],
    requests: oneRow('POST', 'bench'),
  },
  {
    ...alike,
    name: 'hundred',
    title: '100 rows x 8 mixed columns',
    contenders: ['sqlapi', 'floor', 'rust-10', 'rust-3', 'rust-1', 'go', 'toolbox'],
    requests: pages('/bench/hundred', 100, 50),
  },
  {
    ...alike,
    name: 'thousand',
    title: '1000 rows x 8 mixed columns',
    contenders: ['sqlapi', 'floor', 'rust-10', 'go', 'toolbox'],
    requests: pages('/bench/thousand', 1000, 10),
  },
  {
    ...alike,
    name: 'insert',
    title: 'insert of one row',
    contenders: ['sqlapi', 'floor', 'toolbox'],
    requests: notes(clients, 0).map((note) => ({
      method: 'POST',
      path: '/bench/insert',
      input: note,
      expected: insertedNote(note),
      added: 1,
    })),
  },
  {
    ...alike,
    name: 'batch-100',
    title: 'batch of 100 inserts, 8 callers',
    connections: 8,
    contenders: ['sqlapi', 'floor'],
    requests: batches(100, 8),
  },
  {
    ...alike,
    name: 'batch-10000',
    title: 'batch of 10 000 inserts, 1 caller',
    connections: 1,
    contenders: ['sqlapi', 'floor'],
    requests: batches(10_000, 1),
  },
  {
    ...alike,
    name: 'parameters',
    title: '20 parameters',
    contenders: ['sqlapi', 'floor', 'toolbox'],
    requests: keys.slice(0, 50).map((n) => {
      const input = parametersOf(n)
      return { method: 'POST', path: '/bench/parameters', input, expected: parameterAnswer(input) }
    }),
  },
  {
    ...alike,
    name: 'document',
    title: '100 KB of jsonb there and back',
    contenders: ['sqlapi', 'floor', 'toolbox'],
    requests: [1, 2, 3, 4].map((n) => {
      const document = documentOf(n)
      return { method: 'POST', path: '/bench/document', input: { document }, expected: documentAnswer(document) }
    }),
  },
  {
    ...alike,
    name: 'failure',
    title: 'a statement that fails',
    contenders: ['sqlapi', 'floor', 'toolbox'],
    requests: [
      {
        method: 'POST',
        path: '/bench/divide',
        input: { divisor: 0 },
        expected: divisionFailure,
        refusal: /division by zero/,
      },
    ],
  },
  {
    ...alike,
    name: 'unknown',
    title: 'an unknown URL',
    contenders: ['sqlapi', 'floor', 'toolbox'],
    requests: [
      { method: 'GET', path: '/bench/unknown', input: {}, expected: unknownFailure, refusal: /does not exist/ },
    ],
  },
  {
    ...alike,
    name: 'constant',
    title: 'constant answer, no statement',
    contenders: ['sqlapi', 'constant', 'fastify'],
    reference: 'constant',
    requests: [{ method: 'GET', path: '/bench/nothing', input: {}, expected: '[]' }],
  },
]

function pages(path: string, rows: number, count: number): Request[] {
  return keys.slice(0, count).map((id) => {
    const after = id * 17
    return { method: 'GET', path, input: { after }, expected: pageOfItems(after, rows) }
  })
}

function batches(sets: number, count: number): Request[] {
  return Array.from({ length: count }, (_, index) => {
    const queries = notes(sets, index * sets)
    return {
      method: 'POST',
      path: '/bench/insert/batch',
      input: { queries },
      expected: insertedNotes(queries),
      added: sets,
    }
  })
}
