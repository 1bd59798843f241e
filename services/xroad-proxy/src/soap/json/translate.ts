/**
 * XML text in, JSON texts of a SOAP response out, in one pass: while an element is open, the JSON of what it holds so
 * far is kept as text; no tree is built of either side. Also the two limits on what is read. reader.ts turns the events
 * of a document into JSON.
 *
 * Knows neither where the bytes come from nor their charset: each piece must hold whole surrogate pairs.
 */
import type { Translation } from '../../model.ts'
import { finish, type Steps } from '../../steps.ts'
import type { Translated } from './frame.ts'
import type { Include } from './inclusions.ts'
import { type Limits, Reader } from './reader.ts'
import type { Member } from './shape.ts'

/** Levels of elements, the root being the first. */
export const maxDepth = 128

/** Tags, attributes, texts, CDATA sections, comments, processing instructions and the declaration of one document. */
export const maxEvents = 100_000

/** Characters that are read in one step; some milliseconds of work. */
const stepCharacters = 128 * 1024

const defaultLimits: Limits = { depth: maxDepth, events: maxEvents }

/** `body` says what the Body holds; without it everything is translated by the plain rules. */
export function translate(xml: string, limits: Limits = defaultLimits, body?: Member): Translation {
  return toWhole(finish(translateInSteps(xml, { limits, body })))
}

/** With each text in one piece. */
export function toWhole({ body, headers, fault, attachments }: Translated): Translation {
  const whole = { body: String(body), headers: String(headers), fault }
  return attachments === undefined ? whole : { ...whole, attachments: String(attachments) }
}

interface StepOptions {
  readonly limits?: Limits
  readonly body?: Member | undefined
  readonly characters?: number
  /** Puts what an xop:Include names in its place. */
  readonly include?: Include | undefined
}

/** The same for a text that may be long, or comes in pieces, so that other requests are served meanwhile. */
export function* translateInSteps(
  xml: string | Iterable<string>,
  { limits = defaultLimits, body, characters = stepCharacters, include }: StepOptions = {},
): Steps<Translated> {
  const reader = new Reader(limits, body, include)
  let isFirst = true
  for (const piece of typeof xml === 'string' ? slices(xml, characters) : xml) {
    if (!isFirst) yield
    reader.read(piece, isFirst)
    isFirst = false
  }
  return reader.end()
}

function* slices(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}
