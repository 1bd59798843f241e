/**
 * Sends a request and shows what comes back: status, time, size; a table where there is one, the content in its own
 * kind, the headers.
 */
import { copyButton, element } from '../element/docs-element.js'
import { tabs } from '../element/docs-tabs.js'
import { layOutJson, readJson } from '../text/docs-json.js'
import { layOutXml } from '../text/docs-xml.js'
import { fileName, readContent } from './docs-content.js'
import { showSections, toSections } from './docs-object.js'
import { mistakesIn, showProblem } from './docs-problem.js'
import { count, showLists, toLists } from './docs-table.js'

/**
 * @typedef {import('../element/docs-tabs.js').Tab} Tab
 * @typedef {import('./docs-content.js').ReadContent} ReadContent
 */

/** @typedef {{ readonly name: string, readonly value: string | File }} Part */
/**
 * A request, ready to be sent.
 *
 * @typedef {object} Prepared
 * @property {string} method
 * @property {string} url
 * @property {readonly (readonly [name: string, value: string])[]} headers
 * @property {string | File | readonly Part[] | undefined} body Parts are sent as multipart/form-data.
 */

/** What to show, and what the service says about single values, by their names. */
/** @typedef {{ readonly shown: HTMLElement, readonly mistakes: ReadonlyMap<string, string> }} Answered */
/** @typedef {{ readonly bytes: Uint8Array<ArrayBuffer>, readonly isCut: boolean }} Received */

/** Longer answers are cut for the page; curl gets them whole. */
const maxBytes = 8 * 1024 * 1024
/** Longer texts are shown without colours. */
const maxColoured = 200_000

/**
 * Sends the request, and returns what to show. Rejects only when `signal` gave it up.
 *
 * @param {Prepared} request
 * @param {boolean} isBatch
 * @param {AbortSignal} signal
 * @returns {Promise<Answered>}
 */
export async function send({ method, url, headers, body }, isBatch, signal) {
  const started = performance.now()
  try {
    const init = { method, headers: headers.map(([name, value]) => [name, value]), signal, cache: 'no-store' }
    const content = body === undefined ? {} : { body: toContent(body) }
    // Followed, it would lead to another service, where the policy of the page ends it.
    const manner = { redirect: 'manual' }
    const response = await fetch(url, /** @type {RequestInit} */ ({ ...init, ...manner, ...content }))
    if (response.type === 'opaqueredirect')
      return tellOnly('A redirect.', 'Browsers tell pages nothing more about it; curl does.')
    const received = await receive(response)
    return showAnswer(response, received, performance.now() - started, isBatch)
  } catch (error) {
    if (signal.aborted) throw error
    const why = error instanceof Error ? error.message : String(error)
    return tellOnly('No answer.', why)
  }
}

/**
 * @param {string} what
 * @param {string} why
 * @returns {Answered}
 */
function tellOnly(what, why) {
  const shown = element(
    'div',
    { class: 'answer' },
    element('div', { class: 'problem' }, element('strong', {}, what), ' ', why),
  )
  return { shown, mistakes: new Map() }
}

/**
 * @param {string | File | readonly Part[]} body
 * @returns {string | File | FormData}
 */
function toContent(body) {
  if (typeof body === 'string' || body instanceof File) return body
  const form = new FormData()
  for (const { name, value } of body) form.append(name, value)
  return form
}

/**
 * @param {Response} response
 * @returns {Promise<Received>}
 */
async function receive(response) {
  /** @type {Uint8Array<ArrayBuffer>[]} */
  const pieces = []
  let size = 0
  let isCut = false
  const reader = response.body?.getReader()
  for (let ended = reader === undefined; !ended && !isCut;) {
    const { done, value } = await /** @type {ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>} */ (reader).read()
    ended = done
    if (value === undefined) continue
    pieces.push(value)
    size += value.length
    isCut = size > maxBytes
  }
  if (isCut) await reader?.cancel()
  return { bytes: new Uint8Array(await new Blob(pieces).arrayBuffer()), isCut }
}

/**
 * @param {Response} response
 * @param {Received} received
 * @param {number} ms
 * @param {boolean} isBatch
 * @returns {Answered}
 */
