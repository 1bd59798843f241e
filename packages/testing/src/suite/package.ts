/**
 * The package of a service as a user gets it: packed on a bare clone, installed into an empty folder, run from there.
 * Needs the registry, or npm's cache, for the dependencies; without either what needs them is skipped with the reason.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../process/folder.ts'
import { npm, packOnBareClone, run, unreachableIn } from './pack.ts'

export interface PackageTests {
  readonly title: string
  /** The service's own. */
  readonly folder: string
  /** What is packed besides modules and the manual. */
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
    await t.test('it carries JavaScript for every module, and no TypeScript', () => checkFiles(tests, paths))

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

    await t.test(`its command tells the version ${versionRules}`, async () => {
      const told = await run(join(modules, '.bin', isWindows ? `${name}.cmd` : name), ['--version'], { cwd: home, env })
      deepStrictEqual(told, { code: 0, stdout: `${name} ${manifest.version}\n`, stderr: '' })
    })

    await tests.run(t, installed, manifest.version)
  })
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
