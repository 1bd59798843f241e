/**
 * The right answers, from the formulas by which the data was made and not from any contender. sqlapi has to give them to
 * the byte; another contender may spell numbers and times differently and has to give the same values.
 */
import { createHash } from 'node:crypto'

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function oneItem(id: number): string {
  return `[{"id":${id},"title":${title(id)},"isActive":${id % 3 === 0},"createdAt":"${createdAt(id)}"}]`
}

export function hundredItems(after: number): string {
  return `[${Array.from({ length: 100 }, (_, index) => wholeItem(after + index + 1)).join(',')}]`
}

export function insertedNote(authorId: number, content: string): string {
  return `[{"authorId":${authorId},"content":${JSON.stringify(content)}}]`
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

/** Whether two bodies mean the same: 64-bit integers as numbers or strings, times with or without milliseconds. */
export function isSameMeaning(one: string, other: string): boolean {
  return normalised(one) === normalised(other)
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown

function normalised(body: string): string {
  const reviver: Reviver = (_key, value, { source }) => {
    if (typeof value === 'number') return source
    const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
    return isTime ? new Date(value).toISOString() : value
  }
  return JSON.stringify(JSON.parse(body, reviver as (key: string, value: unknown) => unknown))
}