function showAnswer(response, received, ms, isBatch) {
  const { bytes, isCut } = received
  const content = readContent(bytes, response.headers.get('content-type') ?? '')
  const value = content.kind === 'json' && !isCut ? parse(content.text) : undefined
  const lists = response.ok ? toLists(value) : undefined
  const facts = [
    `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`,
    ...(lists === undefined ? [] : [count(lists.reduce((sum, rows) => sum + rows.length, 0))]),
    sizeWords(bytes.length),
  ]
  const status = element('span', { class: response.ok ? 'status good' : 'status bad' }, statusWords(response))
  const head = element('p', { class: 'facts' }, status, ...facts.map((fact) => element('span', {}, fact)))
  const cut = isCut
    ? element('p', { class: 'problem' }, 'The answer is longer than this; curl gets all of it.')
    : undefined
  const problem = response.ok ? undefined : showProblem(value)
  const table = response.ok ? tableTab(value, isBatch) : []
  const all = [...table, ...contentTabs(response, received, content), headersTab(response)]
  const shown = element('div', { class: 'answer' }, head, problem, cut, tabs('Answer', all))
  return { shown, mistakes: response.ok ? new Map() : mistakesIn(value) }
}

/**
 * @param {unknown} value
 * @param {boolean} isBatch
 * @returns {Tab[]}
 */
function tableTab(value, isBatch) {
  const lists = toLists(value)
  if (lists !== undefined) return [{ name: 'Table', show: () => showLists(lists, isBatch && Array.isArray(value)) }]
  const sections = toSections(value)
  return sections === undefined ? [] : [{ name: 'Table', show: () => showSections(sections) }]
}

/**
 * @param {Response} response
 * @param {Received} received
 * @param {ReadContent} content
 * @returns {Tab[]}
 */
function contentTabs(response, { bytes, isCut }, { kind, type, text }) {
  const blob = () => new Blob([bytes], { type })
  const name = fileName(response.url, type, response.headers.get('content-disposition'))
  const saving = isCut ? undefined : saveButton(blob, name)
  if (bytes.length === 0) return [{ name: 'Body', show: () => element('p', { class: 'nothing' }, 'No content.') }]
  switch (kind) {
    case 'json':
      return [{ name: 'JSON', show: () => showText(text, layOutJson(text), saving) }]
    case 'xml':
      return [{ name: 'XML', show: () => showText(text, layOutXml(text), saving) }]
    case 'text':
      return [{ name: 'Text', show: () => showText(text, undefined, saving) }]
    case 'picture':
      return [{ name: 'Picture', show: () => showPicture(blob(), saving) }]
    case 'file':
      return [
        {
          name: 'File',
          show: () => element('p', { class: 'file' }, `${type || 'A file'}, not shown here.`, ' ', saving),
        },
      ]
  }
}

/**
 * @param {Response} response
 * @returns {Tab}
 */
function headersTab({ headers }) {
  const rows = Array.from(headers, ([name, value]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value)),
  )
  const table = element('table', { class: 'pairs' }, element('tbody', {}, ...rows))
  return {
    name: 'Headers',
    show: () => element('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': 'Headers' }, table),
  }
}

/**
 * @param {Response} response
 * @returns {string}
 */
function statusWords({ status, statusText }) {
  return statusText === '' ? String(status) : `${status} ${statusText}`
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function parse(text) {
  try {
    return readJson(text)
  } catch {
    return undefined
  }
}

/**
 * @param {number} bytes
 * @returns {string}
 */
function sizeWords(bytes) {
  if (bytes < 1024) return `${bytes} B`
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/**
 * @param {string} text
 * @param {readonly (readonly [kind: string, text: string])[] | undefined} laidOut
 * @param {HTMLElement | undefined} saving
 * @returns {HTMLElement}
 */
function showText(text, laidOut, saving) {
  const whole = laidOut?.map(([, part]) => part).join('') ?? text
  const pre = element('pre', { tabindex: 0 })
  if (laidOut === undefined || text.length > maxColoured) pre.textContent = whole
  else pre.append(...laidOut.map(([kind, part]) => (kind === 'sign' ? part : element('span', { class: kind }, part))))
  const buttons = element(
    'p',
    { class: 'buttons' },
    copyButton('Copy', () => whole),
    saving,
  )
  return element('div', { class: 'json' }, buttons, pre)
}

/**
 * @param {Blob} blob
 * @param {HTMLElement | undefined} saving
 * @returns {HTMLElement}
 */
function showPicture(blob, saving) {
  const image = element('img', { src: URL.createObjectURL(blob), alt: 'The picture that the service answers with' })
  image.addEventListener('load', () => URL.revokeObjectURL(image.src))
  return element('div', { class: 'picture' }, element('p', { class: 'buttons' }, saving), image)
}

/**
 * @param {() => Blob} blob
 * @param {string} name
 * @returns {HTMLButtonElement}
 */
function saveButton(blob, name) {
  const save = () => {
    const url = URL.createObjectURL(blob())
    element('a', { href: url, download: name }).click()
    // Not at once: the browser reads it when it likes.
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return element('button', { type: 'button', class: 'quiet', onclick: save }, 'Save')
}
