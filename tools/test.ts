/**
 * Runs test files, each in a process of its own: all of them, or those named on the command line.
 *
 *   node tools/test.ts [--slowest] [--built] [FILE ..]
 *
 * Beside `node --test` it knows where the tests lie, which of them to start first, and how many files at once suit
 * them: most tests wait for other processes, so two cores have work for five files. `--slowest` lists the files that
 * took most CPU time. When all files are run, they run as build-tests.ts makes them, services are started from their
 * packages, as users start them (for named files with `--built`; from the sources otherwise), and files that failed are
 * tried once more, alone. Ends with 1 when a test fails, or is skipped without a reason.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { run } from 'node:test'
import { parseArgs } from 'node:util'
import { pipeline } from 'node:stream/promises'
import type { ThrowawayPostgres } from '@services/testing/postgres'
import { entryOf } from '@services/testing/program'
import { isSkipWithoutReason, report } from './reporter.ts'
import { scratchInMemory } from './scratch.ts'
import { isFailure, type TestEvent, type Unsteady, withSecondTry } from './second-try.ts'

const patterns = ['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'tools/*.test.ts']
const atOnce = availableParallelism() + 3
/** These take longest from begin to end: begun last, they would leave the other cores idle. */
const longest = [
  'services/sqlapi/test/sqlite/endless.test.ts',
  'services/xroad-proxy/test/rest/streams.test.ts',
  'services/xroad-proxy/test/openapi/docs-browser.test.ts',
  'services/sqlapi/test/cases.test.ts',
  'services/sqlapi/test/openapi/docs-browser.test.ts',
  'services/sqlapi/test/cases-workers.test.ts',
  'services/sqlapi/test/process/workers.test.ts',
  'services/sqlapi/test/cases-pgbouncer.test.ts',
  'services/sqlapi/test/process/signals.test.ts',
  'services/sqlapi/test/formats/large-results.test.ts',
  'services/sqlapi/test/package.test.ts',
  'services/xroad-proxy/test/package.test.ts',
  'services/sqlapi/test/observe/admin.test.ts',
  'services/sqlapi/test/limits.test.ts',
  'services/sqlapi/test/postgres/session-code.test.ts',
  'tools/start.test.ts',
  'tools/second-try.test.ts',
  'services/sqlapi/test/process/lifecycle.test.ts',
  'services/sqlapi/test/process/reload.test.ts',
  'services/sqlapi/test/observe/metrics.test.ts',
  'services/sqlapi/test/observe/sql-comment.test.ts',
  'services/sqlapi/test/database/statement-failures.test.ts',
  'tools/installations.test.ts',
].map((file) => resolve(file))
/** No test waits for ever; a machine under load may need minutes for what takes seconds. */
const longestTestMs = 600_000

// Who names another folder for temporary files gets that one.
process.env['TMPDIR'] ??= scratchInMemory() ?? tmpdir()

const { values, positionals } = parseArgs({
  options: { slowest: { type: 'boolean' }, built: { type: 'boolean' } },
  allowPositionals: true,
})
const isWhole = positionals.length === 0
const isBuilt = isWhole || values.built === true
const files = isWhole ? inOrder(globSync(patterns)) : positionals.map((file) => resolve(file))
const postgres = isWhole && files.some((file) => file.startsWith(resolve('services'))) ? startPostgres() : undefined
if (isBuilt) process.env['TEST_BUILT'] = await build(files)
await postgres

// Processes share most of what they load: each text is compiled once. What was built has another place in each run.
process.env['NODE_COMPILE_CACHE'] ??= isBuilt
  ? join(tmpdir(), 'compile-cache')
  : resolve(import.meta.dirname, '../node_modules/.cache/compile')

/** What is run: files, or what was built of them. */
const sources = new Map(files.map((file) => [isBuilt ? entryOf(file) : file, file]))
const execArgv = ['--import', import.meta.resolve('./ending.ts'), ...(values.slowest === true ? noteCosts() : [])]

const options = { timeout: longestTestMs, execArgv }
const firstTry = bySource(run({ ...options, files: [...sources.keys()], concurrency: atOnce }))
const unsteady: Unsteady[] = []
// Who names files wants to see the first failure.
const events = isWhole
  ? withSecondTry(
      firstTry,
      (file) => run({ ...options, files: [file] }) as AsyncIterable<TestEvent>,
      (told) => unsteady.push(told),
    )
  : firstTry
await pipeline(
  report(judged(events), unsteady, (file) => sources.get(file) ?? file),
  process.stdout,
  { end: false },
)
await (await postgres)?.remove()

/** Has each event name the source of the file that was run. */
async function* bySource(told: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const { type, data } of told) {
    const entryFile = sources.get(data.entryFile ?? data.file ?? '') ?? data.entryFile
    yield { type, data: entryFile === undefined ? data : { ...data, entryFile } }
  }
}

/** Passes the events on; a failure, or a skip without a reason, makes this process end with 1. */
async function* judged(told: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of told) {
    if (isFailure(event) || isSkipWithoutReason(event)) process.exitCode = 1
    yield event
  }
}

function inOrder(found: readonly string[]): string[] {
  const all = found.map((file) => resolve(file)).toSorted()
  return [...new Set([...longest.filter((file) => all.includes(file)), ...all])]
}

/** A server that files share which only need databases; its table has those that a file has emptied and left. */
async function startPostgres(): Promise<ThrowawayPostgres> {
  const { startThrowawayPostgres, testSettings } = await import('@services/testing/postgres')
  const server = await startThrowawayPostgres({ ...testSettings, max_connections: '1000' })
  await server.query('CREATE TABLE free_databases (name text)')
  process.env['TEST_POSTGRES'] = server.url
  // It would outlive a run that a signal ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  return server
}

/** Packages of the services, and test files but those of tools, which load few modules. */
async function build(files: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'built-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const services = globSync('services/*').map((service) => resolve(service))
  const forked = globSync('services/*/test/support/**/command-host.ts').map((file) => resolve(file))
  const entries = [...files.filter((file) => !file.startsWith(resolve('tools'))), ...forked]
  if (services.length + entries.length === 0) return folder
  // Who builds nothing has no use for the bundler.
  const [{ buildPackage }, { buildTests }] = await Promise.all([
    import('./build/package.ts'),
    import('./build-tests.ts'),
  ])
  await Promise.all([
    ...services.map((service) => buildPackage(service, join(folder, basename(service)))),
    entries.length === 0 ? undefined : buildTests(entries, join(folder, 'tests'), folder),
  ])
  return folder
}

/** The flags that have each test file note its costs; the reporter reads the notes. */
function noteCosts(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'test-costs-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const notes = join(folder, 'notes')
  writeFileSync(notes, '')
  process.env['TEST_COSTS'] = notes
  return ['--import', import.meta.resolve('./costs.ts')]
}
