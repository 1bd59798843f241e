/**
 * A URL -> a connection to one of the servers that it names, as libpq goes about it: one address after another, until
 * one answers that is what `target_session_attrs` asks for. A URL that names one server and asks for nothing is
 * connected to without a search. What is connected to is driver.ts's.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { type Host, hostsOf } from '../hosts.ts'
import { type ConnectOptions, connectTo, type Opened, type ServerAddress } from './driver.ts'
import { type Location, readLocation, type Wishes } from './location.ts'
import { nameOf, ServerOrder, shuffled } from './server-order.ts'
import { type Target, whyNot } from './standing.ts'

export interface DriverOptions extends Wishes {
  readonly url: string
  /** With what it logs in, where that is to be read again for each connection. */
  readonly login?: { locate(wishes: Wishes): Location } | undefined
  /** For all servers together. */
  readonly connectTimeoutSeconds: number
  /**
   * For each address of a server; unless it or the URL sets it, servers share the time for all, but have a second at
   * least.
   */
  readonly hostTimeoutSeconds?: number | undefined
  /** Shared by all who connect to the same servers. */
  readonly order?: ServerOrder | undefined
  /** Ends the attempt. */
  readonly signal?: AbortSignal | undefined
}

/** Which servers a URL leads to. */
export interface Reach {
  readonly names: readonly string[]
  readonly target: Target
}

export function reachOf(url: string): Reach {
  return { names: hostsOf(url).map(nameOf), target: targetOf(url) }
}

/** `target_session_attrs`, without a look at the files that the URL names. */
function targetOf(url: string): Target {
  const query = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '')
  return (query.getAll('target_session_attrs').at(-1) ?? 'any') as Target
}

/** No server is what is wanted; the message says of each why. `code` is what all of them said, if they agree. */
export class NoServer extends Error {
  readonly code: string | undefined

  constructor(refusals: readonly Refusal[]) {
    super(refusals.map(({ name, reason }) => `${name} ${reason}`).join('; '))
    const codes = new Set(refusals.map(({ code }) => code))
    this.code = codes.size === 1 ? refusals[0]?.code : undefined
  }
}

interface Refusal {
  readonly name: string
  /** To follow the name. */
  readonly reason: string
  readonly code?: string | undefined
}

export function openSocket(options: DriverOptions): Promise<Opened> {
  const { url, login, connectTimeoutSeconds, hostTimeoutSeconds, signal, order = new ServerOrder() } = options
  const location = login?.locate(options) ?? readLocation(url, options)
  const { hosts, target } = location
  const share = Math.max(1, connectTimeoutSeconds / hosts.length)
  const timeoutSeconds = hostTimeoutSeconds ?? location.connectTimeoutSeconds ?? share
  const only = hosts.length === 1 && target === 'any' ? hosts[0] : undefined
  const attempt = { timeoutSeconds, needsStanding: target !== 'any', signal }
  if (only === undefined) return new Search(location, attempt, order).open()
  return connectTo({ ...only, name: nameOf(only) }, location, attempt)
}

class Search {
  readonly #location: Location
  /** The same for each server. */
  readonly #attempt: ConnectOptions
  readonly #order: ServerOrder
  readonly #refusals: Refusal[] = []

  constructor(location: Location, attempt: ConnectOptions, order: ServerOrder) {
    this.#location = location
    this.#attempt = attempt
    this.#order = order
  }

  async open(): Promise<Opened> {
    const { target } = this.#location
    const isPreferred = target === 'prefer-standby'
    const opened =
      (await this.#find(isPreferred ? 'standby' : target)) ?? (isPreferred ? await this.#find('any') : undefined)
    if (opened === undefined) throw new NoServer(this.#refusals)
    return opened
  }

  async #find(target: Target): Promise<Opened | undefined> {
    const { hosts, isRandom } = this.#location
    this.#refusals.length = 0
    for (const host of this.#order.sort(hosts, isRandom)) {
      for (const address of await this.#addressesOf(host)) {
        const opened = await this.#try(address, target)
        if (opened !== undefined) return opened
      }
    }
    return undefined
  }

  async #addressesOf(host: Host): Promise<readonly ServerAddress[]> {
    const name = nameOf(host)
    if (isIP(host.host) !== 0 || host.host.startsWith('/')) return [{ ...host, name }]
    try {
      const found = await dns.lookup(host.host, { all: true, order: 'verbatim' })
      const addresses = found.map(({ address }) => ({
        name,
        host: address,
        port: host.port,
        certificateName: host.host,
      }))
      return this.#location.isRandom ? shuffled(addresses) : addresses
    } catch (error) {
      this.#refuse(name, error)
      return []
    }
  }

  async #try(address: ServerAddress, target: Target): Promise<Opened | undefined> {
    try {
      const opened = await connectTo(address, this.#location, { ...this.#attempt, needsStanding: target !== 'any' })
      const reason = whyNot(target, opened.standing)
      if (reason === undefined) return opened
      opened.leave()
      this.#refusals.push({ name: address.name, reason })
    } catch (error) {
      if (this.#attempt.signal?.aborted === true || !mayBeElsewhere(error)) throw error
      if (isTimeout(error)) this.#order.noteSilent(address.name)
      this.#refuse(address.name, error)
    }
    return undefined
  }

  #refuse(name: string, error: unknown): void {
    const { message, code } = error as Error & { code?: string }
    this.#refusals.push({ name, reason: `cannot be connected (${message})`, code })
  }
}

/**
 * What one server refuses for these reasons all of them refuse; anything else, such as a lack of connections, may be
 * different on the next.
 */
function mayBeElsewhere(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return !/^28[0-9A-Z]{3}$/.test(code)
}

function isTimeout(error: unknown): boolean {
  const { code = '' } = error as Error & { code?: string }
  return ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'].includes(code)
}
