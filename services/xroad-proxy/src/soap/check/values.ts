/** Values of JSON as a template takes them: what is there, which text it becomes, what it is in words. */

import { type NumberKind, toDigits } from './decimals.ts'

export type JsonObject = Readonly<Record<string, unknown>>

// oxlint-disable-next-line no-control-regex -- exactly these
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

/** Of JSON: an escape may make half of a surrogate pair. */
export function isXmlText(text: string): boolean {
  return text.isWellFormed() && !forbidden.test(text)
}

/** Never what an object of JavaScript inherits. */
export function valueOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Of a form, instead of text. */
export function isFile(value: unknown): boolean {
  return isObject(value) && value['bytes'] instanceof Uint8Array
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What may become a text of a type. */
interface Texts {
  /** Several values, with spaces between them. */
  readonly isList: boolean
  /** true and false of JSON. */
  readonly takesBooleans: boolean
  /** Said where the template writes numbers otherwise than JSON. */
  readonly number?: NumberKind | undefined
}

/**
 * What the template writes; undefined for what is not text. Numbers that JavaScript would write otherwise come as
 * texts.
 */
export function toText(value: unknown, { isList, takesBooleans, number }: Texts): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'number':
      return number === undefined ? String(value) : toDigits(String(value), number)
    case 'boolean':
      return takesBooleans ? String(value) : undefined
    default:
      return isList && Array.isArray(value) ? joinTexts(value, { isList: false, takesBooleans, number }) : undefined
  }
}

function joinTexts(items: readonly unknown[], each: Texts): string | undefined {
  const texts = items.map((item) => toText(item, each))
  return texts.includes(undefined) ? undefined : texts.join(' ')
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return { object: 'an object', boolean: 'true or false', number: 'a number' }[typeof value as string] ?? 'text'
}
