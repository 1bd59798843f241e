/**
 * Global setup of a test run (`node --test --test-global-setup`): temporary files in memory and one cache of compiled
 * sources; for a whole run (TEST_WHOLE) also one PostgreSQL server and the packages of both services. Test processes
 * see the environment that this module sets.
 */
import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import type { ThrowawayPostgres } from '@services/testing/postgres'

const root = resolve(import.meta.dirname, '../..')
/** Linux keeps the files below this folder in memory. */
const memory = '/dev/shm'
const prefix = 'test-run-'
const neededBytes = 6 * 2 ** 30
let postgres: ThrowawayPostgres | undefined

export async function globalSetup(): Promise<void> {
  process.env['TMPDIR'] ??= inMemory() ?? tmpdir()
  process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compile')
  if (process.env['TEST_WHOLE'] !== undefined) await Promise.all([buildPackages(), startPostgres()])
}

export async function globalTeardown(): Promise<void> {
  await postgres?.remove()
}

/** One package for each service: a process starts from it in half the time. */
async function buildPackages(): Promise<void> {
  const { buildPackage } = await import('../build/package.ts')
  const folder = mkdtempSync(join(tmpdir(), 'built-'))
  removeAtExit(folder)
  const services = globSync('services/*', { cwd: root })
  await Promise.all(services.map((service) => buildPackage(join(root, service), join(folder, basename(service)))))
  process.env['TEST_BUILT'] = folder
}

/** Shared by the files that only need databases; its table lists the databases that a file emptied and left. */
async function startPostgres(): Promise<void> {
  const { startThrowawayPostgres, testSettings } = await import('@services/testing/postgres')
  postgres = await startThrowawayPostgres({ ...testSettings, max_connections: '1000' })
  await postgres.query('CREATE TABLE free_databases (name text)')
  process.env['TEST_POSTGRES'] = postgres.url
}

/** A database is a thousand files: they cost a tenth of the CPU time there. Undefined if there is too little memory. */
function inMemory(): string | undefined {
  if (!isFit()) return undefined
  // Leftovers of runs that were killed.
  for (const name of readdirSync(memory)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(join(memory, name), { recursive: true, force: true })
  }
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  // Some tests run a server as another user.
  chmodSync(folder, 0o1777)
  removeAtExit(folder)
  return folder
}

/** Containers often have little memory there, or forbid programs, which some tests unpack. */
function isFit(): boolean {
  if (!existsSync('/proc/mounts')) return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, flags = ''] = mounts.findLast((line) => line.split(' ')[1] === memory)?.split(' ') ?? []
  if (type !== 'tmpfs' || flags.split(',').some((flag) => flag === 'noexec' || flag === 'ro')) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, process.availableMemory()) >= neededBytes
}

function removeAtExit(folder: string): void {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}
