/** Sends a request and shows what comes back: status, time, size; rows as a table, and the text as JSON. */
import { copyButton, element } from './docs-element.js'
import { layOutJson, readJson } from './docs-json.js'
import { count, showLists, toLists } from './docs-table.js'
import { tabs } from './docs-tabs.js'

/** @typedef {import('./docs-request.js').Prepared} Prepared */

/** Longer answers are cut for the page; curl gets them whole. */
const maxBytes = 8 * 1024 * 1024
/** Longer texts are shown without colours. */
const maxColoured = 200_000

/** @typedef {{ readonly text: string, readonly bytes: number, readonly isCut: boolean }} Received */

/**
 * Sends the request, and gives what to show. Rejects only when it was given up by `signal`.
 *
 * @param {Prepared} request
 * @param {boolean} isBatch
 * @param {AbortSignal} signal
 * @returns {Promise<HTMLElement>}
 */
export async function send({ method, url, headers, body }, isBatch, signal) {
  const started = performance.now()
  try {
    const init = { method, headers: headers.map(([name, value]) => [name, value]), signal, cache: 'no-store' }
    const response = await fetch(url, /** @type {RequestInit} */ (body === undefined ? init : { ...init, body }))
    const received = await receive(response)
    return showAnswer(response, received, performance.now() - started, isBatch)
  } catch (error) {
    if (signal.aborted) throw error
    const why = error instanceof Error ? error.message : String(error)
    return element('div', { class: 'problem' }, element('strong', {}, 'No answer.'), ' ', why)
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Received>}
 */
async function receive(response) {
  if (response.body === null) return { text: '', bytes: 0, isCut: false }
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return { text: text + decoder.decode(), bytes, isCut: false }
    bytes += value.length
    text += decoder.decode(value, { stream: true })
    if (bytes > maxBytes) {
      await reader.cancel()
      return { text, bytes, isCut: true }
    }
  }
}

/**
 * @param {Response} response
 * @param {Received} received
 * @param {number} ms
 * @param {boolean} isBatch
 * @returns {HTMLElement}
 */
function showAnswer(response, { text, bytes, isCut }, ms, isBatch) {
  const value = parse(text, isCut)
  const lists = response.ok ? toLists(value) : undefined
  const facts = [
    `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`,
    ...(lists === undefined ? [] : [count(lists.reduce((sum, rows) => sum + rows.length, 0))]),
    sizeWords(bytes),
  ]
  const status = element('span', { class: response.ok ? 'status good' : 'status bad' }, statusWords(response))
  const head = element('p', { class: 'facts' }, status, ...facts.map((fact) => element('span', {}, fact)))
  const cut = isCut
    ? element('p', { class: 'problem' }, 'The answer is longer than this; curl gets all of it.')
    : undefined
  const problem = response.ok ? undefined : showProblem(value)
  const json = () => showText(text)
  const table =
    lists === undefined ? [] : [{ name: 'Table', show: () => showLists(lists, isBatch && Array.isArray(value)) }]
  return element(
    'div',
    { class: 'answer' },
    head,
    problem,
    cut,
    tabs('Answer', [...table, { name: 'JSON', show: json }]),
  )
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
 * @param {boolean} isCut
 * @returns {unknown}
 */
function parse(text, isCut) {
  if (isCut) return undefined
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
 * An error by its name, in its words.
 *
 * @param {unknown} value
 * @returns {HTMLElement | undefined}
 */
function showProblem(value) {
  const { error, message } = /** @type {{ error?: unknown, message?: unknown }} */ (value ?? {})
  if (typeof error !== 'string' || typeof message !== 'string') return undefined
  return element('div', { class: 'problem' }, element('strong', {}, error), element('p', {}, message))
}

/**
 * @param {string} text
 * @returns {HTMLElement}
 */
function showText(text) {
  const laidOut = layOutJson(text)
  const whole = laidOut?.map(([, part]) => part).join('') ?? text
  const pre = element('pre', { tabindex: 0 })
  if (laidOut === undefined || text.length > maxColoured) pre.textContent = whole
  else pre.append(...laidOut.map(([kind, part]) => (kind === 'sign' ? part : element('span', { class: kind }, part))))
  return element(
    'div',
    { class: 'json' },
    copyButton('Copy', () => whole),
    pre,
  )
}
