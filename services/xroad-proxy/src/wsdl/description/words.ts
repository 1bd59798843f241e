/**
 * What a WSDL says to people -> `title` and `description` of a JSON Schema. The language that comes first is in plain
 * text; the others follow it, each with its language in front, and are in `x-titles` and `x-notes` by language too.
 */
import type { SimpleType } from '../schema/simple-type.ts'
import { type Documentation, type LocalText, textIn } from '../xml/documentation.ts'
import type { Json, JsonSchema } from './value-schema.ts'

export function toWords({ titles, notes, texts }: Documentation): JsonSchema {
  const title = textIn(titles)
  const own = [textIn(notes), textIn(texts)].filter((text) => text !== undefined)
  const description = [...own, ...others(titles), ...others(notes), ...others(texts)].join('\n\n')
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === '' ? {} : { description }),
    ...byLanguage('x-titles', titles),
    ...byLanguage('x-notes', notes),
  }
}

/** The words of each enumerated value, where the WSDL explains them. */
export function toValueWords({ enumeration }: SimpleType): string {
  return enumeration
    .map(({ value, documentation: { titles, texts } }) => ({ value, all: [...titles, ...texts] }))
    .filter(({ all }) => all.length > 0)
    .map(({ value, all }) => `${value}: ${[textIn(all) ?? '', ...others(all)].join('; ')}`)
    .join('\n')
}

/** The texts that do not come first, with their languages; what was said already is not said again. */
function others(texts: readonly LocalText[]): readonly string[] {
  const first = textIn(texts)
  const rest = texts.filter(({ text }) => text !== first)
  return [...new Set(rest.map(({ language, text }) => (language === '' ? text : `${language}: ${text}`)))]
}

const unknownLanguage = 'und'

function byLanguage(key: string, texts: readonly LocalText[]): JsonSchema {
  const found = new Map<string, Json>()
  for (const { language, text } of texts) {
    const tag = language || unknownLanguage
    if (!found.has(tag)) found.set(tag, text)
  }
  return found.size < 2 ? {} : { [key]: Object.fromEntries(found) }
}
