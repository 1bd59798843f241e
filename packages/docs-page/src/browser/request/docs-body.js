/**
 * The body of a request in one media type, as a part of the form: fields, or a text, or a file. Owns which fields go
 * together and whether fields or a text are shown.
 */
import { element } from '../element/docs-element.js'
import { layOutJson, readJson, writeJson } from '../text/docs-json.js'
import { FieldRow } from './docs-field.js'
import { isJson, typedValue, writeBody } from './docs-request.js'

/**
 * @typedef {import('../description/docs-body-types.js').Body} Body
 * @typedef {import('../description/docs-description.js').Field} Field
 * @typedef {import('./docs-request.js').Content} Content
 * @typedef {import('./docs-request.js').Typed} Typed
 */

/** @typedef {{ readonly isBatch: boolean, readonly idOf: () => string, readonly onChange: () => void }} BodyOptions */

export class BodyForm {
  /** @type {HTMLElement} */
  element
  /** @type {readonly FieldRow[]} */
  rows
  /** @type {Body} */
  #body
  /** @type {() => void} */
  #onChange
  /** @type {HTMLTextAreaElement} */
  #text
  /** @type {HTMLInputElement | undefined} */
  #file
  /** @type {HTMLInputElement | undefined} */
  #type
  /** @type {readonly HTMLSelectElement[]} */
  #selects
  #choices = element('div', { class: 'fields' })
  #mistake = element('p', { class: 'mistake', role: 'alert' })
  #isText = false

