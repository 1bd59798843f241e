/**
 * Fields that cannot change while a service runs: the values of before take their places in the new configuration, and
 * what differs is reported. Pure. Which fields these are is the service's to say.
 */

export interface KeptField {
  /** As the file spells it: `server.bind`. */
  readonly field: string
  /** Where the new value is: `sqlapi.yaml:3`, a variable, or `default`. */
  readonly origin: string
  readonly configured: string
  /** The value that stays. */
  readonly runs: string
  readonly cure: string
}

type Group = Readonly<Record<string, unknown>>

/** A configuration, before and after. */
export interface ConfigChange<Config> {
  readonly before: Config
  readonly after: Config
  /** Of `after`. */
  readonly origins: Readonly<Record<string, string>>
}

/** `fields` in the spelling of the file. None of the values may be a secret: they are shown. */
export function keepFields<Config extends object>(
  fields: readonly string[],
  { before, after, origins }: ConfigChange<Config>,
): { readonly config: Config; readonly kept: readonly KeptField[] } {
  let config = after as Group
  const kept: KeptField[] = []
  for (const field of fields) {
    const path = field.split('.').map(toCamelCase)
    const configured = shown(valueAt(after as Group, path))
    const runs = shown(valueAt(before as Group, path))
    if (configured === runs) continue
    config = put(config, before as Group, path)
    kept.push({ field, origin: origins[field] ?? 'default', configured, runs, cure: 'restart the service to apply it' })
  }
  return { config: config as Config, kept }
}

function valueAt(group: Group | undefined, [step = '', ...rest]: readonly string[]): unknown {
  const value = group?.[step]
  return rest.length === 0 ? value : valueAt(value as Group | undefined, rest)
}

/** A group that one of the two lacks is kept as a whole. */
function put(config: Group, before: Group, [step = '', ...rest]: readonly string[]): Group {
  const [value, old] = [config[step], before[step]]
  const next = rest.length === 0 || !isGroup(value) || !isGroup(old) ? old : put(value, old, rest)
  const { [step]: _, ...others } = config
  return Object.freeze(next === undefined ? others : { ...others, [step]: next })
}

function isGroup(value: unknown): value is Group {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** An address as it is written. */
function shown(value: unknown): string {
  if (value === undefined) return 'none'
  if (typeof value === 'string') return value
  if (isGroup(value) && typeof value['host'] === 'string' && typeof value['port'] === 'number') {
    const { host, port } = value
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  }
  return JSON.stringify(value)
}
