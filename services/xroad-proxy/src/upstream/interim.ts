/**
 * A client has to skip a `100 Continue` that it did not ask for (RFC 9110, 15.2). The HTTP client skips every interim
 * response but this one, for which it closes the connection. So this file changes the status of such a response to 102
 * before the client sees it: one byte, in place. The client still judges whether the head is valid HTTP.
 *
 * Sees the bytes of a socket as they arrive (arrivals.ts), and looks at them only where a response begins.
 */

/** What an interim response begins with; a dot stands for any digit. */
const start = Buffer.from('HTTP/1.. 1', 'latin1')
/** Where the last two digits of the status stand. */
const second = start.length
const third = second + 1
const zero = 0x30
const two = 0x32
const one = 0x31
const lineFeed = 0x0a
const carriageReturn = 0x0d
const dot = 0x2e

export class Interim {
  /** Place in the first line of a response; -1 where no response begins. */
  #at = -1
  /** Whether the second digit of the status is a zero. */
  #isZero = false
  /** Inside the head of an interim response: how much of the empty line at its end has been seen. */
  #ending = -1

  /** A response is the next that comes. */
  expect(): void {
    this.#at = 0
    this.#ending = -1
  }

  /** Bytes have arrived, however they are cut. */
  look(chunk: Buffer): void {
    for (let i = 0; i < chunk.length && this.#at !== -1; i++) {
      if (this.#ending !== -1) this.#passHead(chunk[i] as number)
      else this.#readLine(chunk, i)
    }
  }

  #readLine(chunk: Buffer, i: number): void {
    const byte = chunk[i] as number
    if (this.#at < start.length) {
      const isLineEnd = this.#at === 0 && (byte === carriageReturn || byte === lineFeed)
      if (!isLineEnd) this.#at = isLike(byte, this.#at) ? this.#at + 1 : -1
    } else if (this.#at === second) {
      this.#isZero = byte === zero
      // 101 is for the client to refuse: what follows it is not HTTP.
      this.#at = third
    } else {
      if (this.#isZero && byte === zero) chunk[i] = two
      if (this.#isZero && byte === one) this.#at = -1
      else this.#ending = 0
    }
  }

  /** Until the empty line; then the next response begins. */
  #passHead(byte: number): void {
    if (byte === lineFeed) this.#ending++
    else if (byte !== carriageReturn) this.#ending = 0
    if (this.#ending === 2) this.expect()
  }
}

function isLike(byte: number, at: number): boolean {
  const expected = start[at] as number
  return expected === dot ? isDigit(byte) || byte === dot : byte === expected
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 0x39
}
