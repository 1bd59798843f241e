/**
 * The lock file of a project, for `check`: what to say about it, and writing it. Knows which file has which text.
 */
import type { StatementDescription } from '../description.ts'
import type { Remark } from '../findings/finding.ts'
import { digestOfFile, type LockFile, readLockFile, writeLockFile } from '../lock/lock-file.ts'
import { type DescribedEndpoint, makeLock } from '../lock/make.ts'
import { missingLock, remarksOnFile, remarksOnLock } from '../lock/remarks.ts'
import type { Dialect, Endpoint } from '../model.ts'
import type { Project } from './project.ts'

export class ProjectLock {
  readonly #project: Project
  readonly #file: LockFile
  readonly #isCompared: boolean
  readonly #isNeeded: boolean

  /** One that is going to be written again is not compared with what is there; one that is needed must be there. */
  constructor(project: Project, { isWritten, isNeeded }: { readonly isWritten: boolean; readonly isNeeded: boolean }) {
    this.#project = project
    this.#file = readLockFile(project.lockFile)
    this.#isCompared = !isWritten
    this.#isNeeded = isNeeded
  }

  /** Types of columns are compared, or written. */
  get wantsTypes(): boolean {
    return !this.#isCompared || this.#file.state === 'read'
  }

  /** Without `descriptions` no database was asked. */
  remarksOn(
    endpoint: Endpoint,
    dialect: Dialect | undefined,
    descriptions: readonly StatementDescription[] | undefined,
  ): Remark[] {
    const { pathOf, isRedirected } = this.#project
    if (!this.#isCompared || dialect === undefined || this.#file.state !== 'read') return []
    const sha256 = digestOfFile(pathOf(endpoint))
    return remarksOnFile(this.#file, { endpoint, dialect, sha256, descriptions, needsEntry: !isRedirected })
  }

  /** Of the lock file itself. */
  remarks(): Remark[] {
    if (this.#isNeeded && this.#file.state === 'missing') return [missingLock]
    return this.#isCompared ? remarksOnLock(this.#file, this.#project.endpoints.values()) : []
  }

  /** False where that stood there already. Throws the error of the file system. */
  write(descriptions: ReadonlyMap<Endpoint, readonly StatementDescription[]>): boolean {
    const { datasourceOf, pathOf, lockFile } = this.#project
    const described = Array.from(descriptions).flatMap(([endpoint, ofEndpoint]): DescribedEndpoint[] => {
      const dialect = datasourceOf(endpoint)?.dialect
      if (dialect === undefined) return []
      return [{ endpoint, dialect, sha256: digestOfFile(pathOf(endpoint)), descriptions: ofEndpoint }]
    })
    const before = this.#file.state === 'read' ? this.#file.lock : undefined
    return writeLockFile(lockFile, makeLock(described, before))
  }
}
