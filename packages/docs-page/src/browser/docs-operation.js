/** One operation, whole: what it is called, what is said of it, its form, what its rows hold and how it may fail. */
import { copyButton, element } from './docs-element.js'
import { Form } from './docs-form.js'
import { methodChip } from './docs-list.js'
import { typeWords } from './docs-schema.js'
import { tabs } from './docs-tabs.js'

/** @typedef {import('./docs-description.js').Operation} Operation */

/** @typedef {{ readonly element: HTMLElement, focus(): void }} View */

/**
 * @param {string} base
 * @param {Operation} operation
 * @returns {View}
 */
export function showOperation(base, operation) {
  const { method, title, summary, description, isDeprecated, tags, batch } = operation
  const heading = element(
    'h1',
    { tabindex: -1 },
    methodChip(method),
    ' ',
    element('span', { class: 'path' }, ...breakable(title)),
  )
  const form = new Form(base, operation, false)
  const forms =
    batch === undefined
      ? form.element
      : tabs('Form', [
          { name: 'One', show: () => form.element },
          { name: 'Batch', show: () => new Form(base, batch, true).element },
        ])
  const words = [
    isDeprecated ? element('p', { class: 'deprecated' }, 'Deprecated') : undefined,
    summary === '' ? undefined : element('p', { class: 'summary' }, summary),
    description === '' ? undefined : element('p', { class: 'description' }, description),
  ]
  const chips = element('p', { class: 'chips' }, ...tags.map((tag) => element('span', {}, tag)))
  const whole = element(
    'article',
    {},
    element(
      'header',
      {},
      heading,
      copyButton('Copy path', () => title),
      ...words,
      chips,
    ),
    forms,
    showColumns(operation),
    showProblems(operation),
  )
  return { element: whole, focus: () => form.focus() }
}

/**
 * A long path may break behind each slash.
 *
 * @param {string} path
 * @returns {readonly (string | HTMLElement)[]}
 */
function breakable(path) {
  return path.split(/(?<=\/)/).flatMap((part, index) => (index === 0 ? [part] : [element('wbr'), part]))
}

/**
 * @param {Operation} operation
 * @returns {HTMLElement | undefined}
 */
function showColumns({ columns }) {
  if (columns.length === 0) return undefined
  const rows = columns.map(({ key, schema }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, key),
      element('td', {}, typeWords(schema)),
      element('td', {}, schema.description ?? ''),
    ),
  )
  const summary = element(
    'summary',
    {},
    `What a row holds `,
    element('span', { class: 'number' }, String(columns.length)),
  )
  return element(
    'details',
    { class: 'columns', open: columns.length <= 12 },
    summary,
    element('table', {}, element('tbody', {}, ...rows)),
  )
}

/**
 * @param {Operation} operation
 * @returns {HTMLElement | undefined}
 */
function showProblems({ problems }) {
  if (problems.length === 0) return undefined
  const rows = problems.map(({ status, description, names }) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, status),
      element('td', {}, description, element('small', {}, names.join(', '))),
    ),
  )
  return element(
    'details',
    {},
    element('summary', {}, 'How it may fail'),
    element('table', {}, element('tbody', {}, ...rows)),
  )
}
