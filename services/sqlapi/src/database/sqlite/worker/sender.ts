/**
 * The worker's end of a result that is sent while its rows arrive: never more than a few pieces ahead of the reader.
 */
import { collectLimit, pieceSize } from '../../result.ts'
import type { Claims } from '../claims.ts'
import type { Pieces } from './session.ts'

/** Pieces that may be in progress, with those that wait for the reader in the main thread. */
const ahead = 4

const encoder = new TextEncoder()

export class Sender implements Pieces {
  readonly #claim: number
  readonly #claims: Claims
  readonly #post: (piece: Uint8Array<ArrayBuffer>) => void
  #sent = 0

  constructor(claim: number, claims: Claims, post: (piece: Uint8Array<ArrayBuffer>) => void) {
    this.#claim = claim
    this.#claims = claims
    this.#post = post
  }

  /** Until the first piece is sent, an error can still become the reply. Bytes are counted as characters. */
  get length(): number {
    return this.#sent === 0 ? collectLimit : pieceSize
  }

  /**
   * Stops this thread until the reader has taken enough. The connection could not be used for anything else: while the
   * rows are read it shows the moment at which their statement began, and no other job may see the past.
   */
  send(json: string): void {
    this.#claims.awaitCredit(this.#claim, this.#sent, ahead)
    this.#sent++
    this.#post(encoder.encode(json))
  }
}
