/**
 * What can be wrong with the body of a request, and how a service that counts bytes hears of them before they are
 * kept.
 */

/** The body is larger than the limit. */
export class BodyTooLarge extends Error {
  readonly limit: number

  constructor(limit: number) {
    super(`the request body is larger than ${limit} bytes`)
    this.name = 'BodyTooLarge'
    this.limit = limit
  }
}

/** The client left, or sent something that is not a body, before the end. */
export class BodyCut extends Error {
  constructor() {
    super('the request body has no end')
    this.name = 'BodyCut'
  }
}

/**
 * Counts bytes that are about to be kept. A promise makes the reader wait; one that rejects ends the reading. `giveUp`
 * ends it at any time, with this reason, and keeps nothing. `isWhole`: with these bytes the body is complete, so its
 * client delays no other by sending slowly. A small body is read on while it waits: what it brings, and its end, are
 * reported too, and wait with the rest.
 */
export type Reserve = (bytes: number, giveUp: (reason: Error) => void, isWhole: boolean) => Promise<void> | undefined

export function isTooLarge(length: number | undefined, maxBytes: number): boolean {
  return length !== undefined && length > maxBytes
}
