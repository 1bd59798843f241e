/**
 * A service's folder -> what `npm pack` makes of it on a bare clone: a copy of the working tree without anything
 * installed, packed by the machine's own Node and npm. Needs the registry, or npm's cache, for what has to be installed
 * first; without either the copy gets what is installed here, and the caller learns why.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, delimiter, join, sep } from 'node:path'
import type { Outcome } from '../process/command-host.ts'
import { newFolder } from '../process/folder.ts'

export interface Packed {
  readonly archive: string
  /** What is in the archive. */
  readonly paths: readonly string[]
  /** What npm said when it could not reach the registry; then nothing was installed. */
  readonly unreachable?: string | undefined
}

const isWindows = process.platform === 'win32'
export const npm = isWindows ? 'npm.cmd' : 'npm'
/** For a machine under load that has to load everything from the registry. */
const patienceMs = 600_000
const left = new Set(['node_modules', 'dist', '.git', '.data'])

/** What packing needs is installed first. From the root it is also proved that all that the repository has could be. */
export async function packOnBareClone(folder: string, from: 'root' | 'folder'): Promise<Packed> {
  const bare = cloneOf(folder)
  if (from === 'root') await checkWhole(bare, join(folder, '../..'))
  leaveOutTestTools(bare)
  const first = await pack(bare, folder, from)
  const unreachable = unreachableIn(first.stderr)
  if (unreachable === undefined) return { ...take(first, bare, folder, from), unreachable }
  const linked = cloneOf(folder)
  linkModules(linked, folder)
  return { ...take(await pack(linked, folder, from), linked, folder, from), unreachable }
}

/** What npm says when it cannot reach the registry, if it says so. */
export function unreachableIn(stderr: string): string | undefined {
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED|EHOSTUNREACH/.exec(stderr)?.[0]
}

/** Waits for a program. `env` is all that it knows of the environment. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const settings = { cwd, env, maxBuffer: 1e8, timeout: patienceMs, shell: isWindows }
  execFile(program, args, settings, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : 1, stdout, stderr }),
  )
  return promise
}

function cloneOf(folder: string): string {
  const clone = newFolder()
  cpSync(join(folder, '../..'), clone, { recursive: true, filter: (source) => !left.has(basename(source)) })
  return clone
}

/**
 * That `npm ci` takes the manifests and the lock file as they are, and that what they list is what is installed here.
 * To unpack all of it once more, with browser, database and linters, would take twice as long as to pack.
 */
async function checkWhole(bare: string, repository: string): Promise<void> {
  const { code, stderr } = await run(npm, ['ci', '--dry-run'], { cwd: bare, env: ofTheMachine() })
  ok(code === 0 || unreachableIn(stderr) !== undefined, stderr)
  const { packages: locked } = readLock(join(repository, 'package-lock.json'))
  // npm writes it when it has unpacked the rest and compared it with the hashes of the lock file.
  const { packages: installed } = readLock(join(repository, 'node_modules/.package-lock.json'))
  const wanted = Object.entries(locked).filter(
    ([path, { optional = false }]) => path.includes('node_modules/') && (!optional || installed[path] !== undefined),
  )
  const identity = ([path, { version, integrity }]: [string, Locked]): unknown => [path, version, integrity]
  deepStrictEqual(
    wanted.map(([path]) => identity([path, installed[path] ?? {}])),
    wanted.map(identity),
  )
}

/** Of the root and of the private packages: `npm ci` takes twice as long with them as with the bundler alone. */
function leaveOutTestTools(clone: string): void {
  const lockFile = join(clone, 'package-lock.json')
  const lock = readLock(lockFile)
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path.includes('node_modules/')) continue
    const manifestFile = join(clone, path, 'package.json')
    const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
    for (const { devDependencies = {} } of [locked, manifest]) {
      for (const name of Object.keys(devDependencies)) if (name !== 'rolldown') delete devDependencies[name]
    }
    writeFileSync(manifestFile, JSON.stringify(manifest))
  }
  writeFileSync(lockFile, JSON.stringify(lock))
}

interface Manifest {
  readonly devDependencies?: Record<string, string>
}

interface Locked extends Manifest {
  readonly version?: string
  readonly integrity?: string
  readonly optional?: boolean
}

interface Lock {
  /** By path; the root's is empty. */
  readonly packages: Record<string, Locked>
}

function readLock(path: string): Lock {
  return JSON.parse(readFileSync(path, 'utf8')) as Lock
}

/** Also what the workspace keeps in the service's folder, because another service has another version at the root. */
function linkModules(clone: string, folder: string): void {
  for (const [source, target] of [
    [join(folder, '../..'), clone],
    [folder, serviceIn(clone, folder)],
  ] as const) {
    const modules = join(source, 'node_modules')
    if (existsSync(modules)) symlinkSync(modules, join(target, 'node_modules'), 'junction')
  }
}

function pack(clone: string, folder: string, from: 'root' | 'folder'): Promise<Outcome> {
  const workspace = from === 'root' ? ['-w', `services/${basename(folder)}`] : []
  return run(npm, ['pack', ...workspace, '--json'], { cwd: placeOf(clone, folder, from), env: ofTheMachine() })
}

/** Keeps the archive and removes the clone, half a gigabyte. */
function take({ code, stdout, stderr }: Outcome, clone: string, folder: string, from: 'root' | 'folder'): Packed {
  strictEqual(code, 0, stderr)
  ok(!existsSync(join(serviceIn(clone, folder), 'dist')), 'nothing is left behind')
  const { filename, paths } = readPacked(stdout)
  const archive = join(newFolder(), filename)
  copyFileSync(join(placeOf(clone, folder, from), filename), archive)
  rmSync(clone, { recursive: true, force: true })
  return { archive, paths }
}

/** Where npm is started, and where it leaves the archive. */
function placeOf(clone: string, folder: string, from: 'root' | 'folder'): string {
  return from === 'root' ? clone : serviceIn(clone, folder)
}

function serviceIn(clone: string, folder: string): string {
  return join(clone, 'services', basename(folder))
}

/** What `npm pack --json` has made; scripts may have printed something before. */
function readPacked(stdout: string): { readonly filename: string; readonly paths: readonly string[] } {
  // Newer npm gives an object by package name, older an array.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, Report>)
  const { filename, files } = packed as Report
  return { filename, paths: files.map(({ path }) => path).toSorted() }
}

interface Report {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Without the folders in which this repository's own Node is found, and without what an npm script was told. */
function ofTheMachine(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|PATH$)/i.test(name))
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes(`node_modules${sep}`))
  return { ...Object.fromEntries(inherited), PATH: folders.join(delimiter), npm_config_prefer_offline: 'true' }
}
