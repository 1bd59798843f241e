/** An example of a request and its JSON Schema -> the body with only what has to be there. */

/** Of an example what its schema requires; of a choice that needs a branch, the first. */
export function leastOf(example: unknown, schema: unknown): unknown {
  const { properties = {}, required = [], items, allOf = [], ...rest } = (schema ?? {}) as Schema
  if (Array.isArray(example)) return example.map((item) => leastOf(item, items))
  if (typeof example !== 'object' || example === null) return example
  const values = example as Readonly<Record<string, unknown>>
  const given = new Set(required)
  const chosen = [rest, ...allOf].flatMap(({ oneOf }) => (oneOf === undefined ? [] : [leastBranch(oneOf, given)]))
  for (const name of chosen.flat()) given.add(name)
  return Object.fromEntries(Array.from(given, (name) => [name, leastOf(values[name], properties[name])]))
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly items?: unknown
  readonly oneOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

function leastBranch(branches: readonly Schema[], given: ReadonlySet<string>): readonly string[] {
  const none = branches.find(({ required, anyOf }) => required === undefined && anyOf === undefined)
  if (none !== undefined && !Object.keys(none.properties ?? {}).some((name) => given.has(name))) return []
  const { required = [], anyOf: [first] = [] } = branches[0] ?? {}
  return first?.required ?? required
}
