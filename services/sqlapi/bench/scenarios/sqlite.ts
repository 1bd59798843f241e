/** Scenarios on SQLite. */
import { insertedNote, notes } from './answers.ts'
import { oneRow } from './postgres.ts'
import type { Request, Scenario } from './scenario.ts'

const writeEvery = 10

export const sqliteScenarios: readonly Scenario[] = [
  {
    name: 'sqlite',
    title: 'SQLite: one row by key, GET',
    project: 'lite',
    connections: 64,
    requests: oneRow('GET', 'lite'),
    contenders: ['sqlapi', 'floor', 'toolbox', 'fastify', 'constant'],
    reference: 'floor',
    merit: 'requests/s',
  },
  {
    name: 'sqlite-mix',
    title: 'SQLite: 9 reads to 1 insert',
    project: 'lite',
    connections: 64,
    requests: mix(),
    contenders: ['sqlapi', 'floor', 'toolbox'],
    reference: 'floor',
    merit: 'requests/s',
  },
]

function mix(): Request[] {
  const reads = oneRow('GET', 'lite')
  const inserts = notes(reads.length / writeEvery, 0)
  return reads.map((read, index): Request => {
    if (index % writeEvery !== 0) return read
    const note = inserts[index / writeEvery]!
    return { method: 'POST', path: '/lite/insert', input: note, expected: insertedNote(note), added: 1 }
  })
}
