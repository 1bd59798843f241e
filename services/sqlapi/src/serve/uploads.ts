/**
 * Bodies that arrive in pieces: how many bytes they hold together, those of all connections. Beyond the limit the body
 * that began first is given up: a client that means to finish does so soon, and one that never does must not fill the
 * memory. A body that is alone may be of any size.
 */
import type { Reserve } from '@services/http-shell'

/** Of all bodies together, in bytes; more where single ones may be that large. */
const leastBytes = 134_217_728
const bodies = 4

export function maxArrivingBytes(maxBodyBytes: number): number {
  return Math.max(leastBytes, bodies * maxBodyBytes)
}

/** What the reader of a body that is given up hears. */
export class BodyGivenUp extends Error {
  constructor(maxBytes: number) {
    super(`Bodies that are arriving hold more than ${maxBytes} bytes; this one, which began first, was given up`)
    this.name = 'BodyGivenUp'
  }
}

interface Upload {
  held: number
  giveUp: (reason: Error) => void
}

export class Uploads {
  #held = 0
  /** In the order in which they began. */
  readonly #arriving = new Set<Upload>()

  /** For one body: counts it as it arrives, and forgets it when it is there, or will never be. */
  begin(maxBytes: number): { readonly reserve: Reserve; readonly end: () => void } {
    const upload: Upload = { held: 0, giveUp: () => undefined }
    return {
      reserve: (bytes, giveUp) => {
        this.#arriving.add(upload)
        upload.giveUp = giveUp
        upload.held += bytes
        this.#held += bytes
        this.#keepWithin(maxBytes)
        return undefined
      },
      end: () => this.#end(upload),
    }
  }

  #keepWithin(maxBytes: number): void {
    for (const upload of this.#arriving) {
      if (this.#held <= maxBytes || this.#arriving.size === 1) return
      this.#end(upload)
      upload.giveUp(new BodyGivenUp(maxBytes))
    }
  }

  #end(upload: Upload): void {
    if (this.#arriving.delete(upload)) this.#held -= upload.held
  }
}
