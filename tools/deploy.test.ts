/**
 * The files in deploy/: alerts that Prometheus takes and that fire on what they are for, dashboards of metrics that
 * there are.
 */
import { deepStrictEqual, match, ok } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { column, newFolder, tableAfter } from '@services/testing'
import { promtool, withoutPrometheus } from '@services/testing/prometheus'

const deploy = resolve(import.meta.dirname, '../deploy')
const alerts = join(deploy, 'prometheus/alerts.yml')
const cases = join(deploy, 'prometheus/alerts.test.yml')
/** By the manuals, which have tests of their own. */
const known = new Set(
  ['sqlapi', 'xroad-proxy'].flatMap((service) => {
    const manual = readFileSync(resolve(deploy, '../services', service, 'docs/operations.md'), 'utf8')
    return column(tableAfter(manual, '<!-- table: metrics'), 0)
  }),
)
const metricName = /\b(?:sqlapi|xroad_proxy|nodejs|process)_[a-z_]+/g

test('promtool takes the alerts, and each fires in its case', { skip: withoutPrometheus ?? false }, () => {
  for (const args of [
    ['check', 'rules', alerts],
    ['test', 'rules', cases],
  ]) {
    const { code, said } = promtool(args)
    deepStrictEqual(code, 0, said)
  }
})

test('promtool takes the configurations of Prometheus', { skip: withoutPrometheus ?? false }, () => {
  const folder = newFolder({
    'alerts.yml': readFileSync(alerts, 'utf8'),
    'compose.yml': readFileSync(join(deploy, 'compose/prometheus/prometheus.yml'), 'utf8'),
    // Debian's Prometheus knows no Kubernetes: everything else is tried.
    'kubernetes.yml': readFileSync(join(deploy, 'prometheus/kubernetes.yml'), 'utf8').replaceAll(
      /kubernetes_sd_configs: .*/g,
      'static_configs: []',
    ),
  })
  for (const file of ['compose.yml', 'kubernetes.yml']) {
    const { code, said } = promtool(['check', 'config', join(folder, file)])
    deepStrictEqual(code, 0, said)
  }
})

test('Prometheus looks for what the manifests have: jobs, namespaces, the name of the port', () => {
  const read = (path: string): string => readFileSync(join(deploy, path), 'utf8')
  const config = parse(read('prometheus/kubernetes.yml')) as {
    scrape_configs: {
      job_name: string
      kubernetes_sd_configs: { namespaces: { names: string[] } }[]
      relabel_configs: { regex?: string }[]
    }[]
  }
  for (const {
    job_name: service,
    kubernetes_sd_configs: [found],
    relabel_configs: labels,
  } of config.scrape_configs) {
    deepStrictEqual(found?.namespaces.names, [service])
    match(read(`kustomize/${service}/overlays/prod/namespace.yaml`), new RegExp(`^  name: ${service}$`, 'm'))
    match(read(`kustomize/${service}/base/deployment.yaml`), new RegExp(`name: ${labels[0]?.regex}, containerPort`))
    match(read('prometheus/alerts.yml'), new RegExp(`job=~"[^"]*\\b${service}\\b`))
  }
})

test('every alert has a case', () => {
  const names = Array.from(readFileSync(alerts, 'utf8').matchAll(/- alert: (\w+)/g), ([, name = '']) => name)
  const tried = readFileSync(cases, 'utf8')
  ok(names.length > 0)
  for (const name of names) match(tried, new RegExp(`alertname: ${name}\\b`), name)
})

test('alerts and dashboards ask for metrics that there are', () => {
  const dashboards = readdirSync(join(deploy, 'grafana')).map((name) => join(deploy, 'grafana', name))
  for (const file of [alerts, ...dashboards]) {
    const text = readFileSync(file, 'utf8')
    if (file.endsWith('.json')) JSON.parse(text)
    const asked = (text.match(metricName) ?? []).map((name) => name.replace(/_(?:bucket|sum|count)$/, ''))
    deepStrictEqual(
      asked.filter((name) => !known.has(name)),
      [],
      file,
    )
  }
})
