/**
 * Log lines of another process: chunks of text come in, whole lines go out, so that lines of two processes never mix.
 */
import type { Readable } from 'node:stream'

/** Drops the half line that a process leaves when it is killed in the middle of a write. */
export function passLines(from: Readable, to: { write(lines: string): void }): void {
  let half: string[] = []
  from.setEncoding('utf8').on('data', (chunk: string) => {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) {
      to.write(half.join('') + chunk.slice(0, end))
      half = []
    }
    half.push(chunk.slice(end))
  })
}
