/**
 * Worker threads that were given up in the middle of a statement: nothing can end them, so they take processor time
 * until the statement ends. How many there may be is bounded, and the end of the process does not wait for them.
 */
import type { Loss } from './assignment.ts'

let isExitHastened = false

export class Losses {
  readonly #most: number
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.#count >= this.#most
  }

  add({ ended }: Loss): void {
    this.#count++
    void ended.then(() => this.#count--)
    if (isExitHastened) return
    isExitHastened = true
    process.on('exit', exitAtOnce)
  }
}

/** An exit waits for all threads, a process that takes the place of this one does not. */
function exitAtOnce(code: number): void {
  if (process.platform === 'win32') process.kill(process.pid, 'SIGKILL')
  process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${code})`], {})
}
