/**
 * What is published: the package is built from a copy of the sources, installed into an empty folder as a user would, and
 * run from there. Needs the registry, or npm's cache, for the dependencies.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { call, newFolder, spawnProcess, untilListening } from '@services/testing'

const service = join(import.meta.dirname, '..')
const repository = join(service, '../..')
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const manifest = JSON.parse(readFileSync(join(service, 'package.json'), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}

interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(program: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${process.platform === 'win32' ? ';' : ':'}${process.env['PATH']}`,
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_fetch_retries: '0',
    npm_config_loglevel: 'error',
    npm_config_update_notifier: 'false',
  }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const settings = { cwd, env, maxBuffer: 1e8, timeout: 600_000, shell: process.platform === 'win32' }
  execFile(program, args, settings, (error, stdout, stderr) =>
    resolve({ code: error === null ? 0 : 1, stdout, stderr }),
  )
  return promise
}

/** Packs a copy, so that nothing appears in the sources meanwhile. Gives the archive and the paths in it. */
async function pack(): Promise<{ archive: string; paths: string[] }> {
  const copy = newFolder()
  for (const name of ['tsconfig.json', 'package-lock.json', 'tools', 'packages']) {
    cpSync(join(repository, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'), 'junction')
  const skipped = new Set(['test', 'bench', 'node_modules', 'dist'].map((name) => join(service, name)))
  const folder = join(copy, 'services/sqlapi')
  cpSync(service, folder, { recursive: true, filter: (path) => !skipped.has(path) })
  const { code, stdout, stderr } = await run(npm, ['pack', '--json'], folder)
  strictEqual(code, 0, stderr)
  const packed = readJson(stdout)
  ok(!existsSync(join(folder, 'dist')), 'nothing is left behind')
  return { archive: join(folder, packed.filename), paths: packed.files.map(({ path }) => path).toSorted() }
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Scripts may have printed something before; newer npm gives an object by package name, older an array. */
function readJson(stdout: string): Packed {
  const start = stdout.search(/^[[{]/m)
  const [packed] = Object.values(JSON.parse(stdout.slice(start)) as Record<string, Packed>)
  return packed as Packed
}

function modulesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.replaceAll('\\', '/').replace(/\.ts$/, '.js'))
}

test('the package holds what it says and runs where it is installed [S23]', async (t) => {
  const { archive, paths } = await pack()

  await t.test('it carries JavaScript for every module, and no TypeScript', () => {
    const own = modulesOf(join(service, 'src')).map((path) => `dist/${path}`)
    const shared = ['command-line', 'config-file', 'http-shell', 'linked-list', 'observe'].flatMap((name) =>
      modulesOf(join(repository, 'packages', name, 'src')).map((path) => `dist/packages/${name}/${path}`),
    )
    const modules = [...own, ...shared]
    const always = ['LICENSE', 'bin/sqlapi.js', 'dist/build.json', 'package.json', 'sqlapi.schema.json']
    const optional = ['CHANGELOG.md', 'README.md', 'sqlapi.example.yaml'].filter((name) =>
      existsSync(join(service, name)),
    )
    const pages = paths.filter((path) => /^docs\/[\w-]+\.md$/.test(path))
    deepStrictEqual(paths, [...modules, ...always, ...optional, ...pages].toSorted())
    deepStrictEqual(
      paths.filter((path) => /\.[cm]?tsx?$/.test(path)),
      [],
    )
  })

  const home = newFolder({ 'package.json': '{"private":true}' })
  const installed = await run(npm, ['install', archive], home)
  const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED|EHOSTUNREACH/.exec(
    installed.stderr,
  )
  if (unreachable !== null) {
    t.skip(`not installed, because npm cannot reach the registry for the dependencies (${unreachable[0]})`)
    return
  }
  strictEqual(installed.code, 0, installed.stderr)

  await t.test('nothing but its dependencies comes with it, and no type definitions are needed to run', () => {
    const own = JSON.parse(readFileSync(join(home, 'node_modules/sqlapi/package.json'), 'utf8')) as typeof manifest
    deepStrictEqual(own.dependencies, manifest.dependencies)
    ok(!existsSync(join(home, 'node_modules/typescript')))
    ok(!existsSync(join(home, 'node_modules/sqlapi/src')))
  })

  const installedBinary = join(home, 'node_modules/.bin', process.platform === 'win32' ? 'sqlapi.cmd' : 'sqlapi')

  await t.test('[D6.1] its command tells the version', async () => {
    const told = await run(installedBinary, ['--version'], home)
    deepStrictEqual(told, { code: 0, stdout: `sqlapi ${manifest.version}\n`, stderr: '' })
  })

  for (const workers of [1, 2]) {
    await t.test(`[S-endpoints.health] [D1.1] [D7.1] its command serves requests, workers: ${workers}`, async () => {
      const folder = newFolder({ 'sql/demo/GET/one.sql': 'SELECT :x AS x' })
      const datasources = [{ name: 'demo', url: 'sqlite:demo.db' }]
      writeFileSync(
        join(folder, 'sqlapi.yaml'),
        JSON.stringify({ sql_dir: 'sql', server: { bind: '127.0.0.1:0', workers }, datasources }),
      )
      const command = [process.execPath, join(home, 'node_modules/sqlapi/bin/sqlapi.js')]
      const { port, ...running } = await untilListening(spawnProcess({ cwd: folder, command }))
      strictEqual((await call(port, '/demo/one?x=5')).text, '[{"x":"5"}]')
      const health = JSON.parse((await call(port, '/health')).text) as { version: string; packagingTime: number }
      strictEqual(health.version, manifest.version)
      ok(Math.abs(Date.now() - health.packagingTime) < 600_000, 'the time of the build is told')
      const { code, stderr } = await running.stop()
      deepStrictEqual([code, stderr], [0, ''])
    })
  }
})
