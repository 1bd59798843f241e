/**
 * Which files a set is made of: a configuration in, paths out. Watching them and reading them is not done here. DSL files that the service
 * makes itself are none of them; one that a person makes his own, by its first line, is.
 */
import { closeSync, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../boot/config/schema.ts'
import { listDslFiles } from '../boot/dsl/tree.ts'
import { isGenerated } from '../wsdl/dsl/marker.ts'

export class SetFiles {
  /** DSL files -> what told the last state of each from the next, and whether the service had made it. */
  #looks: ReadonlyMap<string, { readonly stamp: string; readonly isOurs: boolean }> = new Map()

  /** Missing files too, where one is named. `descriptions` are those that DSL files name. */
  list(config: Config, descriptions: Iterable<string>): readonly string[] {
    const { dslPath, wsdlWatchDir: dir, securityServer, clients } = config
    const keystores = securityServer === undefined ? [] : [securityServer, ...clients]
    return [
      ...keystores.flatMap(({ keystorePath, keystorePasswordFile }) =>
        [keystorePath, keystorePasswordFile ?? []].flat(),
      ),
      ...(securityServer?.trustCaPath === undefined ? [] : [securityServer.trustCaPath]),
      ...this.#withoutOurs(listDslFiles(dslPath)),
      ...(dir === undefined ? [] : filesBelow(dir)),
      ...descriptions,
    ]
  }

  #withoutOurs(files: readonly string[]): readonly string[] {
    const looks = new Map(files.map((file) => [file, this.#look(file)]))
    this.#looks = looks
    return files.filter((file) => looks.get(file)?.isOurs !== true)
  }

  #look(file: string): { readonly stamp: string; readonly isOurs: boolean } {
    const stamp = stampOf(file)
    const before = this.#looks.get(file)
    return before?.stamp === stamp ? before : { stamp, isOurs: isGenerated(startOf(file)) }
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join()
}

/** More than the mark of a generated file. */
const startBytes = 256

function startOf(file: string): string {
  try {
    const fd = openSync(file, 'r')
    try {
      const start = Buffer.alloc(startBytes)
      return start.toString('utf8', 0, readSync(fd, start))
    } finally {
      closeSync(fd)
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
