/** Elements of the page, made by calls: no text is ever read as markup. */

/**
 * @typedef {Node | string | undefined} Child
 * @typedef {Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>} Attributes
 */

/**
 * A function is a listener (`onclick`), true an attribute without a value, false and undefined are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice('on'.length), value)
    else if (value === true) made.setAttribute(name, '')
    else if (value !== undefined && value !== false) made.setAttribute(name, String(value))
  }
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/**
 * A button that puts a text on the clipboard and says so.
 *
 * @param {string} label
 * @param {() => string} text
 * @returns {HTMLButtonElement}
 */
export function copyButton(label, text) {
  const button = element('button', { type: 'button', class: 'quiet', onclick: () => void copy() }, label)
  const copy = async () => {
    button.textContent = (await writeClipboard(text())) ? 'Copied' : 'Not copied'
    setTimeout(() => (button.textContent = label), 1500)
  }
  return button
}

/**
 * @param {string} text
 * @returns {Promise<boolean>}
 */
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelection(text)
  }
}

/**
 * Without TLS browsers have no clipboard for pages, but they copy what is selected.
 *
 * @param {string} text
 * @returns {boolean}
 */
function copySelection(text) {
  const area = element('textarea', { class: 'unseen', readonly: true })
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
