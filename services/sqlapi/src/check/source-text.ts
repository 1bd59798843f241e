/**
 * A line of a file, for a person to see what a finding is about. The only file of `check` that reads `.sql` files
 * itself.
 */
import { readFileSync } from 'node:fs'

/** Keeps the lines of the file that was asked for last: findings come file by file. */
export class SourceText {
  #path = ''
  #lines: readonly string[] = []

  /** Without its end; empty for a line, or a file, that is not there (any more). */
  line(path: string, number: number): string {
    if (path !== this.#path) {
      this.#path = path
      this.#lines = readLines(path)
    }
    return this.#lines[number - 1] ?? ''
  }
}

function readLines(path: string): readonly string[] {
  try {
    // A byte-order mark is dropped, as it is where the file is served.
    return new TextDecoder().decode(readFileSync(path)).split(/\r?\n/)
  } catch {
    return []
  }
}
