/**
 * The warnings of Node.js and of the libraries (too many listeners, something deprecated) as events: none of them
 * reaches stderr. Reports each kind at most once a minute, with the number of warnings left out. thread.ts passes on
 * those of worker threads.
 */
import { channelName, takeOver, type Warning } from './thread.ts'

/** One that is reported. */
export interface ProcessWarning {
  readonly warning: string
  readonly code: string | undefined
  readonly message: string
  readonly stack: string | undefined
  /** How many of its kind were not told since the last one. */
  readonly leftOut: number
}

const betweenMs = 60_000
/** Libraries choose the names, so the number of kinds that are distinguished is limited. */
const maxKinds = 64
const longestText = 1024

export interface WarningSources {
  /** Whether worker threads of this process pass theirs on, with `passWarningsOn`. */
  readonly threads: boolean
}

/** For the first thread of a process: `tell` takes the place of the line on stderr. */
export function hearWarnings(tell: (warning: ProcessWarning) => void, { threads }: WarningSources): void {
  const hear = limited(tell, Date.now)
  if (!takeOver(hear) || !threads) return
  const channel = new BroadcastChannel(channelName)
  channel.addEventListener('message', ({ data }) => hear(data as Warning))
  channel.unref()
}

/** Lets the first of a kind through, and after a minute the next one. */
export function limited(tell: (warning: ProcessWarning) => void, now: () => number): (warning: Warning) => void {
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
    tell({
      warning: name,
      code,
      message: message.slice(0, longestText),
      stack: stack?.slice(0, 2 * longestText),
      leftOut: kind?.leftOut ?? 0,
    })
  }
}
