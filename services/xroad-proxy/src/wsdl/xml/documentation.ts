/**
 * What a WSDL says to people about an operation, an element or a value: the titles and notes of X-Road and plain
 * documentation, each with its language. Where they may be differs (inside `documentation`, `annotation`,
 * `appinfo`), so they are looked for at every depth below those.
 */
import { namespaces, toQName } from './qname.ts'
import type { XmlElement } from './xml.ts'

export interface Documentation {
  readonly titles: readonly LocalText[]
  readonly notes: readonly LocalText[]
  readonly texts: readonly LocalText[]
}

export interface LocalText {
  /** As in `xml:lang`; empty when it does not say. */
  readonly language: string
  readonly text: string
}

export const noDocumentation: Documentation = { titles: [], notes: [], texts: [] }

const holders: ReadonlySet<string> = new Set(['annotation', 'documentation'])
const language = toQName(namespaces.xml, 'lang')

/** The X-Road namespace has had several URIs, all with a name like this. */
const isXRoad = /x-road|x-rd|xtee/u

export function readDocumentation(element: XmlElement): Documentation {
  const found = element.children.filter((child) => holders.has(child.local)).flatMap(describe)
  if (found.length === 0) return noDocumentation
  const pick = (kind: Kind) =>
    found.filter((note) => note.kind === kind).map(({ language, text }) => ({ language, text }))
  return { titles: pick('title'), notes: pick('notes'), texts: pick('text') }
}

type Kind = 'title' | 'notes' | 'text'

function describe(element: XmlElement): { kind: Kind; language: string; text: string }[] {
  const text = element.text.replace(/\s+/gu, ' ').trim()
  const kind = kindOf(element)
  const own =
    kind === undefined || text === '' ? [] : [{ kind, language: element.attributes.get(language) ?? '', text }]
  return [...own, ...element.children.flatMap(describe)]
}

function kindOf({ namespace, local }: XmlElement): Kind | undefined {
  if (local === 'documentation') return 'text'
  return isXRoad.test(namespace) && (local === 'title' || local === 'notes') ? local : undefined
}

/** What the people read whom these services are for; `ee` is what authors write who mean `et`. */
const languages: readonly string[] = ['', 'et', 'ee', 'en']

/** The first text in one of the languages, in their order, or else the first there is. */
export function textIn(texts: readonly LocalText[]): string | undefined {
  for (const wanted of languages) {
    const match = texts.find((text) => text.language.toLowerCase().split('-', 1)[0] === wanted)
    if (match !== undefined) return match.text
  }
  return texts[0]?.text
}
