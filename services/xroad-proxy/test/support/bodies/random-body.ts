/**
 * A JSON Schema of a request -> random bodies that fit it, the same for the same seed: required and other properties,
 * what depends on what, alternatives, lists, facets, patterns and formats, edges of ranges more often than their
 * middle.
 */
import { randomFrom } from '@services/testing'
import fc from 'fast-check'

export type JsonSchema = Readonly<Record<string, unknown>>

/** By expression: what draws texts. Made once, for it takes longer to make than hundreds of texts to draw. */
const shortTexts = new Map<string, fc.Arbitrary<string>>()

export class RandomBodies {
  readonly #unit: () => number
  /** By expression: texts that were drawn and not given yet. */
  readonly #samples = new Map<string, string[]>()

  constructor(seed: number) {
    this.#unit = randomFrom(seed)
  }

  next(schema: JsonSchema): unknown {
    const alternatives = (schema['oneOf'] ?? schema['anyOf']) as readonly JsonSchema[] | undefined
    if (alternatives !== undefined && schema['properties'] === undefined) return this.next(this.#pick(alternatives))
    if (Array.isArray(schema['enum'])) return this.#pick(schema['enum'] as unknown[])
    const { type } = schema
    const types: readonly unknown[] = Array.isArray(type) ? type : [type]
    const chosen = types.at(this.#isChance(0.15) ? -1 : 0)
    switch (chosen) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#array(schema)
      case 'string':
        return this.#string(schema)
      case 'integer':
      case 'number':
        return this.#number(schema, chosen === 'integer')
      case 'boolean':
        return this.#isChance(0.5)
      case 'null':
        return null
      default:
        return this.#text(0, 12)
    }
  }

  #object(schema: JsonSchema): Record<string, unknown> {
    const { properties = {}, required = [], dependentRequired = {} } = schema
    const dependencies = dependentRequired as Record<string, string[]>
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const { needed, ruledOut, narrowed } = this.#choices(schema)
      const given = closure([...(required as string[]), ...needed], dependencies)
      for (const name of Object.keys(properties as object)) {
        const all = this.#isChance(0.4) ? closure([name], dependencies) : []
        if (![...all].some((param) => ruledOut.has(param))) for (const param of all) given.add(param)
      }
      if ([...given].some((name) => ruledOut.has(name))) continue
      const schemas = properties as Record<string, JsonSchema>
      return Object.fromEntries(
        Array.from(given, (name) => [name, this.next({ ...schemas[name], ...narrowed.get(name) })]),
      )
    }
    throw new Error(`no way through the choices of ${JSON.stringify(schema)}`)
  }

  /** An alternative of each choice, of those that agree with the ones before. */
  #choices({ oneOf, allOf = [], required = [] }: JsonSchema): Chosen {
    const needed = new Set(required as string[])
    const ruledOut = new Set<string>()
    const narrowed = new Map<string, JsonSchema>()
    for (const choice of [oneOf, ...(allOf as readonly JsonSchema[]).map((part) => part['oneOf'])]) {
      const agreeing = ((choice ?? []) as readonly JsonSchema[]).flatMap(branches).filter(({ wants, refuses }) => {
        return !wants.some((name) => ruledOut.has(name)) && !refuses.some((name) => needed.has(name))
      })
      if (agreeing.length === 0) continue
      const { wants, refuses, narrows } = this.#pick(agreeing)
      for (const name of wants) needed.add(name)
      for (const name of refuses) ruledOut.add(name)
      for (const [name, schema] of narrows) narrowed.set(name, schema)
    }
    return { needed, ruledOut, narrowed }
  }

  #array({ items = {}, minItems = 0, maxItems = Infinity }: JsonSchema): unknown[] {
    const length = Math.min(Number(maxItems), Number(minItems) + this.#below(3))
    return Array.from({ length }, () => this.next(items as JsonSchema))
  }

  #string({ format, pattern, contentEncoding, minLength = 0, maxLength = Infinity }: JsonSchema): string {
    if (contentEncoding === 'base64' && pattern === undefined) return btoa('x'.repeat(this.#below(8)))
    const [least, most] = [Number(minLength), Number(maxLength)]
    if (typeof pattern === 'string') return this.#matching(pattern, least, most)
    const formatted = typeof format === 'string' ? this.#formatted(format) : undefined
    return formatted ?? this.#text(least, Math.min(most, least + 12))
  }

  #formatted(format: string): string | undefined {
    const digits = (from: number, to: number) => String(from + this.#below(to - from + 1)).padStart(2, '0')
    const date = () => `${digits(1900, 2099)}-${digits(1, 12)}-${digits(1, 28)}`
    const zone = () => this.#pick(['Z', '+02:00', '-11:30'])
    const time = () => `${digits(0, 23)}:${digits(0, 59)}:${digits(0, 59)}${this.#pick(['', '.5', '.123456'])}${zone()}`
    switch (format) {
      case 'date':
        return date()
      case 'date-time':
        return `${date()}T${time()}`
      case 'time':
        return time()
      case 'duration':
        return this.#pick(['P1D', 'PT5M', 'P1Y2M3DT4H5M6S', 'PT0S'])
      case 'uri-reference':
        return this.#pick(['http://example.org/a?b=c&d', 'a/b', '#c', 'urn:a:b'])
      default:
        return undefined
    }
  }

  /** What fast-check does not know of expressions is said more simply, and narrower. */
  #matching(pattern: string, least: number, most: number): string {
    const simple = pattern
      .replaceAll(/\(\?=.*?\$\)/g, '')
      .replaceAll(String.raw`\p{L}\p{M}\p{N}\p{S}`, 'a-zäõA-Z0-9')
      .replaceAll(String.raw`\p{L}`, 'a-zA-Z')
      .replaceAll(String.raw`\p{Lu}`, 'A-Z')
      .replaceAll(String.raw`\p{N}`, '0-9')
    // Only where a part was taken out above: some expressions of WSDL files take hours for a text that does not match.
    const whole = simple === pattern || !pattern.includes('(?=') ? undefined : new RegExp(pattern, 'u')
    const fits = (text: string): boolean =>
      whole?.test(text) !== false && isBetween(Array.from(text).length, least, most) && isXml(text)
    const expression = new RegExp(simple, 'u')
    const found =
      this.#take(simple, (text) => text.length <= maxSample && fits(text)) ??
      ['a', '1'].map((letter) => letter.repeat(least)).find((text) => expression.test(text) && fits(text)) ??
      this.#draw(simple).find(fits)
    if (found === undefined) throw new Error(`no text of ${least} to ${most} characters for ${pattern}`)
    return found
  }

  /** One that nobody was given before. Drawing is dear, and hardly dearer for hundreds than for one. */
  #take(expression: string, isWanted: (text: string) => boolean): string | undefined {
    const left = this.#samples.get(expression) ?? []
    for (let text = left.pop(); text !== undefined; text = left.pop()) if (isWanted(text)) return text
    const drawn = this.#draw(expression)
    this.#samples.set(expression, drawn)
    for (let text = drawn.pop(); text !== undefined; text = drawn.pop()) if (isWanted(text)) return text
    return undefined
  }

  /** Short ones: a validator may take hours for a long text and a pattern with repetitions in repetitions. */
  #draw(expression: string): string[] {
    const short = shortTexts.get(expression) ?? fc.stringMatching(new RegExp(expression, 'u'), { size: 'xsmall' })
    shortTexts.set(expression, short)
    return fc.sample(short, { numRuns: 200, seed: this.#below(2 ** 30) })
  }

  #text(least: number, most: number): string {
    const length = least + this.#below(most - least + 1)
    const characters = ['a', 'B', '7', 'õ', ' ', '<', '&', '"', "'", '>', '{', '=', '\u20ac', '\u{1f600}', '-', '.']
    return Array.from({ length }, () => this.#pick(characters)).join('')
  }

  #number(schema: JsonSchema, isInteger: boolean): number {
    const bound = (keyword: string, exclusive: string, step: number, otherwise: number): number =>
      Number(schema[keyword] ?? (schema[exclusive] === undefined ? otherwise : Number(schema[exclusive]) + step))
    const step = isInteger ? 1 : Number(schema['multipleOf'] ?? 0.001)
    let least = bound('minimum', 'exclusiveMinimum', step, -1e6)
    let most = bound('maximum', 'exclusiveMaximum', -step, 1e6)
    if (schema['exclusiveMinimum'] !== undefined) least = Math.max(least, Number(schema['exclusiveMinimum']) + step)
    if (schema['exclusiveMaximum'] !== undefined) most = Math.min(most, Number(schema['exclusiveMaximum']) - step)
    const value = this.#pick([least, most, least + this.#unit() * (most - least), Math.max(least, Math.min(most, 0))])
    const rounded = isInteger ? Math.round(value) : Number((Math.round(value / step) * step).toFixed(decimalsOf(step)))
    return Math.max(least, Math.min(most, rounded))
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item
  }

  #isChance(chance: number): boolean {
    return this.#unit() < chance
  }

  #below(count: number): number {
    return Math.floor(this.#unit() * count)
  }
}

