/** Which coding a client gets (RFC 9110, 12.5.3): Accept-Encoding and what is on offer come in, one of these goes out. */

export type Coding = 'br' | 'gzip' | 'identity'

/**
 * The coding with the greatest weight among those on offer. Clients who accept none of them get plain bytes, even if
 * they refuse those: the RFC allows it, and a page is more useful than a 406.
 */
export function chooseCoding(accepted: string | undefined, offered: readonly Coding[]): Coding {
  if (accepted === undefined) return 'identity'
  const weights = new Map(accepted.split(',').map(readCoding))
  const others = weights.get('*') ?? 0
  let chosen: Coding = 'identity'
  let most = weights.get('identity') ?? 0
  for (const coding of offered) {
    const weight = weights.get(coding) ?? others
    if (coding === 'identity' || weight <= 0 || weight < most || (weight === most && chosen !== 'identity')) continue
    chosen = coding
    most = weight
  }
  return chosen
}

function readCoding(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  return [coding === 'x-gzip' ? 'gzip' : coding, weight === undefined ? 1 : readWeight(weight)]
}

/** An invalid weight counts as a refusal. */
function readWeight(text: string): number {
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : 0
}
