/**
 * The two versions that are compared: a folder with the sources of each, a folder for its files, a PostgreSQL server
 * and the certificates of a mock. Comes from a commit or from the working tree; removed when the process ends.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { newFolder } from '@services/testing'
import { type PostgresServer, startThrowawayPostgres, testSettings } from '@services/testing/postgres'
import { spawnSide } from './programs.ts'

/** The repository that `npm run compare` runs in. All inputs come from it, for both sides. */
export const repository = resolve(import.meta.dirname, '../..')

export interface Side {
  readonly name: 'old' | 'new'
  /** Its sources. */
  readonly root: string
  /** What its programs read and write, at a path as long as that of the other side. */
  readonly folder: string
  /** Certificates of a mock Security Server, the same files for both sides. */
  readonly certificates: string
  /** A server of its own, so that databases have the same names on both sides. */
  readonly postgres: PostgresServer
  /** Addresses that differ because the system chose them -> whose they are. */
  readonly ports: Map<number, string>
}

/** Without a `tree` the new side is the working tree. */
export async function openSides(base: string, tree: string = repository): Promise<readonly [Side, Side]> {
  const work = newFolder()
  const checkout = join(work, 'checkout')
  checkOut(base, checkout)
  const [oldServer, newServer] = await Promise.all([
    startThrowawayPostgres(testSettings),
    startThrowawayPostgres(testSettings),
  ])
  const older = toSide('old', checkout, join(work, 'old'), oldServer)
  const newer = toSide('new', tree, join(work, 'new'), newServer)
  await makeCertificates(older)
  cpSync(older.certificates, newer.certificates, { recursive: true })
  return [older, newer]
}

function toSide(name: Side['name'], root: string, folder: string, postgres: PostgresServer): Side {
  mkdirSync(folder)
  const ports = new Map([[postgres.port, 'postgres']])
  return { name, root, folder, certificates: join(folder, 'certificates'), postgres, ports }
}

/** The mock makes them when it starts. */
async function makeCertificates(side: Side): Promise<void> {
  const mock = spawnSide(side, 'xroad-proxy', ['mock', '--port', '0', '--folder', side.certificates])
  await mock.line(/listening/i)
  mock.kill('SIGTERM')
  await mock.ended
}

/** The files of a commit, with the libraries of its lock file. */
export function checkOut(commit: string, folder: string): void {
  mkdirSync(folder)
  const files = execFileSync('git', ['archive', commit], { cwd: repository, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: files })
  provideLibraries(folder)
}

/** Installs the libraries of a checkout, or shares those of the repository if both lock files are the same. */
export function provideLibraries(folder: string): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  if (lock === readFileSync(join(repository, 'package-lock.json'), 'utf8')) return share(folder, lock)
  const { status } = spawnSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm ci failed in the checkout; its lock file differs from the repository's`)
}

/**
 * Links to libraries lead to the repository, but links to workspaces must lead to those of the checkout: through the
 * repository's own links the old version would run the new packages.
 */
function share(folder: string, lock: string): void {
  const { packages } = JSON.parse(lock) as { packages: Readonly<Record<string, { link?: boolean; resolved?: string }>> }
  for (const [place, { link, resolved }] of Object.entries(packages)) {
    // What is installed inside another library comes with it.
    if (!/(^|\/)node_modules\//.test(place) || place.split('node_modules/').length > 2) continue
    const target = link === true ? join(folder, resolved ?? '') : join(repository, place)
    const path = join(folder, place)
    if (!existsSync(target) || existsSync(path)) continue
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(link === true ? relative(dirname(path), target).split(sep).join('/') : target, path)
  }
}
