/**
 * One operation, whole: what it is called, what is said of it, its form, what its request and its answer hold and how
 * it may fail.
 */
import { copyButton, element } from './element/docs-element.js'
import { Form } from './request/docs-form.js'
import { methodChip } from './docs-list.js'
import { typeWords } from './description/docs-schema.js'
import { isNested, showOutline } from './docs-outline.js'
import { tabs } from './element/docs-tabs.js'

/** @typedef {import('./description/docs-description.js').Operation} Operation */

/** @typedef {{ readonly element: HTMLElement, focus(): void }} View */

/**
 * @param {string} base
 * @param {Operation} operation
 * @returns {View}
 */
export function showOperation(base, operation) {
  const { method, title, summary, description, isDeprecated, tags, facts, batch } = operation
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
  // A tag that is the first segment of the path, and alone, is there already.
  const shownTags = tags.length === 1 && title.startsWith(`/${tags[0]}/`) ? [] : tags
  const chips =
    shownTags.length === 0
      ? undefined
      : element('p', { class: 'chips' }, ...shownTags.map((tag) => element('span', {}, tag)))
  const whole = element(
    'article',
    {},
    element(
      'header',
      {},
      heading,
      copyButton('Copy path', () => title),
      ...words,
      showFacts(facts),
      chips,
    ),
    forms,
    showRequest(operation),
    showColumns(operation),
    ...showAnswers(operation),
    showHeaders(operation),
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
function showColumns({ responses: { columns } }) {
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
 * What is said of this operation alone, such as whose name it is called in.
 *
 * @param {Operation['facts']} facts
 * @returns {HTMLElement | undefined}
 */
function showFacts(facts) {
  if (facts.length === 0) return undefined
  const pairs = facts.map(([name, words]) => element('div', {}, element('dt', {}, name), element('dd', {}, words)))
  return element('dl', { class: 'about' }, ...pairs)
}

/**
 * Only where a form does not say it all: a field of it may hold an object.
 *
 * @param {Operation} operation
 * @returns {HTMLElement | undefined}
 */
function showRequest({ parts, bodies }) {
  const body = bodies.find(({ fields }) => fields.some(({ schema }) => isNested(parts, schema)))
  const outline = body && showOutline(parts, body.schema)
  return outline && element('details', {}, element('summary', {}, 'What the request holds'), outline)
}

/**
 * @param {Operation} operation
 * @returns {HTMLElement | undefined}
 */
function showHeaders({ responses: { headers } }) {
  if (headers.length === 0) return undefined
  const rows = headers.map(({ name, words }) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, words)),
  )
  return element(
    'details',
    {},
    element('summary', {}, 'Headers of the answer'),
    element('table', {}, element('tbody', {}, ...rows)),
  )
}

/**
 * @param {Operation} operation
 * @returns {HTMLElement[]}
 */
function showAnswers({ parts, responses }) {
  const { answers, columns } = responses
  if (columns.length > 0) return []
  const known = answers.flatMap(({ status, mediaType, schema }) => {
    const outline = showOutline(parts, schema)
    return outline === undefined ? [] : [{ title: `${status} ${mediaType}`, outline }]
  })
  return known.map(({ title, outline }) =>
    element(
      'details',
      {},
      element(
        'summary',
        {},
        'What the answer holds',
        known.length === 1 ? undefined : element('span', { class: 'number' }, title),
      ),
      outline,
    ),
  )
}

/**
 * @param {Operation} operation
 * @returns {HTMLElement | undefined}
 */
function showProblems({ responses: { problems } }) {
  if (problems.length === 0) return undefined
  const rows = problems.map(({ status, description, names, meanings }) => {
    const told = meanings.map(({ name, words, fields }) => {
      const also = fields.length === 0 ? undefined : element('small', {}, `with ${fields.join(', ')}`)
      return element('div', {}, name === undefined ? undefined : element('code', {}, name), ' ', words, also)
    })
    const words = told.length > 0 ? told : [description, element('small', {}, names.join(', '))]
    return element('tr', {}, element('th', { scope: 'row' }, status), element('td', {}, ...words))
  })
  return element(
    'details',
    {},
    element('summary', {}, 'How it may fail'),
    element('table', {}, element('tbody', {}, ...rows)),
  )
}
