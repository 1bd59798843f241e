/**
 * A connection that node:cluster was handing to a worker when the worker ended. Node keeps it open, in the first process and
 * taken by nobody, so its client would wait for ever. There is no public way to learn of it, so this file wraps `send` of the
 * worker's process. test/untaken.test.ts fails once Node closes such connections itself; then this file can go.
 */
import type { ChildProcess } from 'node:child_process'

interface Handle {
  close(): void
}

/** Closing a connection that was taken does nothing: this process has closed its side already. */
export function closeUntaken(child: ChildProcess): void {
  let last: Handle | undefined
  const send = child.send.bind(child) as (...all: unknown[]) => boolean
  child.send = (...all: unknown[]) => {
    const [, handle] = all
    if (typeof handle === 'object' && handle !== null) last = handle as Handle
    return send(...all)
  }
  child.once('exit', () => last?.close())
}
