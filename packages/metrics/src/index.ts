/** The entry point: what services import of this package. */
export { counter, gauge, histogram, peak, prefixed } from './metric-table.ts'
export { openProcessMetrics, processMetrics } from './process-metrics.ts'
export { methodLabel, noEndpoint, requestMetrics } from './request-metrics.ts'
export { Counter, Histogram, Registry } from './registry.ts'
export type { Snapshot } from './snapshot.ts'
export { textType, Totals } from './totals.ts'
