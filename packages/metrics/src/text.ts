/**
 * A snapshot -> Prometheus' text format, as the library prom-client writes it. The only file that knows the library,
 * which is loaded when somebody first asks: it writes what others have counted, and counts nothing itself.
 */
import type { MetricRow, MetricTable } from './metric-table.ts'
import type { SeriesValues, Snapshot } from './snapshot.ts'

interface Value {
  readonly labels: Readonly<Record<string, string | number>>
  readonly value: number
  /** For the series of a histogram, whose names are not that of the metric. */
  readonly metricName?: string
}

export async function writeText(table: MetricTable, snapshot: Snapshot): Promise<string> {
  const { AggregatorRegistry } = await import('prom-client')
  const metrics = Object.entries(table)
    .filter(([name]) => (snapshot[name]?.length ?? 0) > 0)
    .map(([name, row]) => {
      const values = (snapshot[name] ?? []).flatMap((series) => toValues(name, row, series))
      // It is summed up already; the library is to take it as it is.
      return { name, help: row.help, type: row.kind, aggregator: 'first', values }
    })
  return AggregatorRegistry.aggregate([metrics]).metrics()
}

function toValues(name: string, row: MetricRow, { labels, values }: SeriesValues): Value[] {
  const named = Object.fromEntries(row.labels.map((label, i) => [label, labels[i] as string]))
  if (row.kind !== 'histogram') return [{ labels: named, value: values[0] as number }]
  let count = 0
  const buckets = [...row.bounds, '+Inf'].map((le, i) => {
    count += values[i] as number
    return { labels: { ...named, le }, value: count, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels: named, value: values.at(-1) as number, metricName: `${name}_sum` },
    { labels: named, value: count, metricName: `${name}_count` },
  ]
}
