/** An endpoint as it is, and as the lock has it -> in what they differ, in words. Pure. */
import type { DatabaseType } from '../description.ts'
import type { EndpointTypes } from '../endpoint-types/endpoint-types.ts'
import { type LockEntry, lockFileName } from './lock.ts'

/** Which entry a file should have. */
export function missingEntry(name: string, dialect: string): string {
  return `${lockFileName} has no entry for ${name} (${dialect})`
}

/** With `now` where a database has said all that it can say. */
export function differencesOf(entry: LockEntry, sha256: string, now: LockEntry | undefined): string[] {
  if (entry.sha256 !== sha256) return [`the text is not the one for which ${lockFileName} was written`]
  if (now === undefined) return []
  const kind = entry.kind === now.kind ? [] : [differs('the kind', now.kind, entry.kind)]
  return [...kind, ...parameterDifferences(entry, now), ...keyDifferences(entry, now)]
}

function parameterDifferences(before: EndpointTypes, now: EndpointTypes): string[] {
  return now.parameters.flatMap(({ name, type }) => {
    const known = before.parameters.find((parameter) => parameter.name === name)
    return typeDifferences(`parameter '${name}'`, type, known?.type)
  })
}

function keyDifferences(before: EndpointTypes, now: EndpointTypes): string[] {
  const names = [before, now].map(({ keys }) => keys?.map(({ key }) => key).join(', ') || 'none')
  if (names[0] !== names[1] || before.keys === undefined || now.keys === undefined) {
    const [was, are] = [before, now].map(({ keys }, index) => (keys === undefined ? unknown : names[index]))
    return was === are ? [] : [`the keys are ${are}, in ${lockFileName} ${was}`]
  }
  return now.keys.flatMap(({ key, column, type, nullable }, index) => {
    const known = before.keys?.[index]
    const what = `key '${key}'`
    return [
      ...typeDifferences(what, type, known?.type),
      ...(column === known?.column ? [] : [differs(`the column of ${what}`, column, known?.column ?? '')]),
      ...(nullable === known?.nullable
        ? []
        : [nullable === false ? `${what} is never null now` : `${what} may be null now`]),
    ]
  })
}

const unknown = 'unknown'

function typeDifferences(what: string, now: DatabaseType | undefined, before: DatabaseType | undefined): string[] {
  if (now?.name !== before?.name) return [differs(what, now?.name ?? unknown, before?.name ?? unknown)]
  if (now?.base !== before?.base) {
    return [differs(`${what} is ${now?.name}, and that`, now?.base ?? unknown, before?.base ?? unknown)]
  }
  // A lock of an earlier version says of no type that it is exact.
  if (before?.isExact === true && now?.isExact !== true)
    return [`${what} may have values of other types than ${now?.name} now`]
  const [labels, known] = [now, before].map((type) => type?.labels?.join(', ') ?? 'none')
  return labels === known ? [] : [`the labels of ${what} are ${labels}, in ${lockFileName} ${known}`]
}

function differs(what: string, now: string, before: string): string {
  return `${what} is ${now}, in ${lockFileName} ${before}`
}
