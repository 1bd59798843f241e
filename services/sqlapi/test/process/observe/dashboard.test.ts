/**
 * The dashboard and the alerts in `deploy/`: each of their queries finds its metric and its labels in what a running
 * service tells.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { call, until } from '@services/testing'
import { type Alerts, problemsOfAll, readAlerts, readDashboard } from '@services/testing/dashboard'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import { untilAnswered, withoutPrometheus } from '@services/testing/prometheus'
import { startWithAdmin, type WithAdmin } from '../../support/admin.ts'

const deploy = resolve(import.meta.dirname, '../../../../../deploy')
const panels = readDashboard(join(deploy, 'grafana/sqlapi.json'))
const alerts = readAlerts(parse(readFileSync(join(deploy, 'prometheus/alerts.yml'), 'utf8')) as Alerts, 'sqlapi')

let service: WithAdmin
let postgres: ThrowawayPostgres
before(async () => {
  postgres = await startThrowawayPostgres()
  const { url } = postgres
  const files = { 'lite/GET/one.sql': 'SELECT 1 AS one' }
  // Its only server stands in for a replica.
  const crm = { name: 'crm', url, replicas: [url] }
  service = await startWithAdmin({ files, config: { datasources: [{ name: 'lite', url: 'sqlite:lite.db' }, crm] } })
  await until(
    async () => (await service.samples()).get('sqlapi_replica_up{datasource="crm.replicas[0]"}') === 1,
    'it is used',
  )
  strictEqual((await call(service.port, '/lite/one')).status, 200)
  strictEqual((await call(service.port, '/lite/nothing')).status, 400)
})
after(async () => {
  await service.stop()
  await postgres.remove()
})

test('each panel and each alert finds its metrics and its labels in /metrics [O1.4]', async () => {
  ok(panels.length > 20 && alerts.length > 3)
  deepStrictEqual(problemsOfAll([...panels, ...alerts], (await service.samples()).keys()), [])
})

test(
  'Prometheus has an answer for each panel, once it has scraped twice [O1.4]',
  { skip: withoutPrometheus ?? false },
  () => untilAnswered('sqlapi', service.adminPort, panels),
)
