/**
 * base64Binary and hexBinary with bounds of their length -> the JSON Schema of texts that keep them, and an example.
 * XML Schema counts bytes and JSON Schema characters: four characters of base64 are one to three bytes, by the equals
 * signs at the end. Where JSON Schema cannot say a range of bytes, it says less of it.
 */
import type { SimpleType } from '../schema/simple-type.ts'
import type { JsonSchema } from './value-schema.ts'

export function isByteText({ builtin }: SimpleType): boolean {
  return builtin === 'base64Binary' || builtin === 'hexBinary'
}

export function describeBytes({ builtin, facets }: SimpleType): JsonSchema {
  const { least, most } = boundsOf(facets)
  if (builtin === 'hexBinary') return { ...lengths(2 * least, 2 * most), pattern: '^(?:(?:[0-9A-Fa-f]{2})*)$' }
  if (least === 0 && most === Infinity) return { pattern: `^(?:(?:${group})*(?:${ends.join('|')})?)$` }
  // Text of `enough` characters has enough bytes whatever its end is; text of `neverTooMany` never has too many.
  const enough = least === 0 ? 0 : 4 * Math.ceil((least + 2) / 3)
  const neverTooMany = 4 * Math.floor(most / 3)
  if (enough <= neverTooMany) {
    return { ...lengths(enough, neverTooMany), pattern: between(enough / 4, neverTooMany / 4) }
  }
  const end = ends[(most % 3) - 1] ?? ''
  const groups = Math.floor(most / 3)
  const count = 4 * Math.ceil(most / 3)
  return { ...lengths(count, count), pattern: `^(?:${repeat(groups, groups)}${end})$` }
}

/** Whole groups of bytes, if there may be some. */
export function exampleBytes({ builtin, facets }: SimpleType): string {
  const { least, most } = boundsOf(facets)
  if (builtin === 'hexBinary') return '00'.repeat(Math.min(Math.max(least, Math.min(1, most)), maxExampleBytes))
  const whole = 3 * Math.ceil((least + 2) / 3)
  const bytes = least === 0 && most >= 3 ? 3 : Math.min(whole, most)
  return Buffer.alloc(Math.min(least === 0 && most < 3 ? 0 : bytes, maxExampleBytes)).toString('base64')
}

const maxExampleBytes = 1000
/** One byte, two bytes. */
const ends = ['[A-Za-z0-9+/][AQgw]==', '[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=']

/**
 * Written out: with a count inside, V8 keeps a step to go back for each group, and has no room for those of a large
 * file.
 */
const group = '[A-Za-z0-9+/]'.repeat(4)
/**
 * Expressions with higher counts are too large for some readers, and one that begins to count goes back as above; the
 * lengths say it as well.
 */
const maxCount = 1000

/** From `least` to `most` groups of four characters, the last of which may be filled up. */
function between(least: number, most: number): string {
  if (most === 0) return '^$'
  const last = `(?:${[group, ...ends].join('|')})`
  if (least > 0) return `^(?:${repeat(least - 1, most - 1)}${last})$`
  return `^(?:${repeat(0, most - 1)}${last})?$`
}

function repeat(least: number, most: number): string {
  return most > maxCount ? `(?:${group})*` : `(?:${group}){${least},${most}}`
}

function boundsOf(facets: ReadonlyMap<string, string>): { readonly least: number; readonly most: number } {
  const facet = (name: string, otherwise: number): number => {
    const value = Number(facets.get(name) ?? facets.get('length') ?? NaN)
    return value >= 0 ? value : otherwise
  }
  return { least: facet('minLength', 0), most: facet('maxLength', Infinity) }
}

function lengths(least: number, most: number): JsonSchema {
  return { ...(least === 0 ? {} : { minLength: least }), ...(most === Infinity ? {} : { maxLength: most }) }
}
