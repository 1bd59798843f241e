/**
 * The source of a template -> the headers of a caller that reach its envelope. One header too many does no harm: a
 * template that names a value in a branch that is never taken counts as well. Pure.
 */
import type { Generated } from '../../model.ts'

/** Header -> the value that it becomes. */
const values: Readonly<Record<string, keyof Generated>> = {
  'X-Road-Id': 'uuid',
  'X-Road-UserId': 'user_id',
  'X-Road-Issue': 'issue',
}

export const allCallerHeaders: readonly string[] = Object.keys(values)

export function callerHeadersIn(source: string): readonly string[] {
  const names = new Set(Array.from(source.matchAll(tag), ([, text = '']) => namesIn(text)).flat())
  // As a whole it may be handed to a block, where its values stand without its name.
  return allCallerHeaders.filter((header) => names.has('') || names.has(String(values[header])))
}

const tag = /\{\{(?!!)([^}]{0,1000}\bgenerate\b[^}]{0,1000})\}\}/g

function namesIn(tag: string): string[] {
  return Array.from(tag.matchAll(/\bgenerate\b(?:\.\[?(\w+)|\/(\w+))?/g), ([, name, other]) => name ?? other ?? '')
}
