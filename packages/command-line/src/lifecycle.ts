/**
 * The life of a service as a process: start, signals, the orderly end, the forced end, failures that nobody expected.
 * What serves comes from the service, and so do those who hear of events; the exit code is decided here
 * (exit-codes.ts). A forced end is a SIGKILL, because an exit would wait for threads that are in the middle of
 * something.
 */
import { type FieldsOf, stackOf } from '@services/observe'
import type { lifecycleEvents } from './events.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { handleSignals } from './signals.ts'

/** What serves, in this process or in others. */
export interface Running {
  /** Stops accepting and finishes what is in flight. */
  close(): Promise<void>
  /** What SIGHUP asks of it besides new files and settings; it says itself what it did. */
  hangUp?(): void
  /** Reads files and settings again, and says itself what came of it. Left out where they are read at start only. */
  reload?(trigger: 'SIGHUP'): void
  /** Ends other processes at once, for a forced end. */
  abandon?(): void
  /** The end has been asked for: listeners are informed, while requests are still accepted. */
  announceEnd?(): void
  /** From the signal until it is closed. */
  readonly delaySeconds?: number
}

type Fields = FieldsOf<typeof lifecycleEvents> & { readonly internalError: { readonly stack: string } }

/** Where the events of a process's life go: the stream of a service whose table has them. */
export interface LifecycleEvents {
  emit<Name extends keyof Fields>(event: Name, fields: Fields[Name]): void
  /** Settles when all that was told is out, and after `withinMs` in any case. */
  drained(withinMs: number): Promise<void>
}

export interface Lifecycle {
  readonly events: LifecycleEvents
  readonly start: () => Promise<Running>
  /** Tells why the start failed. False for an error that is not the user's: it is thrown on. */
  readonly explains: (error: unknown) => boolean
  /** How long requests in flight may take to finish. */
  readonly shutdownSeconds: number
}

/** How long a reader of the log that stands still may delay an orderly end; a forced end waits one second. */
const lastLinesMs = 5000
const lastLineMs = 1000

/** Starts the service and stays in charge until the process ends. */
export async function live(lifecycle: Lifecycle): Promise<void> {
  const { events, shutdownSeconds } = lifecycle
  let running: Running | undefined
  let exitCode: ExitCode = exitCodes.success
  let isEnding = false
  let isForced = false
  let wasHungUp = false

  const exit = async (code: ExitCode): Promise<never> => {
    await events.drained(lastLinesMs)
    process.exit(code)
  }
  const force = (reason: string): void => {
    if (isForced) return
    isForced = true
    events.emit('stopForced', { reason })
    running?.abandon?.()
    void events.drained(lastLineMs).then(() => process.kill(process.pid, 'SIGKILL'))
  }
  const end = (): void => {
    setTimeout(() => force(`${shutdownSeconds} s`), shutdownSeconds * 1000).unref()
    // A service that is still starting has nothing to finish.
    void Promise.resolve(running?.close()).then(() => {
      events.emit('stopped', {})
      return exit(exitCode)
    })
  }

  /** One that comes before the service runs is remembered: some files may have been read already. */
  const hangUp = (signal: NodeJS.Signals): void => {
    wasHungUp = running === undefined && !isEnding
    if (wasHungUp) return
    running?.hangUp?.()
    if (isEnding) events.emit('reloadIgnored', { signal, reason: 'the service is ending' })
    else if (running?.reload === undefined)
      events.emit('reloadIgnored', { signal, reason: 'they are read at start only' })
    else running.reload('SIGHUP')
  }

  handleSignals({
    end(signal) {
      if (isEnding) return force('second signal')
      isEnding = true
      events.emit('shuttingDown', { signal })
      running?.announceEnd?.()
      const { delaySeconds = 0 } = running ?? {}
      if (delaySeconds === 0) end()
      else setTimeout(end, delaySeconds * 1000)
    },
    reload: (signal) => hangUp(signal),
  })
  process.on('uncaughtException', (error: unknown) => {
    events.emit('internalError', { stack: stackOf(error) })
    exitCode = exitCodes.failure
    if (isEnding) return
    isEnding = true
    running?.announceEnd?.()
    end()
  })
  try {
    running = await lifecycle.start()
    if (wasHungUp) hangUp('SIGHUP')
  } catch (error) {
    if (!lifecycle.explains(error)) throw error
    // Not left to the event loop: a database that is being asked would keep the process alive.
    await exit(exitCodes.failure)
  }
}
