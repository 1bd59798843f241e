/**
 * The WSDL directory -> the WSDL files in it, in order of name, with the group and the prefix that their endpoints get.
 * Warns of files in places where nothing is read, and of every symbolic link. Opens no file.
 */
import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface ListedWsdl {
  /** Relative to the directory, with slashes. */
  readonly file: string
  readonly owner: string
  readonly subsystem: string | undefined
}

export interface WsdlFolder {
  readonly wsdls: readonly ListedWsdl[]
  /** One WARN each. */
  readonly warnings: readonly string[]
  /** Folders that could not be read, each with a slash at its end; `/` alone stands for all of it. */
  readonly unread: readonly string[]
}

/** Names that become a folder of DSL files and a part of the URL. */
export const ownerName: RegExp = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,99}$/u
/** It is in the second line of each generated file and has to come out of it as it went in. */
export const wsdlName: RegExp = /^[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}._+,()=@-]| (?! )){0,199}\.wsdl$/u
/** An owner's folder and a subsystem's. */
const maxDepth = 2
const maxWarnings = 100

export function listWsdls(dir: string): WsdlFolder {
  const listing: Listing = { dir, wsdls: [], warnings: [], unread: [] }
  walk([], listing)
  const { wsdls, unread, warnings } = listing
  const more = warnings.length - maxWarnings
  const shown = more > 0 ? [...warnings.slice(0, maxWarnings), `${dir}: and ${more} more like these`] : warnings
  return { wsdls, unread, warnings: shown }
}

interface Listing {
  readonly dir: string
  readonly wsdls: ListedWsdl[]
  readonly warnings: string[]
  readonly unread: string[]
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist; make it, or name the one that holds the folders of the owners',
  ENOTDIR: 'is not a directory; name the one that holds the folders of the owners',
}

function walk(steps: readonly string[], listing: Listing): void {
  const folder = join(listing.dir, ...steps)
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const problem = addressProblem(folder) ?? problems[code] ?? `cannot be read (${code})`
    listing.warnings.push(`${steps.length === 0 ? `wsdl_watch_dir ${folder}` : folder} ${problem}`)
    listing.unread.push(`${steps.join('/')}/`)
    return
  }
  const names = new Set(entries.map(({ name }) => name))
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    // Editors and mounts keep such names for themselves.
    if (!entry.name.startsWith('.')) visit([...steps, entry.name], entry, names, listing)
  }
}

/** Of an address in the place of a path, of which a slash has been lost by now. */
function addressProblem(folder: string): string | undefined {
  return /^https?:[/\\]/i.test(folder)
    ? 'is an address, expected a directory; xroad-proxy wsdl add puts the WSDL at an address into it'
    : undefined
}

function visit(steps: readonly string[], entry: Dirent, names: ReadonlySet<string>, listing: Listing): void {
  const path = join(listing.dir, ...steps)
  const warn = (message: string): void => void listing.warnings.push(`${path}: ${message}`)
  if (entry.isSymbolicLink()) return warn('is a symbolic link, which is not followed; put the file itself there')
  if (entry.isDirectory()) {
    if (steps.length > maxDepth) return warnOfDeep(steps, listing)
    // The folder of a subsystem may just as well hold schemas.
    if (ownerName.test(entry.name)) return walk(steps, listing)
    return warn('has a name that cannot be a part of a URL; nothing in it is read')
  }
  if (entry.name.endsWith('.wsdl')) return addWsdl(steps, warn, listing)
  if (entry.name.endsWith('.xml') && !hasWsdl(names)) return warn(notWsdl)
  if (almostWsdl.test(entry.name)) return warn('is ignored; only names that end in .wsdl are read; rename it')
  const problem = sidecarProblem(entry.name, names)
  if (problem !== undefined) warn(problem)
}

/** WSDL files may import files of any name. */
function hasWsdl(names: ReadonlySet<string>): boolean {
  return [...names].some((name) => name.endsWith('.wsdl'))
}

const tooDeep =
  'lies too deep for endpoints of its own; unless another WSDL imports it, move it to <owner>/ or <owner>/<subsystem>/'
const notWsdl = 'is not read as a WSDL; if it is one, give it a name that ends in .wsdl'
/** In one folder below those of owners and subsystems. */
const maxDeepFolders = 20

/** The first WSDL of each folder in which none is read, except if others import it. */
function warnOfDeep(steps: readonly string[], { dir, warnings }: Listing): void {
  const folders = [join(dir, ...steps)]
  for (const folder of folders) {
    const entries = entriesOf(folder)
    const room = maxDeepFolders - folders.length
    const below = entries.filter((entry) => entry.isDirectory()).slice(0, Math.max(room, 0))
    folders.push(...below.map(({ name }) => join(folder, name)))
    const wsdl = entries.find((entry) => entry.isFile() && entry.name.endsWith('.wsdl'))
    if (wsdl !== undefined) warnings.push(`${join(folder, wsdl.name)}: ${tooDeep}`)
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** As it comes from an address that ends in `?wsdl`, and from editors whose `.txt` Windows hides. */
const almostWsdl = /[.?](?:single)?wsdl(?:\.txt)?$/i

/** Of a file that is, or was perhaps to be, the sidecar of a WSDL. */
function sidecarProblem(name: string, names: ReadonlySet<string>): string | undefined {
  const [, stem] = /^(.+?)(?:\.wsdl)?(?:[._-]meta)?\.ya?ml$/i.exec(name) ?? []
  const isRight = name === `${stem}.meta.yaml`
  if (stem !== undefined && names.has(`${stem}.wsdl`)) {
    return isRight ? undefined : `is ignored; the sidecar of ${stem}.wsdl is called ${stem}.meta.yaml`
  }
  if (isRight) {
    const stems = [...names].flatMap((each) => (each.endsWith('.wsdl') ? [each.slice(0, -'.wsdl'.length)] : []))
    const [alone, ...others] = stems.filter((each) => !names.has(`${each}.meta.yaml`))
    const isMeant = alone !== undefined && others.length === 0
    return `has no ${stem}.wsdl beside it; ${isMeant ? `for ${alone}.wsdl` : 'for another WSDL'} it is called ${isMeant ? alone : '<name>'}.meta.yaml`
  }
  return /\bmeta\.ya?ml$/i.test(name)
    ? 'is ignored; the name of a sidecar is that of its WSDL with .meta.yaml'
    : undefined
}

/** Names of all that is in a folder, by themselves; none of one that is not there or cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function addWsdl(steps: readonly string[], warn: (message: string) => void, { wsdls }: Listing): void {
  const [owner, ...rest] = steps
  if (owner === undefined || rest.length === 0) {
    return warn('is not in the folder of an owner; it belongs in <owner>/ or <owner>/<subsystem>/')
  }
  if (!wsdlName.test(rest.at(-1) ?? '')) return warn('has a name with characters that are not read; rename it')
  wsdls.push({ file: steps.join('/'), owner, subsystem: rest.length > 1 ? rest[0] : undefined })
}
