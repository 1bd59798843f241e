/** The dashboard and the alerts in `deploy/`: each of their queries finds its metric and its labels in what a running service tells. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { call, until } from '@services/testing'
import { type Alerts, problemsOf, readAlerts, readDashboard } from '@services/testing/dashboard'
import { startPrometheus, withoutPrometheus } from '@services/testing/prometheus'
import { startWithAdmin, type WithAdmin } from './support/admin.ts'

const deploy = resolve(import.meta.dirname, '../../../deploy')
const panels = readDashboard(join(deploy, 'grafana/sqlapi.json'))
const alerts = readAlerts(parse(readFileSync(join(deploy, 'prometheus/alerts.yml'), 'utf8')) as Alerts, 'sqlapi')

let service: WithAdmin
before(async () => {
  const files = { 'lite/GET/one.sql': 'SELECT 1 AS one' }
  service = await startWithAdmin({ files, config: { datasources: [{ name: 'lite', url: 'sqlite:lite.db' }] } })
  strictEqual((await call(service.port, '/lite/one')).status, 200)
  strictEqual((await call(service.port, '/lite/nothing')).status, 400)
})
after(() => service.stop())

test('each panel and each alert finds its metrics and its labels in /metrics [O1.4]', async () => {
  ok(panels.length > 20 && alerts.length > 3)
  const samples = [...(await service.samples()).keys()]
  const problems = [...panels, ...alerts].flatMap((query) =>
    problemsOf(query, samples).map((problem) => `${query.panel}: ${problem}`),
  )
  deepStrictEqual(problems, [])
})

test(
  'Prometheus has an answer for each panel, once it has scraped twice [O1.4]',
  { skip: withoutPrometheus ?? false },
  async () => {
    const prometheus = await startPrometheus('sqlapi', service.adminPort)
    try {
      for (const { panel, expression } of panels) {
        await until(async () => (await prometheus.value(expression)) !== undefined, `${panel}: ${expression}`)
      }
    } finally {
      await prometheus.stop()
    }
  },
)
