/** The error that a service answers with -> its name and words, and what it says about single values. */
import { element } from '../element/docs-element.js'

/** @typedef {{ readonly error?: unknown, readonly message?: unknown, readonly problems?: unknown }} ErrorBody */

/**
 * An error by its name, in its words.
 *
 * @param {unknown} value
 * @returns {HTMLElement | undefined}
 */
export function showProblem(value) {
  const { error, message } = /** @type {ErrorBody} */ (value ?? {})
  if (typeof error !== 'string' || typeof message !== 'string') return undefined
  const items = Array.from(mistakesIn(value), ([name, words]) => element('li', {}, element('b', {}, name), ` ${words}`))
  return element(
    'div',
    { class: 'problem' },
    element('strong', {}, error),
    element('p', {}, message),
    items.length === 0 ? undefined : element('ul', {}, ...items),
  )
}

/**
 * `problems` of an error, a list of objects with `param` and `problem` -> the problem by the name of the value.
 *
 * @param {unknown} value
 * @returns {ReadonlyMap<string, string>}
 */
export function mistakesIn(value) {
  const { problems } = /** @type {ErrorBody} */ (value ?? {})
  if (!Array.isArray(problems)) return new Map()
  return new Map(
    problems.flatMap((each) => {
      const { param, problem } = /** @type {{ param?: unknown, problem?: unknown }} */ (each ?? {})
      return typeof param === 'string' && typeof problem === 'string' ? [[param, problem]] : []
    }),
  )
}

/**
 * What is beside one value of the form: of itself, or of what it holds (`items[3].code`).
 *
 * @param {string} name
 * @param {ReadonlyMap<string, string>} mistakes
 * @returns {string}
 */
export function mistakeOf(name, mistakes) {
  return Array.from(mistakes)
    .filter(([param]) => param === name || param.startsWith(`${name}.`) || param.startsWith(`${name}[`))
    .map(([param, problem]) => (param === name ? problem : `${param}: ${problem}`))
    .join('\n')
}
