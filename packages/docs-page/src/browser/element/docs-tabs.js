/**
 * Tabs as keyboards and screen readers expect them (WAI-ARIA): arrow keys between them, the Tab key into what they
 * show.
 */
import { element } from './docs-element.js'

/** @typedef {{ readonly name: string, readonly show: () => HTMLElement }} Tab Made when it is first shown. */

/** @type {Readonly<Record<string, number>>} */
const steps = { ArrowRight: 1, ArrowLeft: -1 }

let made = 0

/**
 * @param {string} label
 * @param {readonly Tab[]} all
 * @returns {HTMLElement}
 */
export function tabs(label, all) {
  made += 1
  const panels = all.map((_, index) => {
    return element('div', { role: 'tabpanel', id: `panel-${made}-${index}`, 'aria-labelledby': `tab-${made}-${index}` })
  })
  const buttons = all.map(({ name }, index) =>
    element(
      'button',
      {
        type: 'button',
        role: 'tab',
        id: `tab-${made}-${index}`,
        'aria-controls': `panel-${made}-${index}`,
        onclick: () => choose(index),
      },
      name,
    ),
  )
  /** @param {number} chosen */
  const choose = (chosen) => {
    for (const [index, panel] of panels.entries()) {
      const isChosen = index === chosen
      panel.hidden = !isChosen
      if (isChosen && panel.childElementCount === 0) panel.append(/** @type {Tab} */ (all[index]).show())
      buttons[index]?.setAttribute('aria-selected', String(isChosen))
      if (buttons[index] !== undefined) buttons[index].tabIndex = isChosen ? 0 : -1
    }
  }
  const list = element('div', { role: 'tablist', 'aria-label': label }, ...buttons)
  list.addEventListener('keydown', ({ key }) => {
    const at = buttons.findIndex((button) => button === document.activeElement)
    const step = steps[key]
    if (step === undefined || at < 0) return
    const next = (at + step + buttons.length) % buttons.length
    choose(next)
    buttons[next]?.focus()
  })
  choose(0)
  return element('div', { class: 'tabs' }, list, ...panels)
}
