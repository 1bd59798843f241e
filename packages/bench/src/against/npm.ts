/** Installs the packages that a package.json names, beside it, for what only a bench needs. */
import { spawnSync, type SpawnSyncOptionsWithStringEncoding } from 'node:child_process'

const timeoutMs = 300_000

/** `place` holds a package.json with exact versions. Returns the reason if it cannot. */
export function installPackages(place: string, flags: readonly string[] = []): string | undefined {
  // `--prefix`, because npm looks for a project above any node_modules.
  const where = [`--prefix=${place}`, '--no-package-lock', '--ignore-scripts', ...flags]
  const { status, error, stderr } = runNpm(place, ['install', ...where, '--no-audit', '--no-fund', '--loglevel=error'])
  return status === 0 ? undefined : `npm install failed: ${error?.message ?? reasonIn(stderr)}`
}

/** The npm that runs this, or the one on the path. */
function runNpm(place: string, args: readonly string[]) {
  const options: SpawnSyncOptionsWithStringEncoding = {
    cwd: place,
    encoding: 'utf8',
    timeout: timeoutMs,
    stdio: ['ignore', 'ignore', 'pipe'],
  }
  const { npm_execpath: cli = '', npm_node_execpath: node = process.execPath } = process.env
  if (/npm-cli\.c?js$/.test(cli)) return spawnSync(node, [cli, ...args], options)
  return spawnSync('npm', [...args], { ...options, shell: process.platform === 'win32' })
}

/** The first line that is words: before it npm prints codes, after it advice. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^npm error\s*/, '').trim())
  return lines.find((line) => line !== '' && !/^(code|errno|syscall|path)\b/.test(line)) ?? ''
}
