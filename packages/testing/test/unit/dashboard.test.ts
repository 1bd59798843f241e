/** What a dashboard asks for, and what of it is not there. */
import { deepStrictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { problemsOf, readAlerts, readDashboard } from '@services/testing/dashboard'

const samples = [
  'shop_orders_total{state="new",note="a \\"b=\\" c"}',
  'shop_seconds_bucket{place="x",le="+Inf"}',
  'shop_waiting',
]

const of = (expression: string, ...legend: string[]): string[] => problemsOf({ expression, legend }, samples)

test('a query that finds everything has no problem', () => {
  deepStrictEqual(of('sum by (state) (rate(shop_orders_total{instance=~".*",note!=""}[1m]))', 'state'), [])
  deepStrictEqual(
    of('topk(10, histogram_quantile(0.9, sum by (place, le) (rate(shop_seconds_bucket[1m]))))', 'place'),
    [],
  )
  deepStrictEqual(of('shop_waiting{job="shop"}', 'instance'), [])
  deepStrictEqual(of('sum by (instance) (shop_waiting)', 'instance'), [])
  deepStrictEqual(of('max(shop_waiting)'), [])
  deepStrictEqual(of('min_over_time(shop_waiting[5m]) > 0 or shop_waiting < 3 * 4'), [])
  deepStrictEqual(
    of('sum by (state) (shop_orders_total) / ignoring (state) group_left sum by (state) (shop_orders_total)'),
    [],
  )
})

test('a metric or a label that is not there is told, and a legend of what was summed away', () => {
  deepStrictEqual(of('sum(rate(shop_order_total[1m]))'), ['there is no shop_order_total'])
  deepStrictEqual(of('rate(shop_orders_total{stat="new"}[1m])'), ['shop_orders_total has no label stat'])
  deepStrictEqual(of('rate(shop_orders_total{b="new"}[1m])'), ['shop_orders_total has no label b'])
  deepStrictEqual(of('sum by (place) (shop_waiting)'), ['shop_waiting has no label place'])
  deepStrictEqual(of('sum by (state) (shop_orders_total)', 'note'), ['note is summed away'])
  deepStrictEqual(of('shop_waiting > 0', 'place'), ['shop_waiting has no label place'])
  deepStrictEqual(of('vector(1)'), ['it asks for no metric'])
})

test('panels in rows are read, with the variables of Grafana filled in', () => {
  const inner = { title: 'b', targets: [{ expr: 'rate(y{i="${instance}"}[$__rate_interval])' }] }
  const folder = newFolder({
    'd.json': JSON.stringify({
      panels: [
        { title: 'a', targets: [{ expr: 'x{i=~"$instance"}', legendFormat: '{{ i }} of {{j}}' }] },
        { title: 'row', panels: [inner] },
        { title: 'words' },
      ],
    }),
  })
  deepStrictEqual(readDashboard(join(folder, 'd.json')), [
    { panel: 'a', expression: 'x{i=~".*"}', legend: ['i', 'j'] },
    { panel: 'b', expression: 'rate(y{i=".*"}[1m])', legend: [] },
  ])
})

test('alerts of a group are read with the labels that their words show', () => {
  const rule = {
    alert: 'Slow',
    expr: 'x > 1',
    annotations: { summary: '{{ $labels.place }} is slow', action: '{{ $value }}' },
  }
  const alerts = {
    groups: [
      { name: 'other', rules: [] },
      { name: 'shop', rules: [rule] },
    ],
  }
  deepStrictEqual(readAlerts(alerts, 'shop'), [{ panel: 'Slow', expression: 'x > 1', legend: ['place'] }])
  deepStrictEqual(readAlerts(alerts, 'nobody'), [])
})
