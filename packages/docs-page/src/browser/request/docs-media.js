/**
 * The body of a request as a part of the form, whatever its media type: a list to choose from where there are several.
 */
import { element } from '../element/docs-element.js'
import { BodyForm, labelled } from './docs-body.js'

/**
 * @typedef {import('../description/docs-body-types.js').Body} Body
 * @typedef {import('./docs-body.js').BodyOptions} BodyOptions
 */

/** What stands for the end of types that cannot be listed. */
const anyType = 'another type'

export class Media {
  element = element('div', { class: 'fields' })
  /** The form of the media type that is chosen. */
  chosen
  /** @type {readonly Body[]} */
  #bodies
  /** @type {Map<Body, BodyForm>} Each keeps what was typed in. */
  #forms = new Map()
  /** @type {BodyOptions} */
  #options
  #place = element('div', { class: 'fields' })
  #words = element('p', { class: 'note', hidden: true })

  /**
   * @param {readonly Body[]} bodies One at least.
   * @param {string} words What is said of the body.
   * @param {BodyOptions} options
   */
  constructor(bodies, words, options) {
    this.#bodies = bodies
    this.#options = options
    if (bodies.length > 1) this.element.append(labelled('Body as', this.#makeSelect()))
    this.#words.textContent = words
    this.element.append(this.#place, this.#words)
    this.chosen = this.#show(0)
  }

  /** @returns {HTMLSelectElement} */
  #makeSelect() {
    const options = this.#bodies.map(({ mediaType }) =>
      element('option', {}, mediaType.includes('*') ? anyType : mediaType),
    )
    const select = element('select', { id: this.#options.idOf() }, ...options)
    select.addEventListener('change', () => {
      this.chosen = this.#show(select.selectedIndex)
      this.#options.onChange()
    })
    return select
  }

  /**
   * @param {number} index
   * @returns {BodyForm}
   */
  #show(index) {
    const body = /** @type {Body} */ (this.#bodies[index])
    const form = this.#forms.get(body) ?? new BodyForm(body, this.#options)
    this.#forms.set(body, form)
    this.#place.replaceChildren(form.element)
    this.#showWords(form)
    return form
  }

  /** From fields to JSON, or back. */
  toggle() {
    this.chosen.toggle()
    this.#showWords(this.chosen)
  }

  /**
   * What is said of a body matters to its author; a form can only be filled in.
   *
   * @param {BodyForm} form
   */
  #showWords(form) {
    this.#words.hidden = !form.isText || this.#words.textContent === ''
  }
}
