/**
 * The X-Road header of an envelope -> who calls what, for whom, and as which message. Reads no further than what is
 * asked for is known, or the header ends; an envelope that is not XML, or has no such header, gives nothing. Pure.
 */
import { type Listener, openParser } from '../json/parser.ts'

export interface HeaderNames {
  /** `EE/GOV/70000001/my-system` */
  readonly client: string | undefined
  /** `EE/GOV/70000002/registry/companies` */
  readonly service: string | undefined
  readonly version: string | undefined
}

export interface ReadHeaderNames extends HeaderNames {
  /** Characters that decide about it; undefined where the header has not both. */
  readonly end: number | undefined
  /** What its `userId` says; undefined where it has none, and where the header was not read to its end. */
  readonly user: string | undefined
  /** The same of its `id`. */
  readonly id: string | undefined
}

/** The parts of an identifier, in their order. */
const parts = ['xRoadInstance', 'memberClass', 'memberCode', 'subsystemCode', 'serviceCode'] as const

type Codes = Record<string, string>

export interface HeaderNameOptions {
  /** The header is read to its end, so that user and id are known too. */
  readonly isWhole?: boolean
}

export function readHeaderNames(envelope: string, { isWhole = false }: HeaderNameOptions = {}): ReadHeaderNames {
  const found = new Found()
  const parser = openParser(found)
  let end: number | undefined
  // In steps that end with a tag, so that what follows the header is never read.
  for (let at = 0; at < envelope.length && !found.isOver;) {
    const close = envelope.indexOf('>', at)
    const next = close === -1 ? envelope.length : close + 1
    try {
      parser.write(envelope.slice(at, next))
    } catch {
      break
    }
    at = next
    if (found.client === undefined || found.service === undefined) continue
    end ??= at
    if (!isWhole) break
  }
  const { client, service, user, id } = found
  const version = service?.['serviceVersion'] || undefined
  return {
    client: toName(client),
    service: toName(service),
    version,
    end,
    user: user || undefined,
    id: id || undefined,
  }
}

function toName(codes: Codes | undefined): string | undefined {
  if (codes === undefined) return undefined
  return parts.flatMap((part) => codes[part] || []).join('/') || undefined
}

/** Envelope, Header, the element of who or what, its parts. */
const depths = { header: 2, named: 3, part: 4 }

class Found implements Listener {
  client: Codes | undefined
  service: Codes | undefined
  user: string | undefined
  id: string | undefined
  /** The header has ended, or was none. */
  isOver = false
  readonly #open: string[] = []
  #codes: Codes = {}
  #text = ''

  onOpen(name: string): void {
    this.#open.push(name.slice(name.indexOf(':') + 1))
    this.#text = ''
    if (this.#open.length === depths.named) this.#codes = {}
    if (this.#open.length === depths.header && this.#open[1] !== 'Header') this.isOver = true
  }

  onText(run: string): void {
    this.#text += run
  }

  onData(run: string): void {
    this.#text += run
  }

  onClose(): void {
    const depth = this.#open.length
    const name = this.#open.pop() as string
    if (depth === depths.part) this.#codes[name] = this.#text.trim()
    else if (depth === depths.named && name === 'client') this.client = this.#codes
    else if (depth === depths.named && name === 'service') this.service = this.#codes
    else if (depth === depths.named && name === 'userId') this.user ??= this.#text.trim()
    else if (depth === depths.named && name === 'id') this.id ??= this.#text.trim()
    else if (depth === depths.header) this.isOver = true
  }

  onAttribute(): void {}
  onInstruction(): void {}
  onComment(): void {}
  onDeclaration(): void {}
  onDoctype(): void {
    this.isOver = true
  }
}
