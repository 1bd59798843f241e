/** The form of one operation: its fields or the body as JSON, the curl line, and the answer below. */
import { send } from './docs-answer.js'
import { curlLine } from './docs-curl.js'
import { copyButton, element } from './docs-element.js'
import { FieldRow } from './docs-field.js'
import { layOutJson, readJson, writeJson } from './docs-json.js'
import { isJson, Mistake, prepare, typedValue, writeBody } from './docs-request.js'

/**
 * @typedef {import('./docs-description.js').Field} Field
 * @typedef {import('./docs-description.js').Operation} Operation
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
  /** @type {readonly FieldRow[]} */
  #rows
  #body = element('textarea', { class: 'body', rows: 10, spellcheck: 'false', 'aria-label': 'Body as JSON' })
  #fieldset = element('div', { class: 'fields' })
  #switch = element('button', { type: 'button', class: 'quiet', onclick: () => this.#toggleBody() })
  #mistake = element('p', { class: 'mistake', role: 'alert' })
  #curl = element('code')
  #send = element('button', { type: 'submit', class: 'send' }, 'Send')
  #answer = element('div', { 'aria-live': 'polite' })
  /** Whether the body is typed as JSON and not in fields. */
  #isText = false
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
    this.#rows = operation.fields
      // A batch has sets of values: only JSON can say how many.
      .filter(({ place }) => !(isBatch && place === 'body'))
      // Headers last: they are wanted least.
      .toSorted((a, b) => Number(a.place === 'header') - Number(b.place === 'header'))
      .map((field, index) => new FieldRow(field, `${operation.id}-${index}`, () => this.#showCurl()))
    this.#body.addEventListener('input', () => this.#showCurl())
    this.element = this.#layOut()
    const hasFields = this.#rows.some(({ field }) => field.place === 'body')
    this.#switch.hidden = !operation.hasBody || !hasFields
    this.#body.value = layOut(writeJson(operation.bodyExample ?? {}))
    this.#showBody(operation.hasBody && !hasFields)
  }

  /** The first thing to fill in, or else the button. */
  focus() {
    const [row] = this.#rows
    if (row !== undefined && !row.element.hidden) row.focus()
    else if (this.#isText) this.#body.focus()
    else this.#send.focus()
  }

  /** @returns {HTMLElement} */
  #layOut() {
    const hint = element('span', { class: 'hint' }, 'Enter sends')
    const none =
      this.#rows.length === 0 && !this.#operation.hasBody
        ? element('p', { class: 'nothing' }, 'Nothing to fill in.')
        : undefined
    this.#fieldset.append(...this.#rows.map((row) => row.element), ...(none === undefined ? [] : [none]))
    const form = element(
      'form',
      { novalidate: true, onsubmit: (event) => this.#submit(event) },
      this.#fieldset,
      this.#body,
      this.#mistake,
      element('div', { class: 'actions' }, this.#send, hint, this.#switch),
    )
    // In a text of several lines Enter is a new line.
    form.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit()
    })
    const copy = copyButton('Copy', () => this.#curl.textContent ?? '')
    const line = element(
      'div',
      { class: 'curl' },
      element('pre', { tabindex: 0, 'aria-label': 'curl' }, this.#curl),
      copy,
    )
    return element('div', { class: 'form' }, form, line, this.#answer)
  }

  /** @param {boolean} isText */
  #showBody(isText) {
    this.#isText = isText
    this.#body.hidden = !isText
    this.#switch.textContent = isText ? 'Edit as fields' : 'Edit as JSON'
    for (const row of this.#rows) row.element.hidden = isText && row.field.place === 'body'
    this.#showCurl()
  }

  #toggleBody() {
    this.#mistake.textContent = ''
    if (this.#isText) {
      if (this.#readBody()) this.#showBody(false)
    } else {
      const body = this.#attempt(() => writeBody(this.#operation.fields, (field) => this.#typed(field)))
      if (body === undefined) return
      this.#body.value = layOut(body)
      this.#showBody(true)
    }
  }

  /**
   * Puts the members of the text into their fields.
   *
   * @returns {boolean}
   */
  #readBody() {
    const value = isJson(this.#body.value) ? readJson(this.#body.value) : undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#mistake.textContent = 'Fields can show a JSON object only.'
      return false
    }
    const members = new Map(Object.entries(value))
    for (const row of this.#rows) {
      const { name, place, control } = row.field
      if (place === 'body') row.typed = typedValue(members.get(name), control)
    }
    return true
  }

  /**
   * @param {Field} field
   * @returns {Typed}
   */
  #typed(field) {
    return this.#rows.find((row) => row.field === field)?.typed ?? { state: 'absent', text: '' }
  }

  #prepare() {
    return prepare(
      this.#base,
      this.#operation,
      (field) => this.#typed(field),
      this.#isText ? this.#body.value : undefined,
    )
  }

  #showCurl() {
    try {
      this.#curl.textContent = curlLine(this.#prepare())
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
    }
  }

  /**
   * What the function gives; undefined where something typed is wrong, which is then shown.
   *
   * @template Value
   * @param {() => Value} work
   * @returns {Value | undefined}
   */
  #attempt(work) {
    for (const row of this.#rows) row.mistake = ''
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      const row = this.#rows.find(({ field }) => field === error.field)
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
      .then((shown) => this.#answer.replaceChildren(shown))
      .catch(() => this.#answer.replaceChildren(element('p', { class: 'nothing' }, 'Stopped.')))
      .finally(() => {
        this.#running = undefined
        this.#send.textContent = 'Send'
        this.#answer.removeAttribute('aria-busy')
      })
  }
}

/**
 * @param {string} json
 * @returns {string}
 */
function layOut(json) {
  return (
    layOutJson(json)
      ?.map(([, text]) => text)
      .join('') ?? writeJson(json)
  )
}
