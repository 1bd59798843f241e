/**
 * Which coding a client gets (RFC 9110, 12.5.3): Accept-Encoding and what is on offer come in, one of these goes out.
 */
import { readWeights } from './weights.ts'

export type Coding = 'zstd' | 'br' | 'gzip' | 'identity'

/**
 * The coding with the greatest weight among those on offer. Clients who accept none of them get plain bytes, even if
 * they refuse those: the RFC allows it, and a page is more useful than a 406.
 */
export function chooseCoding(accepted: string | undefined, offered: readonly Coding[]): Coding {
  if (accepted === undefined) return 'identity'
  const weights = new Map(readWeights(accepted).map(({ name, weight }) => [name === 'x-gzip' ? 'gzip' : name, weight]))
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
