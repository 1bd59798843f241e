/** The form of one operation: its parameters and its body, the curl line, and the answer below. */
import { send } from '../answer/docs-answer.js'
import { mistakeOf } from '../answer/docs-problem.js'
import { copyButton, element } from '../element/docs-element.js'
import { curlLine } from './docs-curl.js'
import { FieldRow } from './docs-field.js'
import { Media } from './docs-media.js'
import { Mistake, prepare } from './docs-request.js'

/**
 * @typedef {import('../description/docs-description.js').Field} Field
 * @typedef {import('../description/docs-description.js').Operation} Operation
 * @typedef {import('./docs-request.js').Typed} Typed
 */

export class Form {
  /** @type {HTMLElement} */
  element
  /** @type {string} */
  #base
  /** @type {Operation} */
  #operation
  /** @type {boolean} */
  #isBatch
  /** @type {readonly FieldRow[]} Those of the body are its own. */
  #rows
  /** @type {Media | undefined} */
  #media
  #switch = element('button', { type: 'button', class: 'quiet', onclick: () => this.#toggleBody() })
  #mistake = element('p', { class: 'mistake', role: 'alert' })
  #curl = element('code')
  #line = element('div', { class: 'curl' })
  #send = element('button', { type: 'submit', class: 'send' }, 'Send')
  #answer = element('div', { 'aria-live': 'polite' })
  /** @type {AbortController | undefined} */
  #running

  /**
   * @param {string} base
   * @param {Operation} operation
   * @param {boolean} isBatch
   */
  constructor(base, operation, isBatch) {
    this.#base = base
    this.#operation = operation
    this.#isBatch = isBatch
    let count = 0
    const idOf = () => `${operation.id}-${count++}`
    const onChange = () => this.#showCurl()
    const toRow = (/** @type {Field} */ field) => new FieldRow(field, idOf(), onChange)
    const parameters = operation.parameters
    const first = parameters.filter(({ place }) => place !== 'header').map(toRow)
    this.#media =
      operation.bodies.length === 0
        ? undefined
        : new Media(operation.bodies, operation.bodyWords, { isBatch, idOf, onChange })
    // Headers last: they are wanted least.
    const headers = parameters.filter(({ place }) => place === 'header').map(toRow)
    this.#rows = [...first, ...headers]
    this.element = this.#layOut(first, headers)
    this.#showCurl()
  }

  /** The first thing to fill in, or else the button. */
  focus() {
    const row = this.#rows.find(({ field }) => field.place !== 'header')
    if (row !== undefined) row.focus()
    else if (this.#media?.chosen.focus() !== true) (this.#rows[0] ?? this.#send).focus()
  }

  /**
   * @param {readonly FieldRow[]} first
   * @param {readonly FieldRow[]} headers
   * @returns {HTMLElement}
   */
  #layOut(first, headers) {
    const hint = element('span', { class: 'hint' }, 'Enter sends')
    const isEmpty = this.#rows.length === 0 && this.#media === undefined
    const form = element(
      'form',
      { novalidate: true, onsubmit: (event) => this.#submit(event) },
      isEmpty ? element('p', { class: 'nothing' }, 'Nothing to fill in.') : undefined,
      element('div', { class: 'fields' }, ...first.map((row) => row.element)),
      this.#media?.element,
      element('div', { class: 'fields' }, ...headers.map((row) => row.element)),
      this.#mistake,
      element('div', { class: 'actions' }, this.#send, hint, this.#switch),
    )
    // In a text of several lines Enter is a new line.
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    })
    const copy = copyButton('Copy', () => this.#curl.textContent ?? '')
    this.#line.append(element('pre', { tabindex: 0, 'aria-label': 'curl' }, this.#curl), copy)
    return element('div', { class: 'form' }, form, this.#line, this.#answer)
  }

  #toggleBody() {
    this.#attempt(() => this.#media?.toggle())
    this.#showCurl()
  }

  /** @returns {readonly FieldRow[]} */
  #allRows() {
    return [...this.#rows, ...(this.#media?.chosen.rows ?? [])]
  }

  /**
   * @param {Field} field
   * @returns {Typed}
   */
  #typed(field) {
    const own = this.#rows.find((row) => row.field === field)?.typed
    return own ?? this.#media?.chosen.typed(field) ?? { state: 'absent', text: '' }
  }

  #prepare() {
    return prepare(this.#base, this.#operation, (field) => this.#typed(field), this.#media?.chosen.content)
  }

  #showCurl() {
    const body = this.#media?.chosen
    this.#switch.hidden = body?.hasTwoWays !== true
    this.#switch.textContent = body?.isText === true ? 'Edit as fields' : 'Edit as JSON'
    try {
      this.#curl.textContent = curlLine(this.#prepare())
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
    }
    // There is none before the path is filled in.
    this.#line.hidden = this.#curl.textContent === ''
  }

  /**
   * What the function returns; undefined where something typed is wrong, which is then shown.
   *
   * @template Value
   * @param {() => Value} work
   * @returns {Value | undefined}
   */
  #attempt(work) {
    for (const row of this.#allRows()) row.mistake = ''
    this.#mistake.textContent = ''
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const row = this.#allRows().find(({ field }) => field === error.field)
      if (row === undefined) this.#mistake.textContent = error.message
      else row.mistake = error.message
      row?.focus()
      return undefined
    }
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault()
    if (this.#running !== undefined) {
      this.#running.abort()
      return
    }
    const request = this.#attempt(() => this.#prepare())
    if (request === undefined) return
    this.#running = new AbortController()
    this.#send.textContent = 'Stop'
    this.#answer.setAttribute('aria-busy', 'true')
    send(request, this.#isBatch, this.#running.signal)
      .then(({ shown, mistakes }) => {
        this.#answer.replaceChildren(shown)
        for (const row of this.#allRows()) row.mistake = mistakeOf(row.field.name, mistakes)
      })
      .catch(() => this.#answer.replaceChildren(element('p', { class: 'nothing' }, 'Stopped.')))
      .finally(() => {
        this.#running = undefined
        this.#send.textContent = 'Send'
        this.#answer.removeAttribute('aria-busy')
      })
  }
}