  /**
   * @param {Body} body
   * @param {BodyOptions} options
   */
  constructor(body, { isBatch, idOf, onChange }) {
    this.#body = body
    this.#onChange = onChange
    // A batch has sets of values: only JSON can say how many.
    this.rows = isBatch ? [] : body.fields.map((field) => new FieldRow(field, idOf(), onChange))
    const isFree = body.kind === 'any' || body.kind === 'text'
    this.#text = element('textarea', {
      class: 'body',
      rows: isFree ? 4 : 10,
      spellcheck: 'false',
      'aria-label': isFree ? 'Body' : 'Body as JSON',
    })
    this.#text.value = firstText(body)
    this.#text.addEventListener('input', onChange)
    if (body.kind === 'any') this.#makeFile(idOf)
    this.#selects = isBatch ? [] : this.#makeSelects(idOf)
    const typeRow = this.#type && labelled('Content-Type', this.#type)
    const fileRow = this.#file && labelled('or a file', this.#file)
    this.#choices.append(...this.#selects.map((select) => labelled('One of', select)))
    const rows = element('div', { class: 'fields' }, ...this.rows.map((row) => row.element))
    this.element = element('div', { class: 'fields' }, typeRow, this.#choices, rows, this.#text, fileRow, this.#mistake)
    this.#arrange(isFree || (body.kind === 'json' && this.rows.length === 0))
  }

  /** Whether it can be typed in both ways. */
  get hasTwoWays() {
    return this.#body.kind === 'json' && this.rows.length > 0
  }

  get isText() {
    return this.#isText
  }

  /** @param {boolean} isText */
  #arrange(isText) {
    this.#isText = isText
    this.#text.hidden = !isText
    this.#choices.hidden = isText
    for (const row of this.rows) row.element.hidden = isText || this.#isOut(row.field)
  }

  focus() {
    const row = this.rows.find((each) => !each.element.hidden)
    if (row !== undefined) row.focus()
    else this.#text.focus()
    return row !== undefined || this.#isText
  }

  /** @param {string} text Nothing where there is none. */
  set mistake(text) {
    this.#mistake.textContent = text
  }

  /**
   * Undefined for a field of something else.
   *
   * @param {Field} field
   * @returns {Typed | undefined}
   */
  typed(field) {
    const row = this.rows.find((each) => each.field === field)
    return row !== undefined && this.#isOut(field) ? { state: 'absent', text: '' } : row?.typed
  }

  /**
   * What is to be sent; nothing where nothing has to be and nothing is.
   *
   * @returns {Content | undefined}
   */
  get content() {
    const body = this.#body
    if (!this.#isText) return { body }
    const file = this.#file?.files?.[0]
    const text = this.#text.value
    if (file === undefined && text === '' && !body.isRequired) return undefined
    return { body, text: file === undefined ? text : undefined, file, mediaType: this.#type?.value }
  }

  /** From fields to JSON, or back. */
  toggle() {
    this.mistake = ''
    if (!this.#isText) {
      const typedOf = (/** @type {Field} */ field) =>
        this.typed(field) ?? { state: /** @type {const} */ ('absent'), text: '' }
      this.#text.value = layOut(writeBody(this.#body.fields, typedOf))
      this.#arrange(true)
    } else if (this.#readText()) this.#arrange(false)
  }

  /**
   * Puts the members of the text into their fields.
   *
   * @returns {boolean}
   */
  #readText() {
    const value = isJson(this.#text.value) ? readJson(this.#text.value) : undefined
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.mistake = 'Fields can show only a JSON object.'
      return false
    }
    const members = new Map(Object.entries(value))
    for (const [index, select] of this.#selects.entries()) {
      const option = this.#body.choices[index]?.findIndex(({ names }) => names.some((name) => members.has(name))) ?? -1
      if (option >= 0) select.selectedIndex = option
    }
    for (const row of this.rows) row.typed = typedValue(members.get(row.field.name), row.field.control)
    return true
  }

  /**
   * Whether another option than the one of this field is chosen.
   *
   * @param {Field} field
   * @returns {boolean}
   */
  #isOut({ name }) {
    return this.#body.choices.some((options, index) => {
      const chosen = options[this.#selects[index]?.selectedIndex ?? 0]
      return options.some(({ names }) => names.includes(name)) && !chosen?.names.includes(name)
    })
  }

  /**
   * @param {() => string} idOf
   * @returns {HTMLSelectElement[]}
   */
  #makeSelects(idOf) {
    const given = Object.keys(typeof this.#body.example === 'object' ? (this.#body.example ?? {}) : {})
    return this.#body.choices.map((options) => {
      const select = element('select', { id: idOf() }, ...options.map(({ label }) => element('option', {}, label)))
      const choose = () => {
        const { required = [] } = options[select.selectedIndex] ?? {}
        for (const row of this.rows) if (required.includes(row.field.name)) row.offer()
      }
      select.selectedIndex = Math.max(
        0,
        options.findIndex(({ names }) => names.some((name) => given.includes(name))),
      )
      choose()
      select.addEventListener('change', () => {
        choose()
        this.#arrange(false)
        this.#onChange()
      })
      return select
    })
  }

  /** @param {() => string} idOf */
  #makeFile(idOf) {
    const file = element('input', { type: 'file', id: idOf() })
    file.addEventListener('change', () => {
      const type = file.files?.[0]?.type ?? ''
      if (this.#type !== undefined && type !== '') this.#type.value = type
      this.#onChange()
    })
    this.#file = file
    if (!this.#body.mediaType.includes('*')) return
    this.#type = element('input', { type: 'text', id: idOf(), autocomplete: 'off', spellcheck: 'false' })
    this.#type.value = 'text/plain'
    this.#type.addEventListener('input', this.#onChange)
  }
}

/**
 * @param {Body} body
 * @returns {string}
 */
function firstText({ kind, example }) {
  if (kind === 'json') return layOut(writeJson(example ?? {}))
  return typeof example === 'string' ? example : ''
}

/**
 * @param {string} name
 * @param {HTMLInputElement | HTMLSelectElement} input
 * @returns {HTMLElement}
 */
export function labelled(name, input) {
  return element(
    'div',
    { class: 'field' },
    element('div', { class: 'name' }, element('label', { for: input.id }, name)),
    element('div', { class: 'entry' }, input),
  )
}

/**
 * @param {string} json
 * @returns {string}
 */
function layOut(json) {
  return (
    layOutJson(json)
      ?.map(([, text]) => text)
      .join('') ?? json
  )
}
