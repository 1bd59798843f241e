/**
 * The series of one process. A series is looked for once, by its labels, and kept by the code that counts: counting is
 * then an addition to a field or to an element of an array, without a lookup and without an allocation. snapshot.ts
 * knows what several processes make of it, text.ts how Prometheus reads it.
 */
import type { MetricKind, MetricRow, MetricTable } from './metric-table.ts'
import { seriesKey, type SeriesValues, type Snapshot } from './snapshot.ts'

export class Counter {
  value = 0

  /** Never less than 0. */
  add(amount: number): void {
    this.value += amount
  }

  read(): number[] {
    return [this.value]
  }
}

export class Gauge {
  value = 0

  set(value: number): void {
    this.value = value
  }

  add(amount: number): void {
    this.value += amount
  }

  read(): number[] {
    return [this.value]
  }
}

export class Histogram {
  readonly #bounds: readonly number[]
  /** How many values fell into each bucket, and into none of them. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    ;(this.#counts[bucket] as number) += 1
    this.#sum += value
  }

  read(): number[] {
    return [...this.#counts, this.#sum]
  }
}

type Series = Counter | Gauge | Histogram

interface Family {
  readonly row: MetricRow
  readonly series: Map<string, { readonly labels: readonly string[]; readonly series: Series }>
}

export class Registry<Table extends MetricTable> {
  readonly #families = new Map<string, Family>()
  readonly #readers = new Set<() => void>()

  constructor(table: Table) {
    for (const [name, row] of Object.entries(table)) this.#families.set(name, { row, series: new Map() })
  }

  /**
   * The series with these labels, in the order of the row; made where it is missing. Not to be called for each request.
   */
  counter(name: keyof Table & string, ...labels: string[]): Counter {
    return this.#find(name, 'counter', labels) as Counter
  }

  gauge(name: keyof Table & string, ...labels: string[]): Gauge {
    return this.#find(name, 'gauge', labels) as Gauge
  }

  histogram(name: keyof Table & string, ...labels: string[]): Histogram {
    return this.#find(name, 'histogram', labels) as Histogram
  }

  /** `read` is called before each snapshot, to set what is only known when somebody asks. */
  beforeSnapshot(read: () => void): void {
    this.#readers.add(read)
  }

  /** Drops the series of a gauge: what has gone has no value. */
  clear(name: keyof Table & string): void {
    this.#families.get(name)?.series.clear()
  }

  snapshot(): Snapshot {
    for (const read of this.#readers) read()
    const all: Record<string, readonly SeriesValues[]> = {}
    for (const [name, { series }] of this.#families) {
      all[name] = Array.from(series.values(), ({ labels, series }) => ({ labels, values: series.read() }))
    }
    return all
  }

  #find(name: string, kind: MetricKind, labels: readonly string[]): Series {
    const family = this.#families.get(name)
    if (family?.row.kind !== kind || family.row.labels.length !== labels.length) {
      throw new Error(`there is no ${kind} ${name} with ${labels.length} labels`)
    }
    const key = seriesKey(labels)
    const known = family.series.get(key)
    if (known !== undefined) return known.series
    const series = makers[kind](family.row)
    family.series.set(key, { labels, series })
    return series
  }
}

const makers: Readonly<Record<MetricKind, (row: MetricRow) => Series>> = {
  counter: () => new Counter(),
  gauge: () => new Gauge(),
  histogram: ({ bounds }) => new Histogram(bounds),
}
