/**
 * The package of a service as a user gets it: packed on a bare clone, installed into an empty folder, run from there.
 * Needs the registry, or npm's cache, for the dependencies; without either what needs them is skipped with the reason.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../process/folder.ts'
import { npm, packOnBareClone, run, unreachableIn } from './pack.ts'

export interface PackageTests {
  readonly title: string
  /** The service's own. */
  readonly folder: string
  /** What is packed besides `dist` and the manual. */
  readonly files: readonly string[]
  /** Where `npm pack` is called, and the ids of the rules about it. */
  readonly packed: { readonly from: 'root' | 'folder'; readonly rules: string }
  /** Ids of the rules about `--version`. */
  readonly versionRules: string
  /** Packages that must not come with it. */
  readonly unwanted: readonly string[]
  /** Further tests of the installed package; its version comes in. */
  readonly run: (test: TestContext, installed: string, version: string) => Promise<void>
}

/** The libraries that read configuration. All others are dependencies. */
const bundled = ['yaml', 'zod']
const isWindows = process.platform === 'win32'

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

export function testPackage(tests: PackageTests): void {
  const { title, folder, packed, versionRules, unwanted } = tests
  const name = basename(folder)
  const manifest = readManifest(folder)

  test(title, async (t) => {
    const { archive, paths, unreachable: missing } = await packOnBareClone(folder, packed.from)
    await t.test(
      `it can be packed from ${packed.from === 'root' ? 'the root' : 'its folder'} of a bare clone ${packed.rules}`,
      (own) => {
        if (missing !== undefined)
          own.skip(`nothing can be installed, because npm cannot reach the registry (${missing})`)
      },
    )
    await t.test('it carries the program as JavaScript, the page, the manual, and nothing else', () =>
      checkFiles(tests, paths),
    )

    const home = newFolder({ 'package.json': '{"private":true}' })
    const { code, stderr } = await run(npm, ['install', archive], { cwd: home, env })
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

    await t.test('the libraries in the bundle come with their licences, and nothing of the tests is in it', () =>
      checkBundle(join(installed, 'dist')),
    )

    await t.test(`its command tells the version ${versionRules}`, async () => {
      const told = await run(join(modules, '.bin', isWindows ? `${name}.cmd` : name), ['--version'], { cwd: home, env })
      deepStrictEqual(told, { code: 0, stdout: `${name} ${manifest.version}\n`, stderr: '' })
    })

    await tests.run(t, installed, manifest.version)
  })
}

function checkFiles({ folder, files }: PackageTests, paths: readonly string[]): void {
  const pages = join(folder, '../../packages/docs-page/src/browser')
  const shared = readdirSync(pages, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => join(parentPath, name).slice(pages.length).replaceAll('\\', '/'))
    .map((path) => `dist/packages/docs-page/browser${path}`)
  const wanted = [
    'dist/main.js',
    'dist/packages/command-line/launch.js',
    'dist/LICENSES.txt',
    'dist/build.json',
    ...shared,
  ]
  deepStrictEqual(
    wanted.filter((path) => !paths.includes(path)),
    [],
  )
  const isModule = (path: string): boolean => /^dist\/.*\.js$/.test(path)
  const isManual = (path: string): boolean => /^docs\/[\w-]+\.(?:md|png)$/.test(path)
  const others = paths.filter((path) => !isModule(path) && !isManual(path) && !wanted.includes(path))
  const optional = ['CHANGELOG.md', 'README.md'].filter((file) => existsSync(join(folder, file)))
  deepStrictEqual(others, ['LICENSE', 'package.json', ...files, ...optional].toSorted())
}

function checkBundle(dist: string): void {
  const modules = readdirSync(dist).filter((file) => file.endsWith('.js'))
  const text = modules.map((file) => readFileSync(join(dist, file), 'utf8')).join('')
  // The bundler names the source of each part.
  const sources = Array.from(text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm), ([, source = '']) => source)
  const libraries = sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
  deepStrictEqual([...new Set(libraries)].toSorted(), bundled)
  const licences = readFileSync(join(dist, 'LICENSES.txt'), 'utf8')
  for (const library of bundled) match(licences, new RegExp(`^${library} \\d+\\.\\d+\\.\\d+$`, 'm'))
  deepStrictEqual(
    sources.filter((source) => /packages\/(?:testing|bench)\/|\/test\//.test(source)),
    [],
  )
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** With the Node that runs the tests. */
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
