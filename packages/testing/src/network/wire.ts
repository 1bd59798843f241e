/** A connection on which a test writes its own bytes, and the answers that come back on it. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer as it came over the wire; header names are in lower case, a repeated header is joined. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A connection on which a test writes its own bytes. */
export class Wire {
  readonly socket: Socket
  /** Resolves when the server has closed its side, or the connection is gone. */
  readonly closed: Promise<void>
  /** What has come and was not taken; pieces are joined when somebody looks at them. */
  #pieces: Buffer[] = []
  #length = 0
  #isClosed = false
  #wake: () => void = () => undefined
  readonly #tellClosed: () => void

  static async open(port: number): Promise<Wire> {
    // Half open, so that a test may end its side and still read.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return new Wire(socket)
  }

  private constructor(socket: Socket) {
    this.socket = socket
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#tellClosed = resolve
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.#pieces.push(chunk)
      this.#length += chunk.length
      this.#wake()
    })
    socket.on('end', () => this.#end())
    socket.on('close', () => this.#end())
  }

  get received(): string {
    return this.#join().toString('latin1')
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes)
  }

  /** The next answer. `bodiless` where none follows the head: to HEAD, and 100. */
  async answer({ bodiless = false } = {}): Promise<WireAnswer> {
    const head = await this.#take(() => {
      const end = this.#join().indexOf('\r\n\r\n')
      return end < 0 ? undefined : end + 4
    })
    const [first = '', ...lines] = head.toString('latin1').trimEnd().split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
      const key = name.toLowerCase()
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
    }
    const length = bodiless ? 0 : Number(headers['content-length'] ?? 0)
    const body = await this.#take(() => (this.#length >= length ? length : undefined))
    return { status: Number(first.split(' ')[1]), headers, text: body.toString('utf8') }
  }

  #join(): Buffer {
    const [first, ...others] = this.#pieces
    if (first !== undefined && others.length === 0) return first
    const joined = Buffer.concat(this.#pieces)
    this.#pieces = [joined]
    return joined
  }

  #end(): void {
    this.#isClosed = true
    this.#tellClosed()
    this.#wake()
  }

  async #take(lengthOf: () => number | undefined): Promise<Buffer> {
    for (;;) {
      const length = lengthOf()
      if (length !== undefined) {
        const received = this.#join()
        this.#pieces = [received.subarray(length)]
        this.#length -= length
        return received.subarray(0, length)
      }
      if (this.#isClosed) throw new Error(`closed after ${JSON.stringify(this.received.slice(0, 200))}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

/** Sends bytes on a connection of their own and gives the answer. */
export async function send(port: number, bytes: string | Buffer, options?: { bodiless: boolean }): Promise<WireAnswer> {
  const wire = await Wire.open(port)
  wire.write(bytes)
  try {
    return await wire.answer(options)
  } finally {
    wire.socket.destroy()
  }
}
