/**
 * The audit file: whole lines go in, at its end, each in one write and at once, so that a line is there before its
 * exchange is over and several processes may share the file. Lines that cannot be written wait, up to a bound, and are
 * tried again; the log reports when that begins, that it goes on, and when it ends. Knows no line from the inside;
 * which files will do is open-file.ts, which of several a line belongs to audit-files.ts.
 */
import { closeSync, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import type { Events } from '../events.ts'
import { openAuditFile, refuseFullDisk, toProblem } from './open-file.ts'

/** Bytes of lines that wait: some thousand lines. */
const maxWaitingBytes = 1_048_576
const retryMs = 1000
/** How often the log reports that it goes on. */
const tellMs = 60_000
/** How often the file is looked at: it may have been removed. */
const lookMs = 1000
const lineEnd = 0x0a

export class AuditFile {
  readonly #path: string
  readonly #events: Pick<Events, 'emit'>
  #fd: number | undefined
  /** The file does not end with the end of a line. */
  #isTorn = false
  readonly #waiting: Buffer[] = []
  #waitingBytes = 0
  /** Lines that nobody will ever see, since it was last all right. */
  #lost = 0
  /** When the log was last told that lines cannot be written; undefined while they can. */
  #toldAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #lookedAt = 0
  #isRetired = false

  /** What is wrong with the file is reported, and tried again. */
  constructor(path: string, events: Pick<Events, 'emit'>) {
    this.#path = path
    this.#events = events
    this.#retry()
  }

  /** Whether a line can be expected to be written now. Asks the file system. */
  isReady(): boolean {
    this.#retry()
    return this.#toldAt === undefined
  }

  /** Never throws. */
  append(line: string): void {
    const bytes = Buffer.from(line)
    if (this.#toldAt !== undefined) this.#retry()
    if (this.#toldAt !== undefined) return this.#keep(bytes)
    try {
      this.#write(bytes)
    } catch (error) {
      this.#keep(bytes)
      this.#fail(error)
    }
    this.#release()
  }

  /**
   * Another file has its place. Lines of exchanges that began with this one still come: each opens it again, and
   * nothing stays open.
   */
  retire(): void {
    this.#isRetired = true
    this.#release()
  }

  /** It has its place again. */
  restore(): void {
    this.#isRetired = false
  }

  /** The name may lead to another file by now. Where that one cannot be opened, lines still go into the old one. */
  reopen(): void {
    const old = this.#fd
    try {
      this.#open()
    } catch (error) {
      if (old === undefined) this.#fail(error)
      else this.#tell(`${toProblem(error)}; lines still go into the file that was open`)
      return
    }
    if (old !== undefined) closeSync(old)
    this.#events.emit('auditReopened', { file: this.#path })
    this.#retry()
  }

  /** Lines that still wait are tried a last time. */
  close(): void {
    if (this.#toldAt !== undefined) this.#retry()
    clearInterval(this.#timer)
    if (this.#waiting.length > 0) {
      this.#lost += this.#waiting.splice(0).length
      this.#tell('could not be written before the end')
    }
    this.#shut()
  }

  /** All that waits, in its order. */
  #retry(): void {
    try {
      this.#look()
      refuseFullDisk(this.#path)
      for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
        this.#write(line)
        this.#waiting.shift()
        this.#waitingBytes -= line.length
      }
    } catch (error) {
      this.#fail(error)
      return
    }
    if (this.#toldAt === undefined) return
    clearInterval(this.#timer)
    this.#toldAt = undefined
    this.#events.emit('auditRestored', { file: this.#path, lost: this.#lost })
    this.#lost = 0
    this.#release()
  }

  #release(): void {
    if (this.#isRetired && this.#waiting.length === 0) this.#shut()
  }

  #shut(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  /** A file without a name is one that nobody can read: it is made again. */
  #look(): void {
    const now = performance.now()
    if (this.#fd !== undefined && now - this.#lookedAt < lookMs) return
    this.#lookedAt = now
    if (this.#fd !== undefined && fstatSync(this.#fd).nlink > 0) return
    this.#shut()
    this.#open()
  }

  #open(): void {
    const fd = openAuditFile(this.#path)
    const { size } = fstatSync(fd)
    this.#fd = fd
    this.#isTorn = size > 0 && readEnd(fd, size, 1)[0] !== lineEnd
  }

  #write(line: Buffer): void {
    this.#look()
    const fd = this.#fd as number
    const bytes = this.#isTorn ? Buffer.concat([Buffer.of(lineEnd), line]) : line
    let count = 0
    try {
      while (count < bytes.length) count += writeSync(fd, bytes, count)
      this.#isTorn = false
    } catch (error) {
      if (count > 0) this.#takeBack(fd, bytes.subarray(0, count))
      throw error
    }
  }

  /**
   * A line of which only a part had room. Where another process has written behind it, it stays, on a line of its own.
   */
  #takeBack(fd: number, part: Buffer): void {
    const wasTorn = this.#isTorn
    this.#isTorn = true
    try {
      const { size } = fstatSync(fd)
      if (!readEnd(fd, size, part.length).equals(part)) return
      ftruncateSync(fd, size - part.length)
      this.#isTorn = wasTorn
    } catch {
      // The next line begins with the end of this one.
    }
  }

  #keep(bytes: Buffer): void {
    if (this.#waitingBytes + bytes.length > maxWaitingBytes) {
      this.#lost++
      return
    }
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
  }

  #fail(error: unknown): void {
    const now = performance.now()
    if (this.#toldAt === undefined) this.#timer = setInterval(() => this.#retry(), retryMs).unref()
    else if (now - this.#toldAt < tellMs) return
    this.#toldAt = now
    this.#tell(toProblem(error))
  }

  #tell(problem: string): void {
    this.#events.emit('auditFailed', { file: this.#path, problem, waiting: this.#waiting.length, lost: this.#lost })
  }
}

function readEnd(fd: number, size: number, length: number): Buffer {
  const end = Buffer.alloc(Math.min(length, size))
  return end.subarray(0, readSync(fd, end, 0, end.length, size - end.length))
}
