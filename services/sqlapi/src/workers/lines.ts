/** Log lines of another process: chunks of text come in, whole lines go out, so that no line is torn by one of a neighbour. */
import type { Readable } from 'node:stream'

/** Half a line, which a process leaves that was killed while it wrote, is dropped. */
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
