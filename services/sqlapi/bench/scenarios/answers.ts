/**
 * The right answers, from the formulas by which the data was made and not from any contender. sqlapi has to give them
 * to the byte; meaning.ts tells what others may spell differently.
 */
import { createHash } from 'node:crypto'

export type Note = Readonly<{ author_id: number; content: string }>

export const divisionFailure =
  '{"error":"BadSqlGrammarException","message":"division by zero (SQLSTATE 22012, statement at line 2)"}'
export const unknownFailure =
  '{"error":"SqlapiRuntimeException","message":"Saved query \'/bench/unknown\' does not exist"}'

export function oneItem(id: number): string {
  return `[{"id":${id},"title":${title(id)},"isActive":${id % 3 === 0},"createdAt":"${createdAt(id)}"}]`
}

export function oneTitle(id: number): string {
  return `[{"id":${id},"title":${title(id)}}]`
}

export function pageOfItems(after: number, rows: number): string {
  return `[${Array.from({ length: rows }, (_, index) => wholeItem(after + index + 1)).join(',')}]`
}

export function notes(count: number, from: number): Note[] {
  return Array.from({ length: count }, (_, index) => ({
    author_id: from + index,
    content: `Märkus ${from + index}: called back, answered "yes"`,
  }))
}

export function insertedNote({ author_id, content }: Note): string {
  return `[{"authorId":${author_id},"content":${JSON.stringify(content)}}]`
}

export function insertedNotes(inserted: readonly Note[]): string {
  return `[${inserted.map(insertedNote).join(',')}]`
}

/** Five each of text, integer, float and boolean: `t1` to `t5`, `i1`, `f1`, `b1` and so on. */
export function parametersOf(n: number): Record<string, unknown> {
  const of = (letter: string, value: (i: number) => unknown) => [1, 2, 3, 4, 5].map((i) => [`${letter}${i}`, value(i)])
  return Object.fromEntries([
    ...of('t', (i) => `väärtus ${n}/${i}`),
    ...of('i', (i) => n * 100 + i),
    ...of('f', (i) => n + i / 8),
    ...of('b', (i) => (n + i) % 2 === 0),
  ])
}

export function parameterAnswer(input: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([input])
}

/** About 100 KB as JSON. Its keys are in the order in which jsonb keeps them: the shorter first. */
export function documentOf(n: number): object {
  return {
    id: n,
    entries: Array.from({ length: 700 }, (_, index) => ({
      id: n * 1000 + index,
      note: index % 7 === 0 ? null : `Sissekanne ${index}: "õ" \\ ${'x'.repeat(40)}`,
      tags: ['a', index, true],
      score: index / 8,
    })),
  }
}

export function documentAnswer(document: object): string {
  return `[{"document":${jsonbText(document)}}]`
}

/** As PostgreSQL writes jsonb: a space behind each colon and each comma. */
function jsonbText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${jsonbText(member)}`)
  return `{${members.join(', ')}}`
}

/** Length in bytes and hash of the answer with a million rows, or with fewer. */
export function millionAnswer(rows: number): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  let bytes = 0
  const rowsAtATime = 10_000
  for (let from = 0; from < rows; from += rowsAtATime) {
    const some = Array.from({ length: Math.min(rowsAtATime, rows - from) }, (_, index) => plainItem(from + index + 1))
    const text = `${from === 0 ? '[' : ','}${some.join(',')}${from + rowsAtATime >= rows ? ']' : ''}`
    bytes += Buffer.byteLength(text)
    hash.update(text)
  }
  return { bytes, sha256: hash.digest('hex') }
}

function plainItem(id: number): string {
  return `{"id":${id},"title":${title(id)},"isActive":${id % 3 === 0},"score":${id / 8}}`
}

function wholeItem(id: number): string {
  return `{${[
    `"id":${id}`,
    `"ownerId":${9_007_199_254_740_993n + BigInt(id)}`,
    `"title":${title(id)}`,
    `"isActive":${id % 3 === 0}`,
    `"createdAt":"${createdAt(id)}"`,
    `"unitPrice":${id % 10 === 0 ? 'null' : `"${id}.50"`}`,
    `"score":${id / 8}`,
    `"details":{"note": null, "tags": ["a", ${id}]}`,
  ].join(',')}}`
}

function title(id: number): string {
  return JSON.stringify(`Item "${id}" õunapuu`)
}

function createdAt(id: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, id)).toISOString().replace('.000Z', 'Z')
}
