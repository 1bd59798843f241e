/** Translations of a document that is one text, which is cut into pieces as decoded bytes come, or of such pieces. */
import type { Translation } from '../../src/model.ts'
import type { Include } from '../../src/soap/json/inclusions.ts'
import type { Limits } from '../../src/soap/json/reader.ts'
import type { Member } from '../../src/soap/json/shape.ts'
import { toWhole, translateInSteps as translatePieces } from '../../src/soap/json/translate.ts'
import { finish } from '../../src/steps.ts'

interface PieceOptions {
  readonly limits?: Limits
  readonly body?: Member | undefined
  readonly include?: Include | undefined
  /** Of a piece. */
  readonly characters?: number
}

export function translate(xml: string, limits?: Limits, body?: Member): Translation {
  return toWhole(finish(translateInSteps(xml, { body, ...(limits && { limits }) })))
}

export function translateInSteps(
  xml: string | Iterable<string>,
  { characters = 128 * 1024, ...options }: PieceOptions = {},
): ReturnType<typeof translatePieces> {
  return translatePieces(typeof xml === 'string' ? slices(xml, characters) : xml, options)
}

function* slices(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}
