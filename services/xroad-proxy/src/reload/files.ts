/**
 * Which files a set is made of: a configuration in, paths out. Watching them and reading them is not done here. DSL
 * files that the service makes itself are none of them; one that a person makes his own, by its first line, is.
 */
import { type Dirent, readdirSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../boot/config/schema.ts'
import { listDslFiles } from '../boot/dsl/tree.ts'
import { isGenerated } from '../wsdl/dsl/marker.ts'

/** What told the last state of a DSL file from the next, and whether the service had made it. */
interface Look {
  readonly stamp: string
  readonly isOurs: boolean
}

/** How many files are looked at together. */
const together = 16

export class SetFiles {
  /** By DSL file. */
  #looks: ReadonlyMap<string, Look> = new Map()

  /** Missing files too, where one is named. `descriptions` are those that DSL files name. Never rejects. */
  async list(config: Config, descriptions: Iterable<string>): Promise<readonly string[]> {
    const { dslPath, wsdlWatchDir: dir, securityServer, clients } = config
    const keystores = securityServer === undefined ? [] : [securityServer, ...clients]
    return [
      ...keystores.flatMap(({ keystorePath, keystorePasswordFile }) =>
        [keystorePath, keystorePasswordFile ?? []].flat(),
      ),
      ...(securityServer?.trustCaPath === undefined ? [] : [securityServer.trustCaPath]),
      ...(await this.#withoutOurs(listDslFiles(dslPath))),
      ...(dir === undefined ? [] : filesBelow(dir)),
      ...descriptions,
    ]
  }

  async #withoutOurs(files: readonly string[]): Promise<readonly string[]> {
    const looks = new Map<string, Look>()
    for (let from = 0; from < files.length; from += together) {
      const some = files.slice(from, from + together)
      const found = await Promise.all(some.map((file) => this.#look(file)))
      for (const [index, file] of some.entries()) looks.set(file, found[index] as Look)
    }
    this.#looks = looks
    return files.filter((file) => looks.get(file)?.isOurs !== true)
  }

  async #look(file: string): Promise<Look> {
    const stamp = await stampOf(file)
    const before = this.#looks.get(file)
    return before?.stamp === stamp ? before : { stamp, isOurs: isGenerated(await startOf(file)) }
  }
}

async function stampOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join()
  } catch {
    return ''
  }
}

/** More than the mark of a generated file. */
const startBytes = 256

async function startOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r')
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(startBytes))
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch {
    return ''
  }
}

/** WSDL files, sidecars, and schemas that they draw in. Names that start with a dot belong to editors and mounts. */
function filesBelow(folder: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return [folder]
  }
  return entries
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      return entry.isFile() ? [path] : []
    })
}
