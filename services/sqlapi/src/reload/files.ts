/**
 * Which files a reload reads: the configuration, the tree, the lock file, and what datasources log in with. Tells
 * names, reads none of them.
 */
import { join, resolve } from 'node:path'
import { type Datasource, type Loaded, search } from '../boot/config/config.ts'
import { FileRefusal } from '../boot/file-refusal.ts'
import { loginFilesOf } from '../boot/config/login-files.ts'
import { openRoot, walkTree } from '../boot/tree.ts'
import { lockFileBeside } from '../lock/lock-file.ts'

/** What names them. */
export interface Named {
  readonly sqlDir: string
  readonly datasources: readonly Datasource[]
}

/** Of the configuration file. Without one, those that would be one count. */
export function* configFiles({ file }: Pick<Loaded, 'file'>, cwd: string): Generator<string> {
  yield resolve(cwd, file)
  for (const path of search.paths) yield resolve(cwd, path)
  yield lockFileBeside(file, cwd)
}

/** Never throws: a tree that cannot be read has no files. */
export function* namedFiles({ sqlDir, datasources }: Named): Generator<string> {
  for (const datasource of datasources) yield* loginFilesOf(datasource)
  try {
    yield* filesOfTree(openRoot(sqlDir))
  } catch {
    // The reload says what is wrong with it.
  }
}

/** What is refused is among them: it may be repaired. */
function filesOfTree(root: string): readonly string[] {
  const files: string[] = []
  const refused = (failure: Error): void => {
    if (failure instanceof FileRefusal) files.push(...failure.files.map((file) => join(root, file)))
  }
  for (const folder of walkTree(root, { ignored: () => undefined, refused, entered: (path) => files.push(path) })) {
    files.push(...folder.files)
  }
  return files
}
