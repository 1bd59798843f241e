/**
 * What every Node.js process can report about itself, under the names that dashboards know: event loop, garbage
 * collection, memory, CPU.
 */
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { counter, gauge, histogram, type MetricTable, peak } from './metric-table.ts'
import type { Registry } from './registry.ts'

export const processMetrics = {
  nodejs_eventloop_lag_seconds: peak('Longest delay of the event loop in the last 30 seconds, of the slowest process'),
  nodejs_gc_duration_seconds: histogram('Collections of garbage', ['kind'], [0.001, 0.01, 0.1, 1, 2, 5]),
  process_resident_memory_bytes: gauge('Resident memory of all processes together'),
  process_cpu_seconds_total: counter('CPU time, of the user and of the system, of all processes together'),
} as const satisfies MetricTable

/** How often the event loop is looked at; a delay shows as one that is shorter by this. */
const resolutionMs = 20
/**
 * The longest delay is kept for this many periods. Scrapes may be further apart than a delay is long, and several may
 * scrape.
 */
const periods = 6
const periodMs = 5000

/** `kind` of a collection, by the number that Node.js has for it. */
const kinds: Readonly<Record<number, string>> = { 1: 'minor', 2: 'minor', 4: 'major', 8: 'incremental', 16: 'weakcb' }

/** As Node.js reports one; its types have no `detail`. */
type Collection = PerformanceEntry & { readonly detail?: { readonly kind?: number } }

/** Measures this process from now on. Returns what ends it. */
export function openProcessMetrics(registry: Registry<typeof processMetrics>): () => void {
  const stopDelay = watchDelay(registry)
  const stopCollections = watchCollections(registry)
  const memory = registry.gauge('process_resident_memory_bytes')
  const cpu = registry.counter('process_cpu_seconds_total')
  registry.beforeSnapshot(() => {
    memory.set(process.memoryUsage.rss())
    const { user, system } = process.cpuUsage()
    cpu.value = (user + system) / 1e6
  })
  return () => {
    stopDelay()
    stopCollections()
  }
}

function watchDelay(registry: Registry<typeof processMetrics>): () => void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  const longest: number[] = []
  const read = (): number => Math.max(0, delay.max / 1e9 - resolutionMs / 1e3)
  const lag = registry.gauge('nodejs_eventloop_lag_seconds')
  delay.enable()
  const timer = setInterval(() => {
    longest.push(read())
    if (longest.length >= periods) longest.shift()
    delay.reset()
  }, periodMs).unref()
  registry.beforeSnapshot(() => lag.set(Math.max(read(), ...longest)))
  return () => {
    clearInterval(timer)
    delay.disable()
  }
}

function watchCollections(registry: Registry<typeof processMetrics>): () => void {
  const byKind = new Map(
    Array.from(Object.values(kinds), (kind) => [kind, registry.histogram('nodejs_gc_duration_seconds', kind)]),
  )
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as Collection[]) {
      const kind = kinds[detail?.kind ?? 0]
      if (kind !== undefined) byKind.get(kind)?.observe(duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}
