/**
 * Connections that node:cluster was handing to a worker which ended, or which took none any more because the service
 * ends. Node keeps them open, in the first process and taken by nobody, so their clients would wait for ever. There is
 * no public way to learn of them, so this file wraps `send` of the worker's process.
 * test/process/process/untaken.test.ts fails once Node closes such connections itself; then this file can go.
 */
import type { ChildProcess } from 'node:child_process'

interface Handle {
  close(): void
}

/** A worker that is about to end may be busy for some time before it refuses what it was given. */
const pauseMs = 250

export class Untaken {
  /** For each worker the last that it was given: node:cluster waits for its answer before it gives the next. */
  readonly #last = new Map<ChildProcess, Handle>()

  watch(child: ChildProcess): void {
    const send = child.send.bind(child) as (...all: unknown[]) => boolean
    child.send = (...all: unknown[]) => {
      const [, handle] = all
      if (typeof handle === 'object' && handle !== null) this.#last.set(child, handle as Handle)
      return send(...all)
    }
    child.once('exit', () => {
      this.#last.get(child)?.close()
      this.#last.delete(child)
    })
  }

  /**
   * Call it when no worker takes connections any more; goes on until `ended`, beside those who finish their work.
   */
  closeUntil(ended: Promise<void>): void {
    const timer = setInterval(() => this.#close(), pauseMs)
    void ended.then(() => clearInterval(timer))
  }

  /** Closing a connection that was taken does nothing: this process has closed its side already. */
  #close(): void {
    for (const handle of this.#last.values()) handle.close()
    this.#last.clear()
  }
}
