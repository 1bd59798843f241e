/**
 * In which order the servers of a URL are tried: as they are there, or by chance (`load_balance_hosts=random`). What
 * was seen of a server lately counts too: one that did not answer in time, or has refused to write, is tried behind the
 * others. One for each datasource.
 */
import type { Host } from '../hosts.ts'

/**
 * How long this counts after an attempt that ran out of time. A server that refuses at once costs nothing and keeps its
 * place.
 */
const usualSilentMs = 10_000

export class ServerOrder {
  /** By name, in the time of `performance`. */
  readonly #silentAt = new Map<string, number>()
  readonly #refusedAt = new Map<string, number>()
  readonly #silentMs: number

  constructor(silentMs: number = usualSilentMs) {
    this.#silentMs = silentMs
  }

  /** An attempt to connect to it has run out of time. */
  noteSilent(server: string): void {
    this.#silentAt.set(server, performance.now())
  }

  /** It has refused to write. It keeps this place until another one refuses too. */
  noteRefusal(server: string): void {
    this.#refusedAt.set(server, performance.now())
  }

  /** In the order in which they should be tried. */
  sort(hosts: readonly Host[], isRandom: boolean): readonly Host[] {
    const given = isRandom ? shuffled(hosts) : hosts
    const now = performance.now()
    const delays = new Map(given.map((host) => [host, this.#delay(nameOf(host), now)]))
    return given.toSorted((one, other) => (delays.get(one) ?? 0) - (delays.get(other) ?? 0))
  }

  /** The larger the later; the silent ones behind all others. */
  #delay(server: string, now: number): number {
    const isSilent = now - (this.#silentAt.get(server) ?? -Infinity) < this.#silentMs
    return (this.#refusedAt.get(server) ?? 0) + (isSilent ? Number.MAX_SAFE_INTEGER / 2 : 0)
  }
}

/** How a server is called in messages. */
export function nameOf({ host, port }: Host): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Each order is as likely as any other. */
export function shuffled<T>(list: readonly T[]): readonly T[] {
  const all = [...list]
  for (let last = all.length - 1; last > 0; last--) {
    const chosen = Math.floor(Math.random() * (last + 1))
    ;[all[last], all[chosen]] = [all[chosen] as T, all[last] as T]
  }
  return all
}
