/** Which of several media types a client gets by its `Accept` (RFC 9110, 12.5.1). Pure. */
import { readWeights, type Weighted } from './weights.ts'

/** What can be sent. */
export interface Offer {
  /** In lower case, such as `text/csv`. */
  readonly type: string
  /** What else is true of it, such as `charset=utf-8`: a range that asks for anything else does not mean it. */
  readonly parameters: readonly string[]
}

/**
 * The offer with the greatest weight; of equals the one that the client names more exactly, then the earlier one.
 * Undefined where it accepts none.
 */
export function chooseMediaType<Offered extends Offer>(
  accept: string,
  offers: readonly Offered[],
): Offered | undefined {
  const ranges = readWeights(accept)
  let chosen: Offered | undefined
  let best = { weight: 0, exactness: 0 }
  for (const offer of offers) {
    const judged = judge(offer, ranges)
    if (judged.weight === 0 || judged.weight < best.weight) continue
    if (judged.weight === best.weight && judged.exactness <= best.exactness) continue
    chosen = offer
    best = judged
  }
  return chosen
}

/** Of all ranges that mean the offer the most exact one counts. */
function judge(offer: Offer, ranges: readonly Weighted[]): { readonly weight: number; readonly exactness: number } {
  let found = { weight: 0, exactness: 0 }
  for (const range of ranges) {
    const exactness = exactnessOf(range, offer)
    if (exactness > found.exactness) found = { weight: range.weight, exactness }
  }
  return found
}

/** 0 for a range that does not mean the offer. */
function exactnessOf({ name, parameters }: Weighted, offer: Offer): number {
  if (!parameters.every((parameter) => offer.parameters.includes(unquoted(parameter)))) return 0
  if (name === offer.type) return 3 + parameters.length
  if (name === `${offer.type.split('/', 1)[0]}/*`) return 2
  // Java's own client sends a star alone.
  return name === '*/*' || name === '*' ? 1 : 0
}

function unquoted(parameter: string): string {
  return parameter.replace(/="(.*)"$/, '=$1')
}
