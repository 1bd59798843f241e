/** Methods and paths -> how the description spells them: encoded paths, and one name for each operation. Pure. */
import type { Operation } from './operation.ts'

/** The suffix of the batch form. */
export const batch = '/batch'

/**
 * As a client has to send it. Braces are encoded as well, so that no name is taken for a path parameter. Some systems
 * have file names that are not well-formed text.
 */
export function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => encodeURIComponent(segment.toWellFormed()))
    .join('/')
}

/** Of one file: the name of its operation and, for POST, that of its batch form. */
export interface OperationNames {
  readonly single: string
  readonly batch: string | undefined
}

/**
 * `get_crm_orders_list` for each operation: ASCII letters, digits and underscores, because that is what generators of
 * client code can use, and different even where casing does not count. First each takes the name that it would have
 * alone, files whose names need no change before others and before batch forms; later ones get a number. So a
 * new file with an odd name changes no name of a file without one.
 */
export function nameOperations(operations: readonly Operation[]): ReadonlyMap<Operation, OperationNames> {
  const sorted = operations.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  const inTurn = [...sorted.filter(isPlain), ...sorted.filter((operation) => !isPlain(operation))]
  const singles = inTurn.map((operation) => wantedName(operation, operation.path))
  const posts = inTurn.filter(({ method }) => method === 'POST')
  const names = makeUnique([...singles, ...posts.map((post) => wantedName(post, `${post.path}${batch}`))])
  const batchNames = new Map(posts.map((post, index) => [post, names[singles.length + index]]))
  return new Map(
    inTurn.map((operation, index) => {
      return [operation, { single: names[index] as string, batch: batchNames.get(operation) }]
    }),
  )
}

function sortKey({ path, method }: Operation): string {
  return `${path} ${method}`
}

/** Whether each segment is a part of a name as it is. */
function isPlain({ path }: Operation): boolean {
  return /^(?:\/\w+)+$/.test(path)
}

function wantedName({ method }: Operation, path: string): string {
  return `${method.toLowerCase()}${path.replaceAll('/', '_').replaceAll(/\W+/gu, spell)}`
}

/**
 * Accents are dropped; other letters and digits have no spelling except their numbers. All else is an underscore.
 */
function spell(odd: string): string {
  const letters = odd.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return letters
    .replaceAll(/[^\w\p{L}\p{N}]+/gu, '_')
    .replaceAll(/\W/gu, (letter) => `u${(letter.codePointAt(0) as number).toString(16)}`)
}

/** The first of those who want a name has it. */
function makeUnique(wanted: readonly string[]): string[] {
  const taken = new Set<string>()
  const take = (name: string): boolean => {
    const key = name.toLowerCase()
    if (taken.has(key)) return false
    taken.add(key)
    return true
  }
  const isFirst = wanted.map(take)
  return wanted.map((name, index) => {
    if (isFirst[index] === true) return name
    let count = 2
    while (!take(`${name}_${count}`)) count++
    return `${name}_${count}`
  })
}
