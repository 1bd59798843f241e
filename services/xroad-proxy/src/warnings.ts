/**
 * The warnings of Node.js and of the libraries (too many listeners, something deprecated) as log lines: nothing of them
 * reaches stderr. Each kind is told once a minute at most, with the number of those that were left out.
 */
import type { Events, Log } from './log.ts'

const betweenMs = 60_000
/** A library chooses the names, so the kinds that are told apart have an end. */
const maxKinds = 64
const longestText = 1024

interface Warning {
  readonly name: string
  readonly code?: string | undefined
  readonly message: string
  readonly stack?: string | undefined
}

/** Takes the place of the listener that prints; nothing happens where nobody wants to hear of warnings (`--no-warnings`). */
export function logWarnings(log: Log): void {
  if (process.listenerCount('warning') === 0) return
  process.removeAllListeners('warning')
  process.on(
    'warning',
    limited((fields) => log.write('processWarning', fields), Date.now),
  )
}

/** Lets the first of a kind through, and after a minute the next one. */
export function limited(
  pass: (fields: Events['processWarning']) => void,
  now: () => number,
): (warning: Warning) => void {
  const kinds = new Map<string, { since: number; leftOut: number }>()
  return ({ name, code, message, stack }) => {
    const own = `${name} ${code}`
    const key = kinds.has(own) || kinds.size < maxKinds ? own : ''
    const kind = kinds.get(key)
    if (kind !== undefined && now() - kind.since < betweenMs) {
      kind.leftOut++
      return
    }
    kinds.set(key, { since: now(), leftOut: 0 })
    pass({
      warning: name,
      code,
      message: message.slice(0, longestText),
      stack: stack?.slice(0, 2 * longestText),
      left_out: kind?.leftOut ?? 0,
    })
  }
}
