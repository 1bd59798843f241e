/**
 * One content in the codings that clients accept. Makes them once, off the event loop, for the first client who accepts
 * one: a start does not wait for what may never be needed. Owns status and headers of the answer; the caller owns its
 * media type.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { chooseCoding, type Coding } from './coding.ts'
import { etagOf, isKnown } from './etag.ts'

/** An answer of bytes. */
export interface CodedReply {
  /** 200, or 304 for a copy that is still good. The body of a 304 must be left out; its length is that of the 200. */
  readonly status: number
  readonly body: Buffer
  /** Names in lower case -> values. */
  readonly headers: Readonly<Record<string, string>>
}

/** The same content in every coding that makes it shorter, ready to be sent. */
type Replies = Readonly<Partial<Record<Coding, CodedReply | undefined>>>

/** What is known about a content before it is compressed. */
interface Plain {
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly whole: CodedReply
  /** For a copy that is still good. */
  readonly known: CodedReply
}

export class CodedContent {
  readonly #body: Buffer
  readonly #headers: Readonly<Record<string, string>>
  #plain: Plain | undefined
  #replies: Promise<Replies> | undefined

  /** `headers` go with every answer. */
  constructor(body: Buffer, headers: Readonly<Record<string, string>> = {}) {
    this.#body = body
    this.#headers = headers
  }

  /**
   * 200 in the coding that the client prefers, or 304. `accepted` is Accept-Encoding, `given` If-None-Match; lines of
   * one name are joined by commas.
   */
  reply(accepted: string | undefined, given: string | undefined): CodedReply | Promise<CodedReply> {
    const { etag, known, whole } = (this.#plain ??= toPlain(this.#body, this.#headers))
    if (isKnown(etag, given)) return known
    return chooseCoding(accepted, codings) === 'identity' ? whole : this.#replyCoded(accepted)
  }

  async #replyCoded(accepted: string | undefined): Promise<CodedReply> {
    const plain = (this.#plain ??= toPlain(this.#body, this.#headers))
    this.#replies ??= toReplies(plain, this.#body).catch((error: unknown) => {
      // The next client tries again.
      this.#replies = undefined
      throw error
    })
    const replies = await this.#replies
    const offered = codings.filter((coding) => replies[coding] !== undefined)
    return replies[chooseCoding(accepted, offered)] ?? plain.whole
  }
}

function toPlain(body: Buffer, others: Readonly<Record<string, string>>): Plain {
  const etag = etagOf(body)
  // Confirmed with each use, because the content changes with a start and its address stays.
  const headers = { ...others, etag, vary: 'accept-encoding', 'cache-control': 'no-cache' }
  const whole = { status: 200, body, headers }
  return { etag, headers, whole, known: { ...whole, status: 304 } }
}

/** High enough to halve the bytes of a fast one, low enough that the first client does not feel it. */
const levels = { br: 6, gzip: 7 }

async function toReplies({ headers, whole }: Plain, body: Buffer): Promise<Replies> {
  const brotli = {
    params: { [constants.BROTLI_PARAM_QUALITY]: levels.br, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  }
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(body, brotli),
    promisify(gzip)(body, { level: levels.gzip }),
  ])
  const coded = (coding: Coding, bytes: Buffer): CodedReply | undefined =>
    bytes.length < body.length
      ? { status: 200, body: bytes, headers: { ...headers, 'content-encoding': coding } }
      : undefined
  return { br: coded('br', br), gzip: coded('gzip', gzipped), identity: whole }
}

/** The shortest first: it wins if the client has no preference. */
const codings: readonly Coding[] = ['br', 'gzip', 'identity']
