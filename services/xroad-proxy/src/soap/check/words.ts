/** What people read about allowed values and params: one line, and no longer than anybody reads. */

const maxShownValues = 10
const maxShownCharacters = 200

export function describeValues(values: readonly string[]): string {
  if (values.length === 1) return JSON.stringify(cut(values[0] ?? ''))
  const shown = values.slice(0, maxShownValues).map((value) => JSON.stringify(cut(value)))
  const more = values.length - shown.length
  return `one of ${shown.join(', ')}${more > 0 ? ` and ${more} more, which /api lists` : ''}`
}

export function cut(text: string): string {
  return text.length <= maxShownCharacters ? text : `${text.slice(0, maxShownCharacters).toWellFormed()}..`
}

export function count(number: string | number | undefined, noun: string): string {
  return `${number} ${noun}${Number(number) === 1 ? '' : 's'}`
}

/** Keys are the caller's. */
export function toShown(param: string): string {
  const shown = param.length <= maxShownCharacters ? param : `${param.slice(0, maxShownCharacters)}..`
  return shown.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
