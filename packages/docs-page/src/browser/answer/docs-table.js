/** Rows of an answer -> a table, a part at a time where there are many. */
import { element } from '../element/docs-element.js'
import { Digits, writeJson } from '../text/docs-json.js'

/** @typedef {Readonly<Record<string, unknown>>} Row */

/** Rows that are put on the page at once; more come when they are asked for. */
const rowsAtOnce = 200

/**
 * Rows, or the lists of rows that a batch gives; undefined for an answer of another shape.
 *
 * @param {unknown} answer
 * @returns {readonly (readonly Row[])[] | undefined}
 */
export function toLists(answer) {
  if (!Array.isArray(answer)) return undefined
  if (answer.every(isRow)) return [answer]
  return answer.every((each) => Array.isArray(each) && each.every(isRow)) ? answer : undefined
}

/**
 * @param {unknown} value
 * @returns {value is Row}
 */
export function isRow(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Digits)
}

/**
 * @param {readonly (readonly Row[])[]} lists
 * @param {boolean} isBatch
 * @returns {HTMLElement}
 */
export function showLists(lists, isBatch) {
  const shown = lists.slice(0, rowsAtOnce).map((rows, index) => {
    const caption = isBatch ? `queries[${index}]: ${count(rows.length)}` : undefined
    return showRows(rows, caption)
  })
  const more = lists.length - shown.length
  const left = more > 0 ? element('p', { class: 'nothing' }, `The JSON has ${more} more.`) : undefined
  return element('div', { class: 'tables' }, ...shown, left)
}

/**
 * @param {number} rows
 * @returns {string}
 */
export function count(rows) {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}

/**
 * @param {readonly Row[]} rows
 * @param {string | undefined} caption
 * @returns {HTMLElement}
 */
export function showRows(rows, caption) {
  if (rows.length === 0) return element('p', { class: 'nothing' }, caption ?? 'No rows.')
  const keys = [...new Set(rows.slice(0, rowsAtOnce).flatMap((row) => Object.keys(row)))]
  const body = element('tbody')
  const table = element(
    'table',
    {},
    caption === undefined ? undefined : element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...keys.map((key) => element('th', { scope: 'col' }, key)))),
    body,
  )
  const more = element('button', { type: 'button', class: 'quiet', onclick: () => add() })
  let shown = 0
  const add = () => {
    body.append(...rows.slice(shown, shown + rowsAtOnce).map((row) => showRow(row, keys)))
    shown = Math.min(shown + rowsAtOnce, rows.length)
    more.textContent = `Show more (${rows.length - shown} left)`
    more.hidden = shown === rows.length
  }
  add()
  // Can be scrolled with the keyboard too.
  return element('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': caption ?? 'Rows' }, table, more)
}

/**
 * @param {Row} row
 * @param {readonly string[]} keys
 * @returns {HTMLElement}
 */
function showRow(row, keys) {
  return element('tr', {}, ...keys.map((key) => (Object.hasOwn(row, key) ? showValue(row[key]) : element('td'))))
}

/**
 * @param {unknown} value
 * @returns {HTMLElement}
 */
export function showValue(value) {
  if (value === null) return element('td', { class: 'null' }, 'null')
  if (typeof value === 'number' || value instanceof Digits) return element('td', { class: 'digits' }, String(value))
  if (typeof value === 'string') return element('td', {}, value)
  return element('td', { class: 'code' }, writeJson(value))
}
