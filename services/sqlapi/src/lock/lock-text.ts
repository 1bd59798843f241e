/**
 * A lock as text, and back. Fit for review in a diff: endpoints and dialects are sorted, an item has a line, and
 * nothing is there that is another one the next time. Pure.
 */
import type { DatabaseType, DescribedColumn, DescribedParameter } from '../description.ts'
import { dialectNames } from '../dialects.ts'
import type { Dialect } from '../model.ts'
import type { Kind } from '../sql/kind.ts'
import { type Lock, type LockEntry, lockVersion } from './lock.ts'

const dialects: readonly Dialect[] = dialectNames.toSorted()
const kinds: readonly Kind[] = ['read', 'write', 'definition']

/** What replaces a type, nullability or keys that nobody knows. */
const unknown = 'unknown'

export function writeLock(lock: Lock): string {
  const endpoints = Array.from(lock)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entries]) => `    ${JSON.stringify(name)}: {\n${writeEntries(entries)}\n    }`)
  const all = endpoints.length === 0 ? '{}' : `{\n${endpoints.join(',\n')}\n  }`
  return `{\n  "version": ${lockVersion},\n  "endpoints": ${all}\n}\n`
}

function writeEntries(entries: Readonly<Partial<Record<Dialect, LockEntry>>>): string {
  return dialects
    .flatMap((dialect) => {
      const entry = entries[dialect]
      return entry === undefined ? [] : [`      ${JSON.stringify(dialect)}: {\n${writeEntry(entry)}\n      }`]
    })
    .join(',\n')
}

function writeEntry({ sha256, kind, parameters, keys }: LockEntry): string {
  return [
    `"sha256": ${JSON.stringify(sha256)}`,
    `"kind": ${JSON.stringify(kind)}`,
    `"parameters": ${writeList(parameters.map(writeParameter))}`,
    `"keys": ${keys === undefined ? JSON.stringify(unknown) : writeList(keys.map(writeKey))}`,
  ]
    .map((line) => `        ${line}`)
    .join(',\n')
}

function writeList(items: readonly object[]): string {
  if (items.length === 0) return '[]'
  return `[\n${items.map((item) => `          ${toSpacedJson(item)}`).join(',\n')}\n        ]`
}

function toSpacedJson(item: object): string {
  const fields = Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}: ${toSpacedValue(value)}`)
  return `{ ${fields.join(', ')} }`
}

function toSpacedValue(value: unknown): string {
  return Array.isArray(value) ? `[${value.map((each) => JSON.stringify(each)).join(', ')}]` : JSON.stringify(value)
}

function writeParameter({ name, type, isList }: DescribedParameter): object {
  return { name, ...writeType(type), ...(isList && { list: true }) }
}

function writeKey({ key, column, type, nullable }: DescribedColumn): object {
  return { key, column, ...writeType(type), nullable: nullable ?? unknown }
}

function writeType(type: DatabaseType | undefined): object {
  if (type === undefined) return { type: unknown }
  const { name, base, labels, isExact } = type
  return {
    type: name,
    ...(base !== undefined && { base }),
    ...(labels !== undefined && { labels }),
    ...(isExact === true && { exact: true }),
  }
}

/** The text is not a lock, or one that was written by a newer sqlapi. */
export class LockTextError extends Error {
  readonly isNewer: boolean

  constructor(message: string, { isNewer = false }: { readonly isNewer?: boolean } = {}) {
    super(message)
    this.isNewer = isNewer
  }
}

/** Throws a `LockTextError`. */
export function readLock(text: string): Lock {
  const { version, endpoints } = asObject(parse(text), 'the file')
  if (typeof version !== 'number') throw new LockTextError('it has no version')
  if (version > lockVersion) {
    const message = `it has version ${version}, and this sqlapi knows up to ${lockVersion}`
    throw new LockTextError(message, { isNewer: true })
  }
  return new Map(
    Object.entries(asObject(endpoints, 'endpoints')).map(([name, entries]) => [name, readEntries(entries, name)]),
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new LockTextError('it is not complete JSON')
  }
}

function readEntries(value: unknown, name: string): Partial<Record<Dialect, LockEntry>> {
  const read: Partial<Record<Dialect, LockEntry>> = {}
  for (const [dialect, entry] of Object.entries(asObject(value, name))) {
    read[asOneOf(dialect, dialects, name)] = readEntry(entry, `${name}, ${dialect}`)
  }
  return read
}

function readEntry(value: unknown, at: string): LockEntry {
  const { sha256, kind, parameters, keys } = asObject(value, at)
  return {
    sha256: asText(sha256, at),
    kind: asOneOf(kind, kinds, at),
    parameters: asList(parameters, at).map((item) => readParameter(asObject(item, at), at)),
    keys: keys === unknown ? undefined : asList(keys, at).map((item) => readKey(asObject(item, at), at)),
  }
}

function readParameter(item: Fields, at: string): DescribedParameter {
  return { name: asText(item['name'], at), type: readType(item, at), isList: item['list'] === true }
}

function readKey(item: Fields, at: string): DescribedColumn {
  return {
    key: asText(item['key'], at),
    column: asText(item['column'], at),
    type: readType(item, at),
    nullable: item['nullable'] === false ? false : undefined,
  }
}

function readType({ type, base, labels, exact }: Fields, at: string): DatabaseType | undefined {
  const name = asText(type, at)
  if (name === unknown) return undefined
  return {
    name,
    ...(base !== undefined && { base: asText(base, at) }),
    ...(labels !== undefined && { labels: asList(labels, at).map((label) => asText(label, at)) }),
    ...(exact === true && { isExact: true }),
  }
}

type Fields = Readonly<Record<string, unknown>>

function asObject(value: unknown, at: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  throw new LockTextError(`${at} is not an object`)
}

function asList(value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new LockTextError(`a list of ${at} is missing`)
}

function asText(value: unknown, at: string): string {
  if (typeof value === 'string') return value
  throw new LockTextError(`a text of ${at} is missing`)
}

function asOneOf<T extends string>(value: unknown, choices: readonly T[], at: string): T {
  const found = choices.find((choice) => choice === value)
  if (found !== undefined) return found
  throw new LockTextError(`${JSON.stringify(value)} in ${at} is not one of ${choices.join(', ')}`)
}
