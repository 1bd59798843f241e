/**
 * `npm pack` on a bare clone: a copy of the working tree without anything installed, packed by the machine's own Node
 * and npm. Needs the registry, or npm's cache, for what has to be installed first.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, sep } from 'node:path'
import { test } from 'node:test'
import { readPacked, unreachableIn } from '@services/testing'

const repository = join(import.meta.dirname, '..')
const isWindows = process.platform === 'win32'
const left = new Set(['node_modules', 'dist', '.git', '.data'])
const patienceMs = 600_000

/** Without the folders in which this repository's own Node is found. */
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes(`node_modules${sep}`))
  .join(delimiter)

function npm(args: readonly string[], cwd: string) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|PATH$)/i.test(name))
  const env = { ...Object.fromEntries(inherited), PATH: path, npm_config_prefer_offline: 'true' }
  const settings = { cwd, env, encoding: 'utf8', timeout: patienceMs, shell: isWindows, maxBuffer: 1e8 } as const
  return spawnSync(isWindows ? 'npm.cmd' : 'npm', [...args], settings)
}

for (const [rule, service, how, folder, args] of [
  ['S23', 'sqlapi', 'from the root', '.', ['pack', '-w', 'services/sqlapi', '--json']],
  ['X30', 'xroad-proxy', 'from its folder', 'services/xroad-proxy', ['pack', '--json']],
] as const) {
  test(`${service} can be packed ${how} of a bare clone [${rule}]`, { timeout: patienceMs }, (t) => {
    const clone = mkdtempSync(join(tmpdir(), 'pack-'))
    t.after(() => rmSync(clone, { recursive: true, force: true }))
    cpSync(repository, clone, { recursive: true, filter: (source) => !left.has(basename(source)) })
    const { status, stdout, stderr } = npm(args, join(clone, folder))
    const unreachable = unreachableIn(stderr)
    if (unreachable !== undefined) {
      t.skip(`nothing can be installed, because npm cannot reach the registry (${unreachable})`)
      return
    }
    strictEqual(status, 0, stderr)
    const { paths } = readPacked(stdout)
    for (const wanted of [`bin/${service}.js`, 'dist/main.js', 'dist/packages/http-shell/index.js']) {
      ok(paths.includes(wanted), `${wanted} is missing in ${paths.join(' ')}`)
    }
    deepStrictEqual([existsSync(join(clone, 'services', service, 'dist'))], [false], 'nothing is left behind')
  })
}
