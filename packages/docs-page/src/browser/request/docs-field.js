/** One value of a request as a part of the form: its name, what it may be, the input, and what stands for no value. */
import { boundWords, choicesOf, defaultOf, valueWords } from '../description/docs-schema.js'
import { element } from '../element/docs-element.js'
import { writeJson } from '../text/docs-json.js'
import { typedExample } from './docs-request.js'

/**
 * @typedef {import('../description/docs-description.js').Field} Field
 * @typedef {import('./docs-request.js').Typed} Typed
 */

/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Input */

export class FieldRow {
  /** @type {Field} */
  field
  /** @type {HTMLElement} */
  element
  /** @type {Input} */
  #input
  /** @type {Typed['state']} */
  #state = 'value'
  /** @type {Map<Typed['state'], HTMLButtonElement>} */
  #states = new Map()
  /** @type {HTMLElement} */
  #mistake = element('p', { class: 'mistake', role: 'alert' })
  /** @type {() => void} */
  #onChange

  /**
   * @param {Field} field
   * @param {string} id Unlike any other on the page.
   * @param {() => void} onChange
   */
  constructor(field, id, onChange) {
    this.field = field
    this.#onChange = onChange
    this.#input = makeInput(field)
    this.#input.id = id
    // The first entry of a list to choose from is not one of its values.
    const isNone = () =>
      this.#input instanceof HTMLSelectElement && !field.isRequired && this.#input.selectedIndex === 0
    this.#input.addEventListener('input', () => this.#set(isNone() ? 'absent' : 'value'))
    const label = element('label', { for: id }, field.name)
    const facts = element('span', { class: 'type' }, factsOf(field))
    const { description } = field
    const words =
      description === undefined ? undefined : element('p', { class: 'note', id: `${id}-words` }, description)
    if (words !== undefined) this.#input.setAttribute('aria-describedby', words.id)
    const states = this.#makeStates()
    const filler = field.control === 'base64' ? this.#makeFiller() : undefined
    const entry = element('div', { class: 'entry' }, this.#input, filler, ...states)
    this.element = element(
      'div',
      { class: 'field' },
      element('div', { class: 'name' }, label, facts),
      entry,
      words,
      this.#mistake,
    )
    this.typed = typedExample(field)
  }

  /** @returns {Typed} */
  get typed() {
    const files = this.field.control === 'file' && 'files' in this.#input ? [...(this.#input.files ?? [])] : []
    if (this.field.control === 'file') return { state: files.length === 0 ? 'absent' : 'value', text: '', files }
    return { state: this.#state, text: this.#input.value }
  }

  /** @param {Typed} typed */
  set typed({ state, text }) {
    // Only people choose files.
    if (this.field.control !== 'file') this.#input.value = text
    this.#show(state)
  }

  /** Is to be sent, with what is in it. */
  offer() {
    if (this.#state === 'absent') this.#show('value')
  }

  /** @param {string} text Nothing where there is none. */
  set mistake(text) {
    this.#mistake.textContent = text
    this.#input.toggleAttribute('aria-invalid', text !== '')
  }

  focus() {
    this.#input.focus()
  }

  /**
   * Buttons for what stands for no value; a second press takes the value again.
   *
   * @returns {readonly HTMLButtonElement[]}
   */
  #makeStates() {
    const { isNullable, isRequired, name } = this.field
    /** @type {[Typed['state'], string][]} */
    const wanted = []
    if (isNullable) wanted.push(['null', 'null'])
    if (!isRequired && this.field.control !== 'file') wanted.push(['absent', 'leave out'])
    for (const [state, label] of wanted) {
      const toggle = () => this.#set(this.#state === state ? 'value' : state)
      const button = element(
        'button',
        { type: 'button', class: 'state', 'aria-label': `${name}: ${label}`, onclick: toggle },
        label,
      )
      this.#states.set(state, button)
    }
    return [...this.#states.values()]
  }

  /**
   * Puts a file into the field as base64.
   *
   * @returns {HTMLElement}
   */
  #makeFiller() {
    const file = element('input', { type: 'file', class: 'unseen', tabindex: -1, 'aria-hidden': 'true' })
    const read = async () => {
      const [chosen] = file.files ?? []
      if (chosen === undefined) return
      this.#input.value = await toBase64(chosen)
      this.#set('value')
    }
    file.addEventListener('change', () => void read())
    const label = `${this.field.name}: take a file`
    const button = element(
      'button',
      { type: 'button', class: 'state', 'aria-label': label, onclick: () => file.click() },
      'file ..',
    )
    return element('span', {}, button, file)
  }

  /** @param {Typed['state']} state */
  #set(state) {
    this.#show(state)
    this.mistake = ''
    this.#onChange()
  }

  /** @param {Typed['state']} state */
  #show(state) {
    this.#state = state
    // What has to be given waits to be filled in.
    this.#input.classList.toggle('unused', state === 'null' || (state === 'absent' && !this.field.isRequired))
    for (const [each, button] of this.#states) button.setAttribute('aria-pressed', String(each === state))
  }
}

/**
 * @param {Field} field
 * @returns {Input}
 */
function makeInput(field) {
  const common = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
  switch (field.control) {
    case 'boolean':
      return makeSelect(field, ['true', 'false'])
    case 'choice':
      return makeSelect(field, (choicesOf(field.schema) ?? []).map(String))
    case 'json':
    case 'lines':
    case 'pairs':
      return element('textarea', { ...common, rows: 2 })
    case 'file':
      return element('input', { type: 'file', multiple: field.schema.type === 'array' })
    case 'number':
      // Not type=number, which changes digits.
      return element('input', { ...common, type: 'text', inputmode: 'decimal' })
    case 'date':
      return element('input', { ...common, type: 'date' })
    case 'text':
    case 'base64':
    case 'any':
      return element('input', { ...common, type: 'text' })
  }
}

/**
 * @param {File} file
 * @returns {Promise<string>}
 */
async function toBase64(file) {
  const reader = new FileReader()
  const ended = new Promise((resolve, reject) => {
    reader.addEventListener('load', resolve)
    reader.addEventListener('error', () => reject(new Error(`${file.name} cannot be read`)))
  })
  reader.readAsDataURL(file)
  await ended
  const address = typeof reader.result === 'string' ? reader.result : ''
  return address.slice(address.indexOf(',') + 1)
}

/**
 * @param {Field} field
 * @param {readonly string[]} choices
 * @returns {HTMLSelectElement}
 */
function makeSelect({ isRequired }, choices) {
  const none = isRequired ? [] : [element('option', { value: '' }, 'left out')]
  return element('select', {}, ...none, ...choices.map((choice) => element('option', { value: choice }, choice)))
}

/**
 * Where the input says more than the schema does.
 *
 * @type {Readonly<Partial<Record<Field['control'], readonly string[]>>>}
 */
const typeFacts = { pairs: ['name=value', 'one a line'], file: ['file'], base64: ['base64'] }

/**
 * @param {Field} field
 * @returns {string}
 */
function factsOf({ schema, control, place, isRequired }) {
  // A list to choose from says it all.
  const type = control === 'choice' ? '' : valueWords(schema)
  const value = defaultOf(schema)
  const missing = value === undefined ? 'optional' : `default ${writeJson(value)}`
  return [
    ...(typeFacts[control] ?? [type === '' && control === 'any' ? 'JSON, or text' : type]),
    control === 'lines' ? 'one a line' : '',
    ...(control === 'choice' ? [] : boundWords(schema)),
    place === 'body' || place === 'query' ? '' : place,
    isRequired ? '' : missing,
  ]
    .filter((text) => text !== '')
    .join(', ')
}
