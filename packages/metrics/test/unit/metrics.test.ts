/** Series, what several processes make of them together, and the text that Prometheus reads. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'node:test'
import {
  counter,
  gauge,
  histogram,
  openProcessMetrics,
  peak,
  prefixed,
  processMetrics,
  Registry,
  Totals,
} from '../../src/index.ts'

const table = prefixed('shop_', {
  orders_total: counter('Orders', 'country'),
  carts: gauge('Carts'),
  lag_seconds: peak('Lag'),
  wait_seconds: histogram('Waits', ['till'], [0.1, 1]),
})

function fill({ orders = 0, carts = 0, lag = 0, waits = [] as number[] }): Registry<typeof table> {
  const metrics = new Registry(table)
  metrics.counter('shop_orders_total', 'ee').add(orders)
  metrics.gauge('shop_carts').set(carts)
  metrics.gauge('shop_lag_seconds').set(lag)
  for (const wait of waits) metrics.histogram('shop_wait_seconds', 'a').observe(wait)
  return metrics
}

/** Lines without those of help. */
async function linesOf(totals: Totals<unknown>): Promise<string[]> {
  const text = await totals.text()
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('# HELP'))
}

describe('a registry', () => {
  test('gives the same series for the same labels', () => {
    const metrics = new Registry(table)
    strictEqual(metrics.counter('shop_orders_total', 'ee'), metrics.counter('shop_orders_total', 'ee'))
    ok(metrics.counter('shop_orders_total', 'ee') !== metrics.counter('shop_orders_total', 'fi'))
  })

  test('refuses another kind, or another number of labels', () => {
    const metrics = new Registry(table)
    throws(() => metrics.gauge('shop_orders_total', 'ee'), /no gauge shop_orders_total/)
    throws(() => metrics.counter('shop_orders_total'), /with 0 labels/)
  })

  test('asks for what is only known then before each snapshot', () => {
    const metrics = new Registry(table)
    let carts = 0
    metrics.beforeSnapshot(() => metrics.gauge('shop_carts').set(++carts))
    metrics.snapshot()
    deepStrictEqual(metrics.snapshot()['shop_carts'], [{ labels: [], values: [2] }])
  })

  test('a value on the bound of a bucket is in it', () => {
    const waits = fill({ waits: [0.1, 0.100001, 1, 1.5] }).snapshot()['shop_wait_seconds']
    deepStrictEqual(waits?.[0]?.values.slice(0, 3), [1, 2, 1])
  })
})

describe('totals', () => {
  test('are sums, but for what is a peak [O1.3]', async () => {
    const totals = new Totals<string>(table)
    totals.heard('a', fill({ orders: 2, carts: 3, lag: 0.5, waits: [0.05, 2] }).snapshot())
    totals.heard('b', fill({ orders: 5, carts: 4, lag: 0.25, waits: [0.5] }).snapshot())
    deepStrictEqual(await linesOf(totals), [
      '# TYPE shop_orders_total counter',
      'shop_orders_total{country="ee"} 7',
      '# TYPE shop_carts gauge',
      'shop_carts 7',
      '# TYPE shop_lag_seconds gauge',
      'shop_lag_seconds 0.5',
      '# TYPE shop_wait_seconds histogram',
      'shop_wait_seconds_bucket{till="a",le="0.1"} 1',
      'shop_wait_seconds_bucket{till="a",le="1"} 2',
      'shop_wait_seconds_bucket{till="a",le="+Inf"} 3',
      'shop_wait_seconds_sum{till="a"} 2.55',
      'shop_wait_seconds_count{till="a"} 3',
    ])
  })

  test('keep what a process had counted that has ended, and none of its gauges [O1.3]', () => {
    const totals = new Totals<string>(table)
    for (const [i, name] of ['a', 'b', 'c'].entries()) {
      totals.heard(name, fill({ orders: i + 1, carts: 9, waits: [1] }).snapshot())
      totals.ended(name)
      totals.ended(name)
    }
    totals.heard('d', fill({ orders: 10, carts: 1 }).snapshot())
    const { shop_orders_total: orders, shop_carts: carts, shop_wait_seconds: waits } = totals.read()
    deepStrictEqual([orders?.[0]?.values, carts?.[0]?.values, waits?.[0]?.values], [[16], [1], [0, 3, 0, 3]])
  })

  test('labels of any text are escaped', async () => {
    const metrics = new Registry(table)
    metrics.counter('shop_orders_total', 'a"b\\c\nd').add(1)
    const totals = new Totals<string>(table)
    totals.heard('a', metrics.snapshot())
    ok((await linesOf(totals)).includes('shop_orders_total{country="a\\"b\\\\c\\nd"} 1'))
  })
})

test('a process tells its CPU time, memory, collections and the delay of its event loop [O1.3]', async () => {
  const metrics = new Registry(processMetrics)
  const close = openProcessMetrics(metrics)
  try {
    await sleep(50)
    const until = performance.now() + 300
    while (performance.now() < until);
    await sleep(50)
    const valueOf = (name: keyof typeof processMetrics): number => metrics.snapshot()[name]?.[0]?.values[0] ?? 0
    ok(valueOf('nodejs_eventloop_lag_seconds') > 0.2, 'the delay shows')
    ok(valueOf('process_cpu_seconds_total') > 0.1)
    ok(valueOf('process_resident_memory_bytes') > 1e6)
    strictEqual(metrics.snapshot()['nodejs_gc_duration_seconds']?.length, 4)
  } finally {
    close()
  }
})
