/**
 * The warnings of Node.js and of the libraries (too many listeners, something deprecated) as log lines: nothing of them
 * reaches stderr. Each kind is told once a minute at most, with the number of those that were left out.
 *
 * Worker threads have a `process` of their own: they pass their warnings on to the thread that holds the log.
 */
import type { Events, Log } from './log.ts'

const channelName = 'sqlapi-warnings'
const betweenMs = 60_000
/** A library chooses the names, so the kinds that are told apart have an end. */
const maxKinds = 64
const longestText = 1024

/** What a warning is, as it travels between threads. */
interface Warning {
  readonly name: string
  readonly code?: string | undefined
  readonly message: string
  readonly stack?: string | undefined
}

/** For the first thread of a process. `log` is asked for with each warning, because a start changes it. */
export function logWarnings(log: () => Log): void {
  const tell = limited((fields) => log().write('processWarning', fields), Date.now)
  if (!takeOver(tell)) return
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }) => tell(data as Warning))
  channel.unref()
}

/** For a worker thread. */
export function passWarningsOn(): void {
  let channel: BroadcastChannel | undefined
  takeOver(({ name, code, message, stack }) => {
    channel ??= new BroadcastChannel(channelName)
    channel.unref()
    channel.postMessage({ name, code, message, stack } satisfies Warning)
  })
}

/** Takes the place of the listener that prints. False where nobody wants to hear of warnings (`--no-warnings`). */
function takeOver(tell: (warning: Warning) => void): boolean {
  if (process.listenerCount('warning') === 0) return false
  process.removeAllListeners('warning')
  process.on('warning', tell)
  return true
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
      leftOut: kind?.leftOut ?? 0,
    })
  }
}
