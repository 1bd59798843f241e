/**
 * All values of one process at one moment, as plain values that can be sent to another process, and what the values of
 * several processes are together. Pure.
 */
import type { MetricRow, MetricTable } from './metric-table.ts'

export interface SeriesValues {
  /** In the order of the metric's labels. */
  readonly labels: readonly string[]
  /**
   * A counter and a gauge have one; a histogram has how many fell into each bucket, the one without a bound last, and
   * their sum.
   */
  readonly values: readonly number[]
}

/** Name of the metric -> its series. */
export type Snapshot = Readonly<Record<string, readonly SeriesValues[]>>

/** Tells series of one metric apart. */
export function seriesKey(labels: readonly string[]): string {
  return labels.join('\u0000')
}

/** One snapshot for all: series with the same labels become one. */
export function together(table: MetricTable, snapshots: readonly Snapshot[]): Snapshot {
  const all: Record<string, readonly SeriesValues[]> = {}
  for (const [name, row] of Object.entries(table)) {
    all[name] = join(
      row,
      snapshots.flatMap((snapshot) => snapshot[name] ?? []),
    )
  }
  return all
}

function join({ together }: MetricRow, all: readonly SeriesValues[]): SeriesValues[] {
  const joined = new Map<string, { labels: readonly string[]; values: number[] }>()
  for (const { labels, values } of all) {
    const key = seriesKey(labels)
    const known = joined.get(key)
    if (known === undefined) joined.set(key, { labels, values: [...values] })
    else for (const [i, value] of values.entries()) known.values[i] = combine(together, known.values[i], value)
  }
  return [...joined.values()]
}

function combine(how: MetricRow['together'], known = 0, value: number): number {
  return how === 'sum' ? known + value : Math.max(known, value)
}

/** What stays of a process that has ended: what it counted, and none of its gauges. */
export function counted(table: MetricTable, snapshot: Snapshot): Snapshot {
  return Object.fromEntries(Object.entries(snapshot).filter(([name]) => table[name]?.kind !== 'gauge'))
}
