/**
 * The process that tries mutants of one source, many after another: loads the test files anew for each, as far as they
 * reach the source, and runs one test after another until one fails. First it runs all tests without a change, to learn
 * what each costs and which parts of the source it reaches. Tasks and findings are messages, see trials.ts.
 */
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { collect, type Collected, endSuites, runCollected } from './collected.ts'
import type { Findings, Measured, MeasuredTest, Task, Range } from './trials.ts'

const [mutated = '', skipped = '', ...tests] = process.argv.slice(2)
const isSkipped = new RegExp(skipped)
const own = new URL('.', import.meta.url).href
const importers = new Map<string, Set<string>>()
const sources = new Map<string, string>()
/** The modules that a round loads anew; none in the first round. */
let renewed: ReadonlySet<string> = new Set()
let round = 0
let mutant: string | undefined

registerHooks({
  resolve: (specifier, context, next) => {
    const parent = context.parentURL?.replace(/\?round=\d+$/, '')
    if (specifier === 'node:test' && parent?.startsWith(own) === false && !parent.includes('/node_modules/'))
      return { url: `${own}collected.ts`, shortCircuit: true }
    const resolved = next(specifier, context)
    if (parent === undefined || !resolved.url.startsWith('file:')) return resolved
    const { url } = resolved
    importers.set(url, (importers.get(url) ?? new Set()).add(parent))
    return renewed.has(url) ? { ...resolved, url: `${url}?round=${round}` } : resolved
  },
  load: (url, context, next) => {
    const [plain = ''] = url.split('?round=')
    if (!plain.startsWith('file:') || !plain.endsWith('.ts') || plain.includes('/node_modules/'))
      return next(url, context)
    const source = plain === mutated && mutant !== undefined ? mutant : read(plain)
    return { format: 'module', shortCircuit: true, source }
  },
})

function read(url: string): string {
  const source = sources.get(url) ?? stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'))
  sources.set(url, source)
  return source
}

/** Limit of CPU milliseconds and of clock milliseconds of the test that runs, and when it began. */
const watched = new Float64Array(new SharedArrayBuffer(4 * 8))

/** A mutant that runs in circles cannot stop itself. */
function watch(): void {
  const body = `
    const { workerData: watched } = require('node:worker_threads')
    const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
    setInterval(() => {
      const [cpuLimit, clockLimit, cpuStart, clockStart] = watched
      if (cpuLimit > 0 && (cpu() - cpuStart > cpuLimit || Date.now() - clockStart > clockLimit))
        process.kill(process.pid, 'SIGKILL')
    }, 50)`
  new Worker(body, { eval: true, workerData: watched }).unref()
}

const loadLimitMs = 10_000

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function bounded<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  watched.set([limitMs, 20 * limitMs + 60_000, cpuMs(), Date.now()])
  const ended = Promise.withResolvers<never>()
  process.once('uncaughtException', ended.reject)
  try {
    return await Promise.race([work(), ended.promise])
  } finally {
    process.off('uncaughtException', ended.reject)
    watched[0] = 0
  }
}

async function load(test: string): Promise<readonly Collected[]> {
  const found = await collect(() => import(renewed.has(test) ? `${test}?round=${round}` : test))
  return found.filter(({ title }) => !isSkipped.test(title))
}

async function measure(): Promise<Measured> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const measured: MeasuredTest[] = []
  const loaded: Range[] = []
  for (const file of tests) {
    const found = await load(file)
    loaded.push(...(await takeReached(session)))
    for (const [index, test] of found.entries()) {
      const since = cpuMs()
      await bounded(600_000, () => runCollected(test)).catch((error: unknown) => {
        throw new Error(`"${test.title}" fails without any change`, { cause: error })
      })
      measured.push({ file, index, title: test.title, costMs: cpuMs() - since, reached: await takeReached(session) })
    }
    await endSuites()
  }
  session.disconnect()
  renewed = importersOf(mutated)
  return { tests: measured.toSorted((a, b) => a.costMs - b.costMs), loaded, importers: [...renewed] }
}

/** The ranges of the source that ran since the last look, and those in them that did not, outer ones first. */
async function takeReached(session: Session): Promise<Range[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const functions = result.find(({ url }) => url === mutated)?.functions ?? []
  return functions
    .flatMap(({ ranges }) => ranges)
    .map(({ startOffset, endOffset, count }): Range => [startOffset, endOffset, count > 0])
    .toSorted(([a, b], [c, d]) => a - c || d - b)
}

function importersOf(url: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(url)) return found
  found.add(url)
  for (const importer of importers.get(url) ?? []) importersOf(importer, found)
  return found
}

/** The title of the test that fails; undefined where all pass. */
async function tryMutant(source: string, planned: readonly MeasuredTest[]): Promise<string | undefined> {
  round += 1
  mutant = source
  const files = new Map<string, readonly Collected[]>()
  try {
    for (const { file, index, title, costMs } of planned) {
      try {
        let found = files.get(file)
        if (found === undefined) files.set(file, (found = await bounded(loadLimitMs, () => load(file))))
        const test = found[index]
        if (test?.title !== title) return title
        await bounded(5 * costMs + 1000, () => runCollected(test))
      } catch {
        return title
      }
    }
    return undefined
  } finally {
    await endSuites().catch(() => undefined)
  }
}

async function perform(task: Task): Promise<Findings> {
  if (task.kind === 'measure') return { measured: await measure() }
  renewed = new Set(task.importers)
  return { failed: await tryMutant(task.source, task.tests) }
}

watch()
process.on('message', (task: Task) => {
  // What waits for something that never happens leaves nothing else to do, and ends the process.
  process.channel?.unref()
  void perform(task)
    .catch((error: unknown): Findings => ({ error: `${(error as Error).message}: ${String((error as Error).cause)}` }))
    .then((findings) => {
      process.channel?.ref()
      process.send?.(findings)
    })
})
