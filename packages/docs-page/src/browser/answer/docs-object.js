/** An answer that is an object -> tables, one for each object and list inside it, under the path that leads there. */
import { element } from '../element/docs-element.js'
import { count, isRow, showRows, showValue } from './docs-table.js'

/** @typedef {import('./docs-table.js').Row} Row */

/**
 * `pairs` of an object, or the `rows` of a list of objects.
 *
 * @typedef {{ readonly path: string, readonly pairs?: readonly (readonly [string, unknown])[], readonly rows?: readonly Row[] }} Section
 */

/** Tables that are put on the page; the JSON has all. */
const maxSections = 40

/**
 * @param {unknown} answer
 * @returns {readonly Section[] | undefined} Undefined for what is not an object, and for one that has nothing to show.
 */
export function toSections(answer) {
  if (!isRow(answer)) return undefined
  /** @type {Section[]} */
  const sections = []
  collect(answer, [], sections)
  return sections.length === 0 ? undefined : sections
}

/**
 * @param {unknown} value
 * @param {readonly string[]} path
 * @param {Section[]} sections
 */
function collect(value, path, sections) {
  // One more than are shown tells that there are more.
  if (sections.length > maxSections) return
  const title = path.join(' › ')
  if (Array.isArray(value)) sections.push({ path: title, rows: value })
  else if (isRow(value)) {
    const members = Object.entries(value)
    const pairs = members.filter(([, each]) => !isNested(each))
    if (pairs.length > 0) sections.push({ path: title, pairs })
    for (const [key, each] of members) if (isNested(each)) collect(each, [...path, key], sections)
  }
}

/**
 * An object with members, or a list of objects.
 *
 * @param {unknown} value
 * @returns {boolean}
 */
function isNested(value) {
  if (Array.isArray(value)) return value.length > 0 && value.every(isRow)
  return isRow(value) && Object.keys(value).length > 0
}

/**
 * @param {readonly Section[]} sections
 * @returns {HTMLElement}
 */
export function showSections(sections) {
  const shown = sections.slice(0, maxSections).map(({ path, pairs = [], rows }) => {
    if (rows !== undefined) return showRows(rows, `${path}: ${count(rows.length)}`)
    return showPairs(path, pairs)
  })
  const left = sections.length > maxSections ? element('p', { class: 'nothing' }, 'The JSON has more.') : undefined
  return element('div', { class: 'tables' }, ...shown, left)
}

/**
 * @param {string} path
 * @param {readonly (readonly [string, unknown])[]} pairs
 * @returns {HTMLElement}
 */
function showPairs(path, pairs) {
  const rows = pairs.map(([key, value]) => element('tr', {}, element('th', { scope: 'row' }, key), showValue(value)))
  const table = element(
    'table',
    { class: 'pairs' },
    path === '' ? undefined : element('caption', {}, path),
    element('tbody', {}, ...rows),
  )
  // Can be scrolled with the keyboard too.
  return element('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': path || 'Values' }, table)
}
