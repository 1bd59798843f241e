/**
 * The tree of `.sql` files as it was read last: read again, it gives what is to be served now. Only files that have
 * changed are read and scanned; the others keep their endpoints, and with them what databases have learned of their
 * statements. A file that cannot be loaded blocks no other file.
 */
import { statSync } from 'node:fs'
import { addEndpoint, batchCollisions, collisionOf, type Endpoints } from '../boot/endpoints.ts'
import { readContent, toEndpoint } from '../boot/endpoint-file.ts'
import { FileRefusal } from '../boot/file-refusal.ts'
import type { Ignored } from '../boot/ignored.ts'
import { type MethodFolder, openRoot, shownPath, walkTree } from '../boot/tree.ts'
import { endpointKey } from '../endpoint-key.ts'
import { StartupFailure } from '../errors.ts'
import type { Dialect, Endpoint } from '../model.ts'

/** What a tree is at one moment. */
export interface ReadTree {
  readonly endpoints: Endpoints
  /** Files that cannot be loaded. */
  readonly refusals: readonly FileRefusal[]
  /** Keys of their endpoints -> what is wrong. */
  readonly unloaded: ReadonlyMap<string, string>
  readonly ignored: readonly Ignored[]
  /** Paths of the folders in which a change counts. */
  readonly folders: readonly string[]
  /** Below `sql_dir`, in the order of names: files that are new or have changed, and files that have gone. */
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

interface KnownFile {
  /** Tells one content from the next. */
  readonly stamp: string
  readonly outcome: Endpoint | FileRefusal
}

export class LiveTree {
  readonly #sqlDir: string
  readonly #origin: string | undefined
  readonly #dialectsInUse: ReadonlySet<Dialect>
  #known: ReadonlyMap<string, KnownFile> = new Map()

  /** `origin` is where `sql_dir` comes from, for messages. */
  constructor(sqlDir: string, dialectsInUse: ReadonlySet<Dialect>, origin?: string) {
    this.#sqlDir = sqlDir
    this.#origin = origin
    this.#dialectsInUse = dialectsInUse
  }

  /** Rejects with a StartupFailure where there is no tree to be read. Not to be called again before it has settled. */
  async read(): Promise<ReadTree> {
    const root = openRoot(this.#sqlDir, this.#origin)
    const ignored: Ignored[] = []
    const folders: string[] = []
    const refusals: FileRefusal[] = []
    const files = new Map<string, KnownFile>()
    const refused = (failure: StartupFailure): void => {
      if (!(failure instanceof FileRefusal)) throw failure
      refusals.push(failure)
    }
    const walker = {
      ignored: (what: Ignored) => ignored.push(what),
      refused,
      entered: (path: string) => folders.push(path),
    }
    for (const folder of walkTree(root, walker)) await this.#readFolder(root, folder, files)
    const known = this.#known
    this.#known = files
    for (const { outcome } of files.values()) if (outcome instanceof FileRefusal) refusals.push(outcome)
    const { endpoints, collisions } = toEndpoints(files)
    refusals.push(...collisions)
    return {
      endpoints,
      refusals,
      unloaded: new Map(refusals.flatMap(toUnloaded)),
      ignored,
      folders,
      changed: Array.from(files.keys()).filter((file) => files.get(file) !== known.get(file)),
      removed: Array.from(known.keys()).filter((file) => !files.has(file)),
    }
  }

  async #readFolder(
    root: string,
    { project, method, files }: MethodFolder,
    into: Map<string, KnownFile>,
  ): Promise<void> {
    const place = { root, project, method, dialectsInUse: this.#dialectsInUse }
    for (const path of files) {
      const file = shownPath(path, root)
      const stamp = stampOf(path)
      // It has gone since its folder was read.
      if (stamp === undefined) continue
      const before = this.#known.get(file)
      into.set(file, before?.stamp === stamp ? before : { stamp, outcome: await load(path, place) })
    }
  }
}

/**
 * Taken before the file is read: what is written later has another one. Reading tells what is wrong with one that has
 * none.
 */
function stampOf(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

async function load(path: string, place: Parameters<typeof toEndpoint>[2]): Promise<Endpoint | FileRefusal> {
  try {
    return toEndpoint(path, await readContent(path), place)
  } catch (error) {
    if (error instanceof FileRefusal) return error
    throw error
  }
}

/** Of files for one URL none is served: nobody could say which one is meant. */
function toEndpoints(files: ReadonlyMap<string, KnownFile>): { endpoints: Endpoints; collisions: FileRefusal[] } {
  const endpoints = new Map<string, Endpoint>()
  const collisions: FileRefusal[] = []
  const lost = new Set<Endpoint>()
  const collide = (one: Endpoint, other: Endpoint): void => {
    collisions.push(collisionOf(one, other))
    lost.add(one).add(other)
  }
  for (const { outcome } of files.values()) {
    const other = outcome instanceof FileRefusal ? undefined : addEndpoint(endpoints, outcome)
    if (other !== undefined) collide(other, outcome as Endpoint)
  }
  for (const [single, batch] of batchCollisions(endpoints)) collide(single, batch)
  for (const { method, path } of lost) endpoints.delete(endpointKey(method, path))
  return { endpoints, collisions }
}

function toUnloaded({ files, message }: FileRefusal): [key: string, problem: string][] {
  return files.map((file) => {
    const [project = '', method = '', ...rest] = file.split('/')
    return [endpointKey(method, `/${project}/${rest.join('/').slice(0, -'.sql'.length)}`), message]
  })
}
