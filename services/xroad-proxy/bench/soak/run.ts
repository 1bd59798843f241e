/**
 * xroad-proxy for a while under mixed load with faults: REST and SOAP calls with values of their own, large bodies,
 * callers that leave, nonsense; an upstream that resets, stops, cuts and lies, and that is killed and comes back. No
 * answer may be that of another call, none that was cut may be given as whole. `npm run soak` runs it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runSoak, runSoakCommand, type SoakReport, startServer } from '@services/bench'
import { freePort } from '@services/testing'
import { keystorePassword } from '../../src/mock/pki.ts'
import { actorsOn } from './actors.ts'
import { failing, restFile, soapFile } from './files.ts'
import { Upstream } from './upstream.ts'

const program = join(import.meta.dirname, '../../bin/xroad-proxy.js')

await runSoakCommand({
  name: 'xroad-proxy',
  page: new URL('../README.md', import.meta.url),
  versions: 'the mock Security Server',
  run: soak,
})

async function soak(minutes: number): Promise<SoakReport> {
  const folder = mkdtempSync(join(tmpdir(), 'xroad-proxy-soak-'))
  const upstream = new Upstream(program, join(folder, 'keys'), await freePort())
  try {
    await upstream.start()
    const server = await startServer({
      args: [program, '--config', writeProject(folder, upstream.port)],
      env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
    })
    const report = await runSoak({
      minutes,
      server,
      actors: actorsOn(server.port, upstream),
      // A proxy keeps nothing that could be lost.
      settle: () => Promise.resolve([]),
    })
    await server.stop()
    return report
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeProject(folder: string, port: number): string {
  const files = {
    'soak/echo.yml': restFile('GET', 'echo'),
    'soak/save.yml': restFile('POST', 'save'),
    'soak/large.yml': restFile('GET', 'mock.large.1000000'),
    'soak/person.yml': soapFile('person'),
    ...Object.fromEntries(failing.map(({ name }) => [`soak/${name}.yml`, restFile('GET', `mock.${name}`)])),
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, 'DSL', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const config = {
    dsl_path: join(folder, 'DSL'),
    host: '127.0.0.1',
    port: 0,
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'soak' },
    security_server: {
      url: `https://127.0.0.1:${port}`,
      keystore_path: join(folder, 'keys/client.p12'),
      trust_ca_path: join(folder, 'keys/ca.pem'),
    },
    limits: { request_timeout_secs: 3, max_response_bytes: 4_194_304 },
  }
  const file = join(folder, 'proxy.yaml')
  writeFileSync(file, JSON.stringify(config))
  return file
}
