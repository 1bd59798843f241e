/**
 * Builds the peers in Rust and in Go below node_modules/.cache, from their sources in `contenders` and from libraries
 * that Debian's packages have installed; nothing is fetched. Where something is missing the run goes on without them
 * and says what.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '@services/bench'
import { place } from './install.ts'

/** The program, or why there is none. */
export type Built = { readonly program: string } | { readonly reason: string }

/** Where Debian's packages put the sources of libraries, and what is wanted of them. */
export interface Libraries {
  readonly folder: string
  /** What a name in the folder begins with -> the package that brings it. */
  readonly packages: Readonly<Record<string, string>>
}

const sources = join(import.meta.dirname, '../contenders')

const crates: Libraries = {
  folder: '/usr/share/cargo/registry',
  packages: {
    'hyper-0.14.': 'librust-hyper-dev',
    'tokio-postgres-0.7.': 'librust-tokio-postgres-dev',
    'serde_json-1.': 'librust-serde-json-dev',
    'chrono-0.4.': 'librust-chrono-dev',
  },
}

const goPath = '/usr/share/gocode'
const goLibraries: Libraries = {
  folder: join(goPath, 'src/github.com/jackc/pgx'),
  packages: { v4: 'golang-github-jackc-pgx-v4-dev' },
}

export function buildRust(): Built {
  // Its own installer puts it into the home folder.
  const cargo = findProgram('cargo', [join(homedir(), '.cargo/bin/cargo')])
  if (cargo === undefined) return { reason: 'no cargo on the PATH (Debian: apt install cargo)' }
  const missing = findMissing(crates)
  if (missing !== undefined) return { reason: missing }
  // Cargo writes its lock file beside the manifest.
  const project = join(place, 'rust')
  cpSync(join(sources, 'rust'), project, { recursive: true, preserveTimestamps: true })
  const debian = ['source.crates-io.replace-with="debian"', `source.debian.directory="${crates.folder}"`]
  const offline = ['--offline', ...debian.flatMap((setting) => ['--config', setting])]
  const args = ['build', '--release', '--quiet', '--target-dir', join(project, 'target'), ...offline]
  return build('Rust', join(project, 'target/release/rust-server'), { file: cargo, args, folder: project })
}

export function buildGo(): Built {
  const go = findProgram('go', ['/usr/lib/go-*/bin/go', '/usr/local/go/bin/go'])
  if (go === undefined) return { reason: 'no go on the PATH (Debian: apt install golang-go)' }
  const missing = findMissing(goLibraries)
  if (missing !== undefined) return { reason: missing }
  const project = join(place, 'go')
  mkdirSync(project, { recursive: true })
  const program = join(project, 'go-server')
  // Debian installs libraries for a GOPATH and not as modules.
  const env = { GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '', GOCACHE: join(project, 'cache') }
  return build('Go', program, { file: go, args: ['build', '-o', program, 'main.go'], folder: join(sources, 'go'), env })
}

/** What to install, if anything is missing. */
export function findMissing({ folder, packages }: Libraries): string | undefined {
  const present = existsSync(folder) ? readdirSync(folder) : []
  const missing = Object.entries(packages).filter(([start]) => !present.some((name) => name.startsWith(start)))
  if (missing.length === 0) return undefined
  const names = missing.map(([start]) => start.replace(/\.$/, '')).join(', ')
  return `${folder} lacks ${names} (Debian: apt install ${missing.map(([, name]) => name).join(' ')})`
}

interface Build {
  readonly file: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
}

/** The compiler knows best whether the program is as new as its source. */
function build(language: string, program: string, { file, args, folder, env }: Build): Built {
  if (!existsSync(program)) console.error(`Building the peer in ${language}, a minute or two ...`)
  const { status, error, stderr } = spawnSync(file, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return status === 0 ? { program } : { reason: `it was not built: ${error?.message ?? reasonIn(stderr)}` }
}

/** Of what a compiler prints the first line that tells of an error; Go names the package before it. */
export function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.find((line) => line.startsWith('error')) ?? lines[0] ?? 'it does not say why'
}
