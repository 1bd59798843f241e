/**
 * How a service declares its metrics: one table with a row for each, made with the functions below. A row says of which
 * kind the metric is, what it tells, which labels tell its series apart, and how those of several processes become one.
 *
 *     export const table = prefixed('shop_', { orders_total: counter('Orders that were taken', 'country') })
 */

export type MetricKind = 'counter' | 'gauge' | 'histogram'

export interface MetricRow {
  readonly kind: MetricKind
  /** One sentence, for readers of `/metrics`. */
  readonly help: string
  readonly labels: readonly string[]
  /** What several processes make of it together: the sum of their values, or the largest of them. */
  readonly together: 'sum' | 'max'
  /** Upper bounds of the buckets of a histogram, in order; empty for other kinds. */
  readonly bounds: readonly number[]
}

/** Name as Prometheus reads it -> row. */
export type MetricTable = Readonly<Record<string, MetricRow>>

/** Seconds, from a millisecond to half a minute. */
const secondsBounds: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Only grows. */
export function counter(help: string, ...labels: string[]): MetricRow {
  return { kind: 'counter', help, labels, together: 'sum', bounds: [] }
}

/** A value of this moment. */
export function gauge(help: string, ...labels: string[]): MetricRow {
  return { kind: 'gauge', help, labels, together: 'sum', bounds: [] }
}

/** A value of this moment, of which only the largest counts where several processes have one. */
export function peak(help: string, ...labels: string[]): MetricRow {
  return { kind: 'gauge', help, labels, together: 'max', bounds: [] }
}

/** Of seconds, unless it has bounds of its own. */
export function histogram(
  help: string,
  labels: readonly string[],
  bounds: readonly number[] = secondsBounds,
): MetricRow {
  return { kind: 'histogram', help, labels, together: 'sum', bounds }
}

/** The same rows with `prefix` before each name. */
export function prefixed<Prefix extends string, Table extends MetricTable>(
  prefix: Prefix,
  table: Table,
): { readonly [Name in keyof Table & string as `${Prefix}${Name}`]: MetricRow } {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [prefix + name, row])) as ReturnType<
    typeof prefixed<Prefix, Table>
  >
}
