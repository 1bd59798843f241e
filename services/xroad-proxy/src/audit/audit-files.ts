/**
 * The audit files of the service: the one that lines go into now, and those before it, into which exchanges that began
 * with them still write. A path comes in, its file goes out, the same one as long as the process lives.
 */
import type { Events } from '../events.ts'
import { AuditFile } from './audit-file.ts'

export class AuditFiles {
  readonly #events: Pick<Events, 'emit'>
  readonly #byPath = new Map<string, AuditFile>()
  #current: AuditFile | undefined

  constructor(events: Pick<Events, 'emit'>) {
    this.#events = events
  }

  has(path: string): boolean {
    return this.#byPath.has(path)
  }

  /** What is wrong with the file is reported, and tried again. */
  open(path: string): AuditFile {
    let file = this.#byPath.get(path)
    if (file === undefined) this.#byPath.set(path, (file = new AuditFile(path, this.#events)))
    return file
  }

  /** Further exchanges write into this one, or into none. */
  use(file: AuditFile | undefined): void {
    if (file === this.#current) return
    this.#current?.retire()
    this.#current = file
    file?.restore()
  }

  reopen(): void {
    this.#current?.reopen()
  }

  close(): void {
    for (const file of this.#byPath.values()) file.close()
  }
}
