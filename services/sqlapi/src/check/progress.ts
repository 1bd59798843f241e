/**
 * Tells a person on stderr how far a long check has come: one line that is written over again on a terminal, elsewhere
 * a line now and then. Says nothing in the first second.
 */
import type { TextOutput } from '@services/command-line'
import type { ReportFormat } from '../findings/reports.ts'

const firstMs = 1000
const terminalMs = 100
const elsewhereMs = 10_000

export class Progress {
  readonly #total: number
  readonly #isShown: boolean
  readonly #stderr: TextOutput
  #next = performance.now() + firstMs
  #isWritten = false

  constructor(total: number, format: ReportFormat, stderr: TextOutput) {
    this.#stderr = stderr
    this.#total = total
    this.#isShown = format === 'text'
  }

  /** `files` have been checked. */
  readonly at = (files: number): void => {
    const now = performance.now()
    if (!this.#isShown || now < this.#next || files >= this.#total) return
    this.#next = now + (this.#stderr.isTerminal ? terminalMs : elsewhereMs)
    this.#isWritten = true
    const told = `${files} of ${this.#total} files`
    this.#stderr.write(this.#stderr.isTerminal ? `\r${told}\u001B[K` : `${told}\n`)
  }

  /** Leaves a terminal as if nothing had been written. */
  end(): void {
    if (this.#isWritten && this.#stderr.isTerminal) this.#stderr.write('\r\u001B[K')
  }
}