interface Chosen {
  readonly needed: ReadonlySet<string>
  readonly ruledOut: ReadonlySet<string>
  readonly narrowed: ReadonlyMap<string, JsonSchema>
}

/** An alternative that wants one of several params is one for each of them. */
function branches({ required = [], properties = {}, anyOf }: JsonSchema) {
  const said = Object.entries(properties as Record<string, JsonSchema | false>)
  const isRefused = ([, schema]: (typeof said)[number]): boolean => schema === false || schema['maxItems'] === 0
  const refuses = said.filter(isRefused).map(([name]) => name)
  const narrows = said.filter((entry) => !isRefused(entry)) as [string, JsonSchema][]
  if (anyOf === undefined) return [{ wants: required as string[], refuses, narrows }]
  return (anyOf as readonly JsonSchema[]).map((one) => {
    const own = Object.entries((one['properties'] ?? {}) as Record<string, JsonSchema>)
    return { wants: one['required'] as string[], refuses, narrows: [...narrows, ...own] }
  })
}

function closure(names: Iterable<string>, dependencies: Readonly<Record<string, readonly string[]>>): Set<string> {
  const all = new Set(names)
  for (const name of all)
    for (const needed of (Object.hasOwn(dependencies, name) ? dependencies[name] : undefined) ?? []) all.add(needed)
  return all
}

const maxSample = 60
const maxAttempts = 100

function isBetween(length: number, least: number, most: number): boolean {
  return length >= least && length <= most
}

function decimalsOf(step: number): number {
  return Math.max(0, Math.round(-Math.log10(step)))
}

// oxlint-disable-next-line no-control-regex -- exactly these
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

function isXml(text: string): boolean {
  return text.isWellFormed() && !forbidden.test(text)
}
