/**
 * A file that is a pipe, such as `<(..)` of a shell: read to its end, as long as somebody writes. Opening one that
 * nobody writes to would wait for ever without a word.
 */
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'

/** How long a pipe may bring nothing. Who writes may first have to ask others for what he writes. */
const patienceMs = 30_000
const pollMs = 20
const pieceBytes = 65_536

/** The message goes on behind the name of the pipe. */
export class SilentPipe extends Error {
  constructor(patience: number) {
    super(`is a pipe that has brought nothing for ${patience / 1000} s; have something write to it, or name a file`)
    this.name = 'SilentPipe'
  }
}

export function isPipe(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true
}

/** Throws a SilentPipe and errors of the system. */
export function readPipe(path: string, patience: number = patienceMs): Buffer {
  const pipe = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const pieces: Buffer[] = []
    let heard = performance.now()
    for (;;) {
      const piece = readPiece(pipe)
      if (piece === 'end' && pieces.length > 0) return Buffer.concat(pieces)
      if (piece instanceof Buffer) {
        pieces.push(piece)
        heard = performance.now()
        continue
      }
      if (performance.now() - heard > patience) throw new SilentPipe(patience)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs)
    }
  } finally {
    closeSync(pipe)
  }
}

/** `end` is also what a pipe says that nobody has begun to write to. */
function readPiece(pipe: number): Buffer | 'end' | 'later' {
  const piece = Buffer.allocUnsafe(pieceBytes)
  try {
    const length = readSync(pipe, piece)
    return length === 0 ? 'end' : piece.subarray(0, length)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'later'
    throw error
  }
}
