/**
 * Folders and files in the tree that are not published: decides which of them the operator should hear about, and with
 * what cure. endpoints.ts walks the tree and asks here. Refuses nothing.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface Ignored {
  /** Below `sql_dir`. */
  readonly path: string
  readonly cure: string
}

/** For a tree without a file to serve. */
export const layoutCure =
  'put files into <sql_dir>/<project>/GET/<name>.sql and <sql_dir>/<project>/POST/<name>.sql, each is GET or POST /<project>/<name>; or correct sql_dir'

/** Names of folders whose author probably expects their files to be published. */
const methodLike = /^(?:get|post|put|patch|delete|head|options)$/i

/** How many entries of a folder are searched for a `.sql` file, and how deep. */
const maxEntries = 1000
const maxDepth = 8

/** A folder in a project that is not a method folder. `path` is where it is. */
export function cureOfFolder(name: string, path: string): string | undefined {
  const project = basename(dirname(path))
  if (isMethod(project) && hasSqlFile(path)) return cureOfMethod(project)
  const upper = name.toUpperCase()
  if (upper === 'GET' || upper === 'POST') return `only folders called GET and POST are read; rename it to ${upper}`
  if (!methodLike.test(name) && (name.startsWith('.') || !hasSqlFile(path))) return undefined
  return 'only folders called GET and POST are read; move its files into one of them, or the folder out of sql_dir'
}

/** A file in no method folder; `folder` is where it is. */
export function cureOfFile(name: string, folder: string): string | undefined {
  if (!isSqlFile(name)) return undefined
  if (isMethod(basename(folder))) return cureOfMethod(basename(folder))
  return 'files are read in the folders <project>/GET and <project>/POST only; move it into one of them'
}

/** A file in a method folder that is not read. */
export function cureOfSuffix(name: string): string | undefined {
  return isSqlFile(name) || isAlmostSql(name)
    ? 'only names that end in .sql, in lower case, are read; rename it'
    : undefined
}

/** A folder that would be read in a project; here it is where the project's own folder should be. */
function isMethod(name: string): boolean {
  return /^(?:get|post)$/i.test(name)
}

function cureOfMethod(name: string): string {
  const where = `<sql_dir>/<project>/${name.toUpperCase()}`
  return `a folder called ${name} is read in the folder of a project, ${where}; move it there, or correct sql_dir`
}

/** Windows hides the end of `a.sql.txt`, which editors there add. */
function isSqlFile(name: string): boolean {
  return /\.sql(?:\.txt)?$/i.test(name)
}

/** Endings that other tools and editors give to a file of SQL. */
function isAlmostSql(name: string): boolean {
  return (
    !name.startsWith('.') &&
    /\.(?:[pm]y?sql|pgsql|plsql|psql|sqlite|sq|ddl|dml|txt)$|\.sql[.~-][\w~-]*$|\.sql~$/i.test(name)
  )
}

/** Does not follow links. A folder that cannot be read counts as one without: nobody asked for these folders. */
function hasSqlFile(folder: string): boolean {
  let left = maxEntries
  const look = (path: string, depth: number): boolean => {
    let entries
    try {
      entries = readdirSync(path, { withFileTypes: true })
    } catch {
      return false
    }
    if (entries.some((entry) => entry.isFile() && isSqlFile(entry.name))) return true
    left -= entries.length
    return entries.some(
      (entry) => left > 0 && depth < maxDepth && entry.isDirectory() && look(join(path, entry.name), depth + 1),
    )
  }
  return look(folder, 0)
}
