/**
 * The page: fetches the description, shows the list and the operation that the address names (`#get_crm_orders`).
 * Everything that is shown of a description is text, never markup.
 */
import { readDescription } from './description/docs-description.js'
import { decode } from './description/docs-parts.js'
import { element } from './element/docs-element.js'
import { readJson } from './text/docs-json.js'
import { List } from './docs-list.js'
import { showOperation } from './docs-operation.js'

/** @typedef {import('./description/docs-description.js').Description} Description */

/**
 * @template {Element} Wanted
 * @param {string} id
 * @param {new () => Wanted} kind
 * @returns {Wanted}
 */
function find(id, kind) {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no #${id}`)
  return found
}

const main = find('main', HTMLElement)
const search = find('search', HTMLInputElement)
const places = { list: find('list', HTMLElement), search, count: find('count', HTMLElement) }

/** @param {Description} description */
function start(description) {
  const { operations, base } = description
  find('version', HTMLElement).textContent = description.version
  const list = new List(operations, places)
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  for (const operation of operations) if (operation.batch !== undefined) byId.set(operation.batch.id, operation)
  const welcome = main.firstElementChild
  /** @type {Map<string, import('./docs-operation.js').View>} Forms keep what was typed in. */
  const views = new Map()
  /** @param {boolean} isFocused */
  const show = (isFocused) => {
    const operation = byId.get(decode(location.hash.slice(1)))
    document.body.classList.toggle('open', operation !== undefined)
    list.mark(operation)
    if (operation === undefined) {
      if (welcome !== null) main.replaceChildren(welcome)
      return
    }
    const view = views.get(operation.id) ?? showOperation(base, operation)
    views.set(operation.id, view)
    main.replaceChildren(view.element)
    main.scrollTop = 0
    scrollTo(0, 0)
    // A keyboard that comes up would hide half of a phone.
    if (isFocused && matchMedia('(pointer: fine)').matches) view.focus()
  }
  addEventListener('hashchange', () => show(true))
  show(false)
}

/** On a phone other things stay below the banner, which may take several lines. */
const banner = document.querySelector('.banner')
if (banner instanceof HTMLElement) {
  const measure = () => document.documentElement.style.setProperty('--banner', `${banner.offsetHeight}px`)
  new ResizeObserver(measure).observe(banner)
}

addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  search.focus()
  search.select()
})

async function load() {
  const link = document.querySelector('link[rel="service-desc"]')
  const address = link instanceof HTMLLinkElement ? link.href : ''
  try {
    const response = await fetch(address)
    if (!response.ok) throw new Error(`${address} answers ${response.status}`)
    const source = /** @type {import('./description/docs-description.js').OpenApi} */ (readJson(await response.text()))
    start(readDescription(source, address))
    performance.mark('ready')
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    main.replaceChildren(element('p', { class: 'problem' }, `The description cannot be shown: ${why}`))
  }
}

void load()
