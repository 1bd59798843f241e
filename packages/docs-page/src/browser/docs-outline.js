/**
 * A schema -> what it holds, as a list that unfolds: names, types, bounds and words. Parts are made when they are first
 * unfolded.
 */
import { readChoices } from './description/docs-body-types.js'
import { boundWords, typeWords } from './description/docs-schema.js'
import { element } from './element/docs-element.js'

/**
 * @typedef {import('./description/docs-parts.js').Parts} Parts
 * @typedef {import('./description/docs-parts.js').Opened} Opened
 * @typedef {import('./description/docs-schema.js').Schema} Schema
 */

/** @typedef {{ readonly name: string, readonly schema: Schema }} Member */

/** A chain of objects with one member each is unfolded so far. */
const maxChain = 6

/**
 * @param {Parts} parts
 * @param {Schema} schema
 * @returns {HTMLElement | undefined} Nothing where no members are known.
 */
export function showOutline(parts, schema) {
  const members = membersOf(parts, schema)
  return members.length === 0 ? undefined : listMembers(parts, schema, members, 0)
}

/**
 * Whether a value of it has members of its own.
 *
 * @param {Parts} parts
 * @param {Schema} schema
 * @returns {boolean}
 */
export function isNested(parts, schema) {
  return membersOf(parts, schema).length > 0
}

/**
 * Of an object, or of the objects in a list; alternatives are members without a name of their own.
 *
 * @param {Parts} parts
 * @param {Schema} schema
 * @param {number} [depth] Of alternatives inside each other.
 * @returns {readonly Member[]}
 */
function membersOf(parts, schema, depth = 0) {
  const opened = parts.openItems(schema)
  const own = Object.entries(opened.properties ?? {}).map(([name, part]) => ({ name, schema: part }))
  const known = new Set(own.map(({ name }) => name))
  const branches = [...(opened.choices ?? []).flat(), ...(opened.anyOf ?? [])]
  // One that is among its own alternatives says nothing new.
  const inside = depth > maxChain ? [] : branches.flatMap((branch) => membersOf(parts, branch, depth + 1))
  const more = inside.filter(({ name }) => !known.has(name))
  const others =
    typeof opened.additionalProperties === 'object' ? [{ name: '…', schema: opened.additionalProperties }] : []
  return [...own, ...more, ...others]
}

/**
 * @param {Parts} parts
 * @param {Schema} schema
 * @param {readonly Member[]} members
 * @param {number} depth
 * @returns {HTMLElement}
 */
function listMembers(parts, schema, members, depth) {
  const isChain = members.length === 1 && depth < maxChain
  const choices = readChoices(parts, parts.openItems(schema)).map((options) =>
    element('li', { class: 'note' }, `One of: ${options.map(({ label }) => label).join(' | ')}`),
  )
  const shown = members.map((member) => showMember(parts, member, isChain, depth))
  return element('ul', { class: 'outline' }, ...choices, ...shown)
}

/**
 * @param {Parts} parts
 * @param {Member} member
 * @param {boolean} isOpen
 * @param {number} depth
 * @returns {HTMLElement}
 */
function showMember(parts, { name, schema }, isOpen, depth) {
  const opened = parts.open(schema)
  const facts = [typeWords(opened), ...boundWords(opened)].filter((words) => words !== '').join(', ')
  const head = [element('code', {}, name), ' ', element('span', { class: 'type' }, facts)]
  const note = opened.description === undefined ? undefined : element('p', { class: 'note' }, opened.description)
  if (!isNested(parts, schema)) return element('li', {}, ...head, note)
  const details = element('details', {}, element('summary', {}, ...head), note)
  const fill = () => {
    if (details.open && details.querySelector('ul') === null) {
      details.append(listMembers(parts, schema, membersOf(parts, schema), depth + 1))
    }
  }
  details.addEventListener('toggle', fill)
  details.open = isOpen
  fill()
  return element('li', {}, details)
}
