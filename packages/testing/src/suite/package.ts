/**
 * The package of a service as a user gets it: packed from a copy of the sources, installed into an empty folder, run
 * from there. Needs the registry, or npm's cache, for the dependencies; without either what needs them is skipped with
 * the reason.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../process/folder.ts'

export interface PackageTests {
  readonly title: string
  /** The service's own. */
  readonly folder: string
  /** What is packed besides modules and the manual. */
  readonly files: readonly string[]
  /** Ids of the rules about `--version`. */
  readonly versionRules: string
  /** Packages that must not come with it. */
  readonly unwanted: readonly string[]
  /** Further tests of the installed package; its version comes in. */
  readonly run: (test: TestContext, installed: string, version: string) => Promise<void>
}

const isWindows = process.platform === 'win32'
const npm = isWindows ? 'npm.cmd' : 'npm'
/** For a machine under load that has to load everything from the registry. */
const patienceMs = 600_000

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

export function testPackage(tests: PackageTests): void {
  const { title, folder, versionRules, unwanted } = tests
  const name = basename(folder)
  const manifest = readManifest(folder)

  test(title, async (t) => {
    const { archive, paths } = await pack(folder)
    await t.test('it carries JavaScript for every module, and no TypeScript', () => checkFiles(tests, paths))

    const home = newFolder({ 'package.json': '{"private":true}' })
    const { code, stderr } = await run(npm, ['install', archive], home)
    const unreachable = unreachableIn(stderr)
    if (unreachable !== undefined) {
      t.skip(`not installed, because npm cannot reach the registry for the dependencies (${unreachable})`)
      return
    }
    strictEqual(code, 0, stderr)
    const modules = join(home, 'node_modules')
    const installed = join(modules, name)

    await t.test('nothing but its dependencies comes with it, and no type definitions are needed to run', () => {
      deepStrictEqual(readManifest(installed).dependencies, manifest.dependencies)
      for (const other of ['typescript', join(name, 'src'), ...unwanted]) ok(!existsSync(join(modules, other)), other)
    })

    await t.test(`its command tells the version ${versionRules}`, async () => {
      const told = await run(join(modules, '.bin', isWindows ? `${name}.cmd` : name), ['--version'], home)
      deepStrictEqual(told, { code: 0, stdout: `${name} ${manifest.version}\n`, stderr: '' })
    })

    await tests.run(t, installed, manifest.version)
  })
}

/** What npm says when it cannot reach the registry, if it says so. */
export function unreachableIn(stderr: string): string | undefined {
  return /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED|EHOSTUNREACH/.exec(stderr)?.[0]
}

/** What `npm pack --json` has made; scripts may have printed something before. */
export function readPacked(stdout: string): { readonly filename: string; readonly paths: readonly string[] } {
  // Newer npm gives an object by package name, older an array.
  const [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, Packed>)
  const { filename, files } = packed as Packed
  return { filename, paths: files.map(({ path }) => path).toSorted() }
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

function checkFiles({ folder, files }: PackageTests, paths: readonly string[]): void {
  const own = modulesOf(join(folder, 'src')).map((path) => `dist/${path}`)
  const packages = new Set(paths.flatMap((path) => /^dist\/packages\/([\w-]+)\//.exec(path)?.[1] ?? []))
  for (const name of ['testing', 'bench']) ok(!packages.has(name), `${name} is for tests and benches only`)
  const shared = [...packages].flatMap((name) =>
    modulesOf(join(folder, '../../packages', name, 'src')).map((path) => `dist/packages/${name}/${path}`),
  )
  const optional = ['CHANGELOG.md', 'README.md'].filter((file) => existsSync(join(folder, file)))
  const pages = paths.filter((path) => /^docs\/[\w-]+\.(?:md|png)$/.test(path))
  deepStrictEqual(paths, [...own, ...shared, 'LICENSE', 'package.json', ...files, ...optional, ...pages].toSorted())
  deepStrictEqual(
    paths.filter((path) => /\.[cm]?tsx?$/.test(path)),
    [],
  )
}

/** With the files of pages, which are packed as they are. */
function modulesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:[jt]s|html|css|svg)$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => path.replaceAll('\\', '/').replace(/\.ts$/, '.js'))
}

/** Packs a copy, so that nothing appears in the sources meanwhile. */
async function pack(folder: string): Promise<{ archive: string; paths: readonly string[] }> {
  const repository = join(folder, '../..')
  const copy = newFolder()
  for (const name of ['tsconfig.json', 'package-lock.json', 'tools', 'packages']) {
    cpSync(join(repository, name), join(copy, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    })
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'), 'junction')
  const skipped = new Set(['test', 'bench', 'node_modules', 'dist'].map((name) => join(folder, name)))
  const target = join(copy, 'services', basename(folder))
  cpSync(folder, target, { recursive: true, filter: (path) => !skipped.has(path) })
  // What the workspace keeps here, because another service has another version of it at the root.
  const own = join(folder, 'node_modules')
  if (existsSync(own)) symlinkSync(own, join(target, 'node_modules'), 'junction')
  const { code, stdout, stderr } = await run(npm, ['pack', '--json'], target)
  strictEqual(code, 0, stderr)
  ok(!existsSync(join(target, 'dist')), 'nothing is left behind')
  const { filename, paths } = readPacked(stdout)
  return { archive: join(target, filename), paths }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(program: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_fetch_retries: '0',
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
  }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const settings = { cwd, env, maxBuffer: 1e8, timeout: patienceMs, shell: isWindows }
  execFile(program, args, settings, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : 1, stdout, stderr }),
  )
  return promise
}
