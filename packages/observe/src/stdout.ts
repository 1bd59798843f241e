/**
 * Standard output as the place where log lines go. Lines in, one write for those of some milliseconds out. Knows no
 * level and no format.
 *
 * A reader that stands still or has gone, or a full disk, never stops the process: what cannot be written waits, up to
 * a limit. Lines beyond it are dropped, and their number is reported once there is room again.
 */
import { fstatSync } from 'node:fs'
import sonicBoom from 'sonic-boom'

export interface Destination {
  /** Takes one or more whole lines, each with its end. */
  write(lines: string): void
  /**
   * Settles when all that was written is out or lost, and after `withinMs` in any case. Without it nothing ever waits.
   */
  drained?(withinMs: number): Promise<void>
  /** `tell` hears, once there is room again, how many calls of `write` were dropped. */
  onDropped?(tell: (count: number) => void): void
}

/** How many milliseconds, or how many characters, of lines are written together. */
const togetherMs = 20
const togetherLength = 16_384
/** How many characters may wait for a reader or a full disk. */
const maxWaitingLength = 16_777_216

/** Where texts go in the end. */
interface Sink {
  write(text: string): void
  /** Characters or bytes that have not been written yet. */
  waiting(): number
  /** Calls back when nothing waits any more. */
  whenWritten(callback: () => void): void
}

const fd = 1

export function openStdout(): Required<Destination> {
  const stats = fstatSync(fd)
  const sink = stats.isFIFO() || stats.isSocket() ? openStream() : openFile()
  let together = ''
  let timer: NodeJS.Timeout | undefined
  let dropped = 0
  let tellDropped: ((count: number) => void) | undefined
  const pass = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (together !== '') sink.write(together)
    together = ''
  }
  process.once('exit', pass)
  return {
    write(lines) {
      if (sink.waiting() > maxWaitingLength) {
        dropped++
        return
      }
      if (dropped > 0) {
        const count = dropped
        dropped = 0
        tellDropped?.(count)
      }
      together += lines
      if (together.length >= togetherLength) pass()
      // It does not keep the process alive: an end waits for `drained`, an exit passes on what is left.
      else timer ??= setTimeout(pass, togetherMs).unref()
    },
    drained(withinMs) {
      pass()
      const { promise, resolve } = Promise.withResolvers<void>()
      const limit = setTimeout(resolve, withinMs)
      sink.whenWritten(resolve)
      return promise.finally(() => clearTimeout(limit))
    },
    onDropped(tell) {
      tellDropped = tell
    },
  }
}

/**
 * A pipe or a socket, written without blocking. Neither `fs.writeSync`, which would stop the event loop when the reader
 * stands still, nor `fs.write`, which would stop a thread that an exit waits for. Node's own stream, because an event
 * loop watches a file descriptor only once, and the first worker thread makes that stream.
 */
function openStream(): Sink {
  const socket = process.stdout
  let isGone = false
  socket.on('error', () => {
    isGone = true
  })
  return {
    write(text) {
      if (!isGone) socket.write(text)
    },
    waiting: () => (isGone ? 0 : socket.writableLength),
    whenWritten(callback) {
      if (isGone || socket.writableLength === 0) callback()
      else socket.write('', () => callback())
    },
  }
}

/** A file or a terminal: a write does not wait for a reader, and a full disk is tried again with the next lines. */
function openFile(): Sink {
  const file = new sonicBoom.SonicBoom({ fd, sync: true, maxLength: maxWaitingLength })
  file.on('error', () => undefined)
  return {
    write: (text) => void file.write(text),
    waiting: () => 0,
    whenWritten(callback) {
      try {
        file.flushSync()
      } catch {
        // A full disk: there is nowhere left to say so.
      }
      callback()
    },
  }
}
