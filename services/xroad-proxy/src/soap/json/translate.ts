/**
 * XML text in pieces in, JSON texts of a SOAP response out, in one pass: while an element is open, the JSON of what it
 * holds so far is kept as text; no tree is built of either side. Also the two limits on what is read. reader.ts turns
 * the events of a document into JSON.
 *
 * Knows neither where the bytes come from nor their charset.
 */
import type { Translation } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import type { Translated } from './frame.ts'
import type { Include } from './inclusions.ts'
import { type Limits, Reader } from './reader.ts'
import type { Member } from './shape.ts'

/** Levels of elements, the root being the first. */
export const maxDepth = 128

/** Tags, attributes, texts, CDATA sections, comments, processing instructions and the declaration of one document. */
export const maxEvents = 100_000

const defaultLimits: Limits = { depth: maxDepth, events: maxEvents }

interface TranslationOptions {
  readonly limits?: Limits
  /** What the Body holds; without it everything is translated by the plain rules. */
  readonly body?: Member | undefined
  /** Puts what an xop:Include names in its place. */
  readonly include?: Include | undefined
}

/** A step for each piece, so that other requests are served meanwhile. */
export function* translateInSteps(
  pieces: Iterable<string>,
  { limits = defaultLimits, body, include }: TranslationOptions = {},
): Steps<Translated> {
  const reader = new Reader(limits, body, include)
  let isFirst = true
  for (const piece of pieces) {
    if (!isFirst) yield
    reader.read(piece, isFirst)
    isFirst = false
  }
  return reader.end()
}

/** With each text in one piece. */
export function toWhole({ body, headers, fault, attachments }: Translated): Translation {
  const whole = { body: String(body), headers: String(headers), fault }
  return attachments === undefined ? whole : { ...whole, attachments: String(attachments) }
}
