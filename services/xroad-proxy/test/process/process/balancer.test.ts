/** Two processes behind a real haproxy, under load. The cases are those of the package that both services share. */
import { after, before } from 'node:test'
import { testBalancer } from '@services/admin/testing'
import { newFolder } from '@services/testing'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { sharedPki } from '../../support/lanes.ts'
import { startProxy } from '../../support/process.ts'
import { restFile } from '../../support/soap-service.ts'

const body = '{"one":1}'

let mock: RunningMock
before(async () => {
  mock = await startMock({
    host: '127.0.0.1',
    port: 0,
    folder: sharedPki().folder,
    answers: newFolder({ 'one.json': body }),
  })
})
after(async () => mock.close())

testBalancer({
  rules: '[O5.2]',
  path: '/rest/one',
  body,
  async start(seconds) {
    const { url, files } = mock
    const running = await startProxy({
      files: { 'rest/one.yml': restFile('GET', 'one') },
      env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
      config: {
        admin: { bind: '127.0.0.1:0' },
        shutdown: { delay_seconds: seconds },
        client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
        security_server: { url, keystore_path: files.keystore, trust_ca_path: files.ca },
      },
    })
    const adminPort = Number(/:(\d+)"?$/.exec(await running.line(/Admin pages/))?.[1])
    return { ...running, adminPort }
  },
})
