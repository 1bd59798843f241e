/**
 * The part of this package for worker threads. A thread has a `process` of its own: it passes its warnings on to the
 * first thread of the process, which holds the events (warnings.ts). An entry point by itself, so that a thread loads
 * nothing more.
 */

export const channelName = 'process-warnings'

/** What a warning is, as it travels between threads. */
export interface Warning {
  readonly name: string
  readonly code?: string | undefined
  readonly message: string
  readonly stack?: string | undefined
}

export function passWarningsOn(): void {
  let channel: BroadcastChannel | undefined
  takeOver(({ name, code, message, stack }) => {
    channel ??= new BroadcastChannel(channelName)
    channel.unref()
    channel.postMessage({ name, code, message, stack } satisfies Warning)
  })
}

/** Replaces the listener that prints. False if nobody wants warnings (`--no-warnings`). */
export function takeOver(hear: (warning: Warning) => void): boolean {
  if (process.listenerCount('warning') === 0) return false
  process.removeAllListeners('warning')
  process.on('warning', hear)
  return true
}
