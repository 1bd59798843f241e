/**
 * Bytes of a connection -> HTTP answers, one at a time, for a load that has to cost less than what it drives: of the
 * head only the status and the length are looked at. Bodies have a length or come in chunks.
 */
export interface Reply {
  readonly status: number
  /** Part of what was given to `read`; code that keeps it makes a copy. */
  readonly body: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

export class AnswerReader {
  /** Room for the whole of an answer whose length is known, and how many of its bytes have arrived. */
  #whole: Buffer | undefined
  #filled = 0
  /** Copies of what came so far of any other answer that is not whole. */
  #parts: Buffer[] = []
  #isChunked = false

  /** The answer when it is whole. Throws if there is more than that, or no answer that it can read. */
  read(bytes: Buffer): Reply | undefined {
    if (this.#whole !== undefined) return this.#fill(this.#whole, bytes)
    if (this.#parts.length === 0) return this.#parse(bytes)
    this.#parts.push(Buffer.from(bytes))
    // A server may send thousands of small chunks. The last one may itself come in two pieces.
    if (this.#isChunked && bytes.length >= lastChunk.length && !endsWith(bytes, lastChunk)) return undefined
    const all = Buffer.concat(this.#parts)
    this.#parts = []
    return this.#parse(all)
  }

  #parse(bytes: Buffer): Reply | undefined {
    const end = bytes.indexOf(headEnd)
    if (end < 0) return this.#keep(bytes)
    const head = bytes.toString('latin1', 0, end)
    if (!head.startsWith('HTTP/1.1 ')) throw new Error(`no HTTP answer: ${head}`)
    const status = Number(head.slice(9, 12))
    const start = end + headEnd.length
    const [, digits] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
    if (digits === undefined) {
      if (!/\r\ntransfer-encoding: chunked/i.test(head)) throw new Error(`neither a length nor chunks: ${head}`)
      this.#isChunked = true
      const body = endsWith(bytes, lastChunk) ? joinChunks(bytes, start) : undefined
      if (body === undefined) return this.#keep(bytes)
      this.#isChunked = false
      return { status, body }
    }
    const bodyEnd = start + Number(digits)
    if (bytes.length > bodyEnd) throw new Error('more came than was asked for')
    if (bytes.length === bodyEnd) return { status, body: bytes.subarray(start) }
    this.#whole = Buffer.allocUnsafe(bodyEnd)
    this.#filled = bytes.copy(this.#whole)
    return undefined
  }

  #keep(bytes: Buffer): undefined {
    this.#parts = [Buffer.from(bytes)]
  }

  #fill(whole: Buffer, bytes: Buffer): Reply | undefined {
    if (this.#filled + bytes.length > whole.length) throw new Error('more came than was asked for')
    this.#filled += bytes.copy(whole, this.#filled)
    if (this.#filled < whole.length) return undefined
    this.#whole = undefined
    return this.#parse(whole)
  }
}

function endsWith(bytes: Buffer, ending: Buffer): boolean {
  return bytes.length >= ending.length && bytes.compare(ending, 0, ending.length, bytes.length - ending.length) === 0
}

/** The chunks from `start` on without their lengths; nothing if the last one is not there yet. */
function joinChunks(bytes: Buffer, start: number): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = start; at < bytes.length;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    at = lineEnd + 2 + length + 2
  }
  return undefined
}
