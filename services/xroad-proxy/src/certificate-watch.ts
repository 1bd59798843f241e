/**
 * Warns of certificates that have expired, are not valid yet or will expire soon: at start, and once a day from then
 * on. Owns the timer, which does not keep the process alive; boot/tls/certificates.ts words the warnings.
 */
import { type DatedCertificate, tellDates } from './boot/tls/certificates.ts'
import type { Events } from './events.ts'

export interface Clock {
  now(): Date
  /** Returns what ends it. */
  eachDay(run: () => void): () => void
}

const dayMs = 86_400_000

const systemClock: Clock = {
  now: () => new Date(),
  eachDay(run) {
    const timer = setInterval(run, dayMs).unref()
    return () => clearInterval(timer)
  },
}

/** Returns what ends the watch. */
export function watchCertificates(
  certificates: readonly DatedCertificate[],
  events: Pick<Events, 'emit'>,
  clock: Clock = systemClock,
): () => void {
  const tell = (): void => {
    for (const certificate of certificates) {
      const message = tellDates(certificate, clock.now())
      if (message !== undefined) events.emit('warning', { message })
    }
  }
  tell()
  return certificates.length === 0 ? () => undefined : clock.eachDay(tell)
}
