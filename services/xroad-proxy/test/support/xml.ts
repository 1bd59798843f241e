/**
 * The rules of translation a second time, written for plainness: XML is read into a tree, the tree becomes JSON text by
 * recursion. What the service makes in one pass has to be the same, character by character.
 */
import { SaxesParser } from 'saxes'

export interface XmlElement {
  readonly name: string
  readonly attributes: readonly (readonly [string, string])[]
  readonly content: readonly (XmlElement | string)[]
}

export function readTree(xml: string): XmlElement {
  const root = { name: '', attributes: [], content: [] as (XmlElement | string)[] }
  const open = [root]
  const parser = new SaxesParser()
  const add = (each: XmlElement | string): void => void open.at(-1)?.content.push(each)
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('doctype', () => {
    throw new Error('DOCTYPE')
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: Object.entries(attributes), content: [] as (XmlElement | string)[] }
    add(element)
    open.push(element as unknown as typeof root)
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml.replace(/^\ufeff/, '')).close()
  const document = root.content.find((each) => typeof each !== 'string')
  if (document === undefined) throw new Error('no root')
  return document
}

/** Body and headers of the answer, as JSON text. */
export function toAnswer(root: XmlElement): { body: string; headers: string } {
  if (localName(root) !== 'Envelope') return { body: `{${quote(root.name)}:${toJson(root)}}`, headers: 'null' }
  const pick = (name: string): string =>
    toList(elementsOf(root).filter((element) => localName(element) === name)) ?? 'null'
  return { body: pick('Body'), headers: pick('Header') }
}

export function toJson(element: XmlElement): string {
  const text = textOf(element)
  const elements = elementsOf(element)
  if (element.attributes.length + elements.length === 0) return toLeaf(text)
  const names = [...new Set(elements.map(({ name }) => name))]
  return `{${[
    ...element.attributes.map(([name, value]) => `${quote(`@${name}`)}:${quote(value)}`),
    ...names.map((name) => `${quote(name)}:${toList(elements.filter((each) => each.name === name))}`),
    ...(text === '' ? [] : [`"#text":${quote(text)}`]),
  ].join(',')}}`
}

export function localName({ name }: XmlElement): string {
  return name.replace(/^.*:/, '')
}

export function elementsOf({ content }: XmlElement): XmlElement[] {
  return content.filter((each) => typeof each !== 'string')
}

function textOf({ content }: XmlElement): string {
  const text = content.filter((each) => typeof each === 'string').join('')
  return text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '')
}

function toList(elements: readonly XmlElement[]): string | undefined {
  const values = elements.map((element) => toJson(element))
  return values.length > 1 ? `[${values.join(',')}]` : values[0]
}

function toLeaf(text: string): string {
  if (text === '') return 'null'
  if (text === 'true' || text === 'false') return text
  if (!/^[+-]?\d+$/.test(text) || /^[+-]?0\d|^-0$/.test(text)) return quote(text)
  const value = BigInt(text.replace('+', ''))
  return BigInt.asIntN(64, value) === value ? String(value) : quote(text)
}

function quote(text: string): string {
  return JSON.stringify(text)
}
