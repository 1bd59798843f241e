/**
 * The list of all operations, by tag, with its search. Owns which are shown and where the focus is; told which one is
 * open.
 */
import { element } from './element/docs-element.js'

/** @typedef {import('./description/docs-description.js').Operation} Operation */

/**
 * @typedef {object} Row
 * @property {Operation} operation
 * @property {HTMLAnchorElement} link
 * @property {HTMLElement} item
 * @property {string} words What the search looks at, folded.
 */

/** @typedef {{ readonly section: HTMLElement, readonly count: HTMLElement, readonly rows: readonly Row[] }} Group */

export class List {
  /** @type {readonly Group[]} */
  #groups
  /** @type {readonly Row[]} */
  #rows
  /** @type {HTMLInputElement} */
  #search
  /** @type {HTMLElement} */
  #count
  /** @type {HTMLElement} */
  #nothing = element('p', { class: 'nothing', hidden: true }, 'No endpoint has these words.')

  /**
   * @param {readonly Operation[]} operations
   * @param {{ readonly list: HTMLElement, readonly search: HTMLInputElement, readonly count: HTMLElement }} places
   */
  constructor(operations, { list, search, count }) {
    this.#search = search
    this.#count = count
    this.#groups = groupByTag(operations).map(([tag, members]) => makeGroup(tag, members))
    this.#rows = this.#groups.flatMap(({ rows }) => rows)
    list.replaceChildren(...this.#groups.map(({ section }) => section), this.#nothing)
    search.addEventListener('input', () => this.#filter())
    search.addEventListener('keydown', (event) => this.#onSearchKey(event))
    list.addEventListener('keydown', (event) => this.#onListKey(event))
    this.#filter()
  }

  /**
   * Marks the one that is open.
   *
   * @param {Operation | undefined} operation
   */
  mark(operation) {
    for (const { operation: each, link } of this.#rows) {
      if (each === operation) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    this.#aim()
    const current = this.#rows.find((row) => row.operation === operation)
    current?.item.scrollIntoView({ block: 'nearest' })
    // Rows that were never seen have a height that is only guessed, until the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => current?.item.scrollIntoView({ block: 'nearest' })))
  }

  #filter() {
    const wanted = fold(this.#search.value).split(/\s+/).filter(Boolean)
    let shown = 0
    for (const { section, count, rows } of this.#groups) {
      let inGroup = 0
      for (const { item, words } of rows) {
        const isShown = wanted.every((word) => words.includes(word))
        item.hidden = !isShown
        if (isShown) inGroup += 1
      }
      section.hidden = inGroup === 0
      count.textContent = String(inGroup)
      shown += inGroup
    }
    const all = this.#rows.length
    this.#count.textContent = shown === all ? endpoints(all) : `${shown} of ${endpoints(all)}`
    this.#nothing.hidden = shown > 0 || all === 0
    this.#aim()
  }

  /** The Tab key leads to one row of the list only; arrow keys lead to the others. */
  #aim() {
    const shown = this.#shown()
    const current = shown.find(({ link }) => link.hasAttribute('aria-current')) ?? shown[0]
    for (const row of this.#rows) row.link.tabIndex = row === current ? 0 : -1
  }

  /** @returns {readonly Row[]} */
  #shown() {
    return this.#rows.filter(({ item }) => !item.hidden)
  }

  /** @param {KeyboardEvent} event */
  #onSearchKey(event) {
    if (event.key === 'ArrowDown') this.#move(event, 0)
    else if (event.key === 'Escape' && this.#search.value !== '') {
      event.preventDefault()
      this.#search.value = ''
      this.#filter()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      this.#shown()[0]?.link.click()
    }
  }

  /** @param {KeyboardEvent} event */
  #onListKey(event) {
    const shown = this.#shown()
    const at = shown.findIndex(({ link }) => link === document.activeElement)
    if (at < 0) return
    if (event.key === 'ArrowDown') this.#move(event, Math.min(at + 1, shown.length - 1))
    else if (event.key === 'ArrowUp' && at === 0) {
      event.preventDefault()
      this.#search.focus()
    } else if (event.key === 'ArrowUp') this.#move(event, at - 1)
    else if (event.key === 'Home') this.#move(event, 0)
    else if (event.key === 'End') this.#move(event, shown.length - 1)
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} to
   */
  #move(event, to) {
    const target = this.#shown()[to]
    if (target === undefined) return
    event.preventDefault()
    for (const { link } of this.#rows) link.tabIndex = link === target.link ? 0 : -1
    target.link.focus()
  }
}

/**
 * @param {number} count
 * @returns {string}
 */
function endpoints(count) {
  return `${count} ${count === 1 ? 'endpoint' : 'endpoints'}`
}

/**
 * An operation with several tags is below its first one; the search knows them all.
 *
 * @param {readonly Operation[]} operations
 * @returns {readonly (readonly [tag: string, members: readonly Operation[]])[]}
 */
function groupByTag(operations) {
  /** @type {Map<string, Operation[]>} */
  const groups = new Map()
  for (const operation of operations) {
    const tag = operation.tags[0] ?? ''
    const members = groups.get(tag)
    if (members === undefined) groups.set(tag, [operation])
    else members.push(operation)
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * @param {string} tag
 * @param {readonly Operation[]} members
 * @returns {Group}
 */
function makeGroup(tag, members) {
  const rows = members.map(makeRow)
  const count = element('span', { class: 'number' })
  const section = element(
    'section',
    {},
    element('h2', {}, tag, ' ', count),
    element('ul', {}, ...rows.map(({ item }) => item)),
  )
  return { section, count, rows }
}

/**
 * @param {Operation} operation
 * @returns {Row}
 */
function makeRow(operation) {
  const { id, method, title, summary, words, isDeprecated } = operation
  const path = element('span', { class: isDeprecated ? 'path gone' : 'path' }, title)
  const shown = element('span', { class: 'words' }, path, summary === '' ? undefined : element('small', {}, summary))
  const link = element('a', { href: `#${encodeURIComponent(id)}`, tabindex: -1 }, methodChip(method), shown)
  const item = element('li', {}, link)
  return { operation, link, item, words: fold(words) }
}

/**
 * Without upper case and accents: people without õ on the keyboard find it by o.
 *
 * @param {string} text
 * @returns {string}
 */
function fold(text) {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}

/**
 * @param {string} method
 * @returns {HTMLElement}
 */
export function methodChip(method) {
  return element('span', { class: `method ${method.toLowerCase()}` }, method)
}
