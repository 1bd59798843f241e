/** What a YAML text says, as plain data. Numbers and booleans keep the text that they were written as. */

/** A number or boolean that is in YAML without quotes, beside its text: `4.0`, `00123`, `true`. */
export class Literal {
  readonly text: string
  readonly value: number | boolean

  constructor(text: string, value: number | boolean) {
    this.text = text
    this.value = value
  }
}

/** Plain numbers and booleans only in data that comes from elsewhere. */
export type Data = null | string | number | boolean | Literal | readonly Data[] | Mapping
export interface Mapping {
  readonly [key: string]: Data
}

export function isMapping(data: Data | undefined): data is Mapping {
  return typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Literal)
}

/** A text, or the text of a number or boolean; undefined for anything else. */
export function textOf(data: Data | undefined): string | undefined {
  if (data instanceof Literal) return data.text
  return typeof data === 'string' ? data : undefined
}

/** Numbers and booleans instead of their literals, for code that does not care how they were written. */
export function withoutLiterals(data: Mapping): Mapping {
  const toPlain = (value: Data): Data => {
    if (value instanceof Literal) return value.value
    if (Array.isArray(value)) return (value as readonly Data[]).map(toPlain)
    return isMapping(value) ? withoutLiterals(value) : value
  }
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, toPlain(value)]))
}
