/**
 * An older version of a service out of the history of this repository, in a folder of its own, to be run from its
 * sources. Its libraries are those installed here, and its own where it names others; private packages it brings
 * itself, if any.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { installPackages } from './npm.ts'
import { UsageError } from '../command/usage-error.ts'

export interface Release {
  /** Folder of the service. */
  readonly service: string
  /** What it is, for people. */
  readonly title: string
  /** Lines that people have to know. */
  readonly remarks: readonly string[]
}

const root = join(import.meta.dirname, '../../../..')
/** Scope of the private packages, which a release brings itself. */
const scope = '@services'

/**
 * @param which `last-release`, `baseline` or anything that git takes for a commit
 * @param service the service's folder in the repository, as `services/name`
 * @param folder where a folder `release` is made
 */
export function exportRelease(which: string, service: string, folder: string): Release {
  const { commit, remarks } =
    which === 'last-release' ? findLastRelease(service) : { commit: findCommit(toRevision(which)), remarks: [] }
  const place = join(folder, 'release')
  mkdirSync(place, { recursive: true })
  const archive = join(folder, 'release.tar')
  // Older trees have no packages.
  const paths = [service, 'packages'].filter((path) => git('ls-tree', '--name-only', commit, path) !== '')
  git('archive', '--format=tar', `--output=${archive}`, commit, ...paths)
  execFileSync('tar', ['-xf', archive, '-C', place])
  const there = join(place, service)
  const { version, dependencies } = readManifest(there)
  linkModules(place)
  if (!isDeepStrictEqual(dependencies, readManifest(join(root, service)).dependencies)) {
    const failure = installPackages(there)
    if (failure !== undefined) throw new UsageError(`It needs other packages than this one: ${failure}`)
  }
  return { service: there, title: `${version} (${git('rev-parse', '--short', commit)})`, remarks }
}

/** The libraries that are installed here, beside the release's own packages. */
function linkModules(place: string): void {
  const modules = join(place, 'node_modules')
  mkdirSync(join(modules, scope), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== scope) symlinkSync(join(root, 'node_modules', name), join(modules, name), 'junction')
  }
  const packages = join(place, 'packages')
  for (const name of existsSync(packages) ? readdirSync(packages) : []) {
    symlinkSync(join(packages, name), join(modules, scope, name), 'junction')
  }
}

/** There are no tags: a release is a commit that changes the version. */
export function findLastRelease(service: string): { commit: string; remarks: string[] } {
  const output = git('log', '--format=%H', '-G^ *"version":', '--', `${service}/package.json`)
  const [newest, ...older] = output.split('\n').filter((line) => line !== '')
  if (newest === undefined) throw new UsageError('The history has no release: it may be a shallow clone')
  const first = 'No commit has changed the version yet: this is the one that brought the first version.'
  return { commit: newest, remarks: older.length === 0 ? [first] : [] }
}

/** The baseline is that of `npm run compare`. */
export function toRevision(which: string): string {
  return which === 'baseline' ? readFileSync(join(root, 'tools/compare/baseline.txt'), 'utf8').trim() : which
}

function findCommit(name: string): string {
  try {
    return git('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`)
  } catch (error) {
    throw new UsageError(`'${name}' is not a commit of this repository`, { cause: error })
  }
}

function readManifest(folder: string): { version: string; dependencies: Record<string, string> } {
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  return JSON.parse(manifest) as { version: string; dependencies: Record<string, string> }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
