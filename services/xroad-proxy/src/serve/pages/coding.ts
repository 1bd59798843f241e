/**
 * A page of the service in the codings that callers accept (RFC 9110, 12.5.3), and which of them a caller gets. Makes the codings
 * once, off the event loop, for the first caller who accepts one: the start does not wait for what may never be needed. Owns
 * Accept-Encoding, ETag and If-None-Match of the service's own pages.
 */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FileReply, RawHeaders } from '../../model.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/** The same content in every coding that makes it shorter, ready to be sent. */
type Replies = Readonly<Record<Coding, FileReply | undefined>>

/** What is known about a page before it is compressed. */
interface Plain {
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly whole: FileReply
  /** For a copy that is still good. */
  readonly known: FileReply
}

export class CodedPage {
  readonly #body: Buffer
  #plain: Plain | undefined
  #replies: Promise<Replies> | undefined

  constructor(body: Buffer) {
    this.#body = body
  }

  /** 200 in the coding that the caller prefers, or 304 for a copy that is still good. */
  reply(headers: RawHeaders): FileReply | Promise<FileReply> {
    const { etag, known, whole } = (this.#plain ??= toPlain(this.#body))
    if (isKnown(etag, valueOf(headers, 'if-none-match'))) return known
    const accepted = valueOf(headers, 'accept-encoding')
    return chooseCoding(accepted, codings) === 'identity' ? whole : this.#replyCoded(accepted)
  }

  async #replyCoded(accepted: string | undefined): Promise<FileReply> {
    const plain = (this.#plain ??= toPlain(this.#body))
    this.#replies ??= toReplies(plain, this.#body).catch((error: unknown) => {
      // The next caller tries again.
      this.#replies = undefined
      throw error
    })
    const replies = await this.#replies
    const offered = codings.filter((coding) => replies[coding] !== undefined)
    return replies[chooseCoding(accepted, offered)] ?? plain.whole
  }
}

function toPlain(body: Buffer): Plain {
  const etag = etagOf(body)
  // Confirmed with each use, because the content changes with a start and its address stays.
  const headers = { etag, vary: 'accept-encoding', 'cache-control': 'no-cache' }
  const whole = { status: 200, body, headers }
  // The server leaves the body of a 304 out, and its length is that of the 200.
  return { etag, headers, whole, known: { ...whole, status: 304 } }
}

/** High enough to halve the bytes of a fast one, low enough that the first caller does not feel it. */
const levels = { br: 6, gzip: 7 }

async function toReplies({ headers, whole }: Plain, body: Buffer): Promise<Replies> {
  const brotli = {
    params: { [constants.BROTLI_PARAM_QUALITY]: levels.br, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
  }
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(body, brotli),
    promisify(gzip)(body, { level: levels.gzip }),
  ])
  const coded = (coding: Coding, bytes: Buffer): FileReply | undefined =>
    bytes.length < body.length
      ? { status: 200, body: bytes, headers: { ...headers, 'content-encoding': coding } }
      : undefined
  return { br: coded('br', br), gzip: coded('gzip', gzipped), identity: whole }
}

/** The shortest first: it wins if the caller has no preference. */
const codings: readonly Coding[] = ['br', 'gzip', 'identity']

/**
 * The coding with the greatest weight among those on offer. Callers who accept none of them get plain bytes, even if
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

/** Weak, because all codings share it. */
export function etagOf(bytes: Uint8Array): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url')}"`
}

/** Whether the caller has the content already: tags are compared without their strength. */
export function isKnown(etag: string, given: string = ''): boolean {
  const tags = given.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.some((tag) => tag.replace(/^W\//, '') === etag.slice(2))
}

/** Lines of one name are one list. */
export function valueOf(headers: RawHeaders, name: string): string | undefined {
  const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name)
  return values.length === 0 ? undefined : values.join(',')
}
