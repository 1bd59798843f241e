/**
 * `npm run site`: checks the links of the manuals, makes a static site of them, and checks what was made.
 *
 *   npm run site [-- --base PATH] [--out FOLDER] [--serve] [--port N]
 *
 * The generator is not a dependency of the repository: the first run installs it here, below `node_modules` of this
 * folder. Ends with 1 where a link leads nowhere.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { problemsOfBuilt } from './built.ts'
import { checkLinks } from './links.ts'
import { addressOfFile, readSite } from './pages.ts'
import { serve } from './serve.ts'

const here = import.meta.dirname
const root = resolve(here, '../..')
const modules = join(here, 'node_modules')
/** Written last, so an interrupted installation is done again. */
const stamp = join(modules, '.install-stamp')

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(here, 'dist') },
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '4173' },
  },
})
const base = `/${values.base}/`.replaceAll(/\/+/g, '/')
const out = resolve(values.out)

const site = readSite(root)
const { problems, files, count } = checkLinks(root, site)
stopFor(problems)
install()
generate()
for (const file of files) copy(file)
stopFor(problemsOfBuilt(out, base))
console.log(`${site.pages.length} pages with ${count} links are in ${relative(process.cwd(), out) || '.'}`)
if (values.serve) {
  const { url } = await serve(out, base, Number(values.port))
  console.log(`Look at it at ${url}; Ctrl-C ends it`)
}

function stopFor(found: readonly string[]): void {
  if (found.length === 0) return
  console.error(found.join('\n'))
  console.error(`site: ${found.length} ${found.length === 1 ? 'link leads' : 'links lead'} nowhere`)
  process.exit(1)
}

function install(): void {
  const wanted = createHash('sha256')
    .update(readFileSync(join(here, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.error('site: installing the generator')
  const args = ['ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const cli = process.env['npm_execpath'] ?? ''
  const isScript = /npm-cli\.c?js$/.test(cli)
  const options = { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] }
  const { status, error } = isScript
    ? spawnSync(process.execPath, [cli, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (status !== 0) fail(error?.message ?? 'npm ci failed; the next run tries again')
  writeFileSync(stamp, wanted)
}

function generate(): void {
  const program = join(modules, 'vitepress/bin/vitepress.js')
  const args = [program, 'build', here, '--base', base, '--outDir', out]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: here, encoding: 'utf8' })
  if (status !== 0) fail(`the generator failed\n${stdout}${stderr}`)
}

/** A folder becomes one text with all of its files. */
function copy(file: string): void {
  const from = join(root, file)
  const to = join(out, addressOfFile(file))
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(from).isFile()) cpSync(from, to)
  else writeFileSync(to, textOf(from))
}

function textOf(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !/[\\/](?:node_modules|dist)[\\/]/.test(path))
    .toSorted()
  return paths.map((path) => `==> ${relative(folder, path)} <==\n${readFileSync(path, 'utf8')}`).join('\n')
}

function fail(message: string): never {
  console.error(`site: ${message}`)
  process.exit(1)
}
