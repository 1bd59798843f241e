/**
 * What a template can ask about values of a caller: whether they are there at all, whether they are null, and each of
 * them where there may be one or many. `false`, 0 and empty text are values like any other, so `if` and `each` of
 * Handlebars do not fit. Plain functions; template-helpers.ts makes helpers of them.
 */

/** Helper `if_present`: whether one of the values is there. A list is when it holds something. */
export function isPresent(values: readonly unknown[]): boolean {
  return values.some((value) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0))
}

/**
 * Helper `is_nil`: nothing unless the caller sent null; undefined for "no" lets `if_present` take the answer as a
 * value.
 */
export function isNil(value: unknown): true | undefined {
  return value === null ? true : undefined
}

/**
 * Helper `each_value`: what there is to repeat. A single value counts as a list of one. A fresh array, because those
 * that a template sees are without the methods of arrays.
 */
export function listValues(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? Array.from(value as ArrayLike<unknown>) : [value]
}
