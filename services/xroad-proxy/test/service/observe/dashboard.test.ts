/**
 * The dashboard and the alerts in `deploy/`: each of their queries finds its metric and its labels in what a running
 * service tells.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { call } from '@services/testing'
import { type Alerts, problemsOfAll, readAlerts, readDashboard } from '@services/testing/dashboard'
import { samplesOf, untilAnswered, withoutPrometheus } from '@services/testing/prometheus'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { sharedPki } from '../../support/lanes.ts'
import { type Inside, startInside } from '../../support/inside.ts'
import { restFile, soapFile, type SoapService, startSoapService } from '../../support/soap-service.ts'

const deploy = resolve(import.meta.dirname, '../../../../../deploy')
const panels = readDashboard(join(deploy, 'grafana/xroad-proxy.json'))
const alerts = readAlerts(parse(readFileSync(join(deploy, 'prometheus/alerts.yml'), 'utf8')) as Alerts, 'xroad-proxy')

let direct: SoapService
let service: Inside
let adminPort = 0
before(async () => {
  direct = await startSoapService()
  const { keystore, ca } = sharedPki().files
  service = await startInside({
    files: {
      'soap/echo.yml': direct.echo,
      'soap/gone.yml': soapFile('http://127.0.0.1:1/'),
      // Certificates are told where somebody needs them.
      'rest/one.yml': restFile('GET', 'one'),
    },
    env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
    config: {
      admin: { bind: '127.0.0.1:0' },
      client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
      security_server: { url: 'https://127.0.0.1:1', keystore_path: keystore, trust_ca_path: ca },
    },
  })
  adminPort = Number(/Admin pages.*:(\d+)"?$/m.exec(service.stdout())?.[1])
  strictEqual((await call(service.port, '/soap/echo', { body: { x: 1 } })).status, 200)
  strictEqual((await call(service.port, '/soap/gone', { body: { x: 1 } })).status, 500)
})
after(async () => {
  await service.stop()
  await direct.close()
})

test('each panel and each alert finds its metrics and its labels in /metrics [O1.4]', async () => {
  ok(panels.length > 20 && alerts.length > 2)
  deepStrictEqual(problemsOfAll([...panels, ...alerts], samplesOf((await call(adminPort, '/metrics')).text).keys()), [])
})

test(
  'Prometheus has an answer for each panel, once it has scraped twice [O1.4]',
  { skip: withoutPrometheus ?? false },
  () => untilAnswered('xroad-proxy', adminPort, panels),
)
