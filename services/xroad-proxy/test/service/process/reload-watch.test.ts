/**
 * Files that are read anew because they changed: which ones count, mounts of Kubernetes, and files that are written in
 * pieces.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { errorOf, keepCalling, newFolder, until, writeFiles } from '@services/testing'
import { issueClient, issueServer, makeAuthority, toPkcs12 } from '@services/testing/certificates'
import { loadConfig } from '../../../src/boot/config/config.ts'
import { SetFiles } from '../../../src/reload/files.ts'
import { type Lanes, type LanesOptions, startLanes } from '../../support/lanes.ts'
import { answer, startMutualUpstream } from '../../support/upstreams/mutual-upstream.ts'
import { restFile } from '../../support/soap-service.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

/** As fast as it goes: what a test waits for is there sooner, and nothing depends on it. */
const pace = { lookMs: 5, quietMs: 5 }
const address = 'https://service.example.org/'

async function start(t: TestContext, { config = {}, ...options }: LanesOptions): Promise<Lanes> {
  const lanes = await startLanes({ ...options, config: { ...config, reload: 'watch' }, pace })
  t.after(() => lanes.close())
  return lanes
}

function linesOf({ log }: Lanes, event: string): number {
  return log.filter((line) => line['event'] === event).length
}

/** The way Kubernetes lays files out: each is a link through `..data`, which one rename leads to another folder. */
function mount(folder: string): (version: string, files: Readonly<Record<string, string | Buffer>>) => void {
  mkdirSync(folder, { recursive: true })
  return (version, files) => {
    mkdirSync(join(folder, `..${version}`))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, `..${version}`, name), content)
    symlinkSync(`..${version}`, join(folder, '..data_tmp'))
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'))
    for (const name of Object.keys(files)) {
      rmSync(join(folder, name), { force: true })
      symlinkSync(join('..data', name), join(folder, name))
    }
  }
}

const isUp = async (lanes: Lanes, path: string): Promise<boolean> => (await lanes.call(path)).status === 200

test('an edit between reading and the beginning of the watch is served [T4]', async (t) => {
  const edits: Readonly<Record<string, (folder: string) => void>> = {
    '/g/b': (folder) => writeFiles(join(folder, 'DSL'), { 'g/b.yml': restFile('GET', 'svc') }),
    '/g/a': (folder) => writeFiles(join(folder, 'DSL'), { 'g/a.yml': restFile('GET', 'svc') }),
  }
  for (const [path, onRead] of Object.entries(edits)) {
    const lanes = await start(t, { dsl: { 'g/a.yml': restFile('POST', 'svc') }, onRead })
    await until(() => isUp(lanes, path), path)
  }
  const lanes = await start(t, {
    dsl: { 'g/a.yml': restFile('GET', 'svc'), 'g/c.yml': restFile('GET', 'svc') },
    onRead: (folder) => rmSync(join(folder, 'DSL/g/c.yml')),
  })
  await until(async () => (await lanes.call('/g/c')).status === 404, 'a file less')
})

test('a change of each kind is read: the configuration, DSL files, descriptions [O3.1]', async (t) => {
  const described = (path: string): string =>
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 't', version: '1' },
      paths: { [path]: { get: { responses: { 200: { description: 'd' } } } } },
    })
  const lanes = await start(t, { dsl: { 'g/a.yml': restFile('GET', 'svc') } })
  const dsl = join(lanes.folder, 'DSL')
  writeFiles(dsl, { 'g/b.yml': restFile('GET', 'svc') })
  await until(() => isUp(lanes, '/g/b'), 'a file more')
  writeFiles(dsl, {
    'g/svc.yml': restFile('GET', 'svc', { method: undefined, openapi: './svc.openapi.json' }),
    'g/svc.openapi.json': described('/one'),
  })
  await until(() => isUp(lanes, '/g/svc/one'), 'a description')
  writeFiles(dsl, { 'g/svc.openapi.json': described('/two') })
  await until(() => isUp(lanes, '/g/svc/two'), 'another description')
  lanes.configure({ reload: 'watch', error_message_id: true })
  await until(async () => (await lanes.call('/g/none')).text.includes('message_id'), 'another configuration')
  rmSync(join(dsl, 'g/a.yml'))
  await until(async () => !(await isUp(lanes, '/g/a')), 'a file less')
  strictEqual(linesOf(lanes, 'reloadFailed'), 0)
})

test('a state that is broken is one ERROR, whatever it leads to; then it is mended [O3.1]', async (t) => {
  const lanes = await start(t, { dsl: { 'g/a.yml': restFile('GET', 'svc') } })
  const other = join(lanes.folder, 'other')
  writeFiles(other, { 'g/a.yml': 'method: [', 'g/c.yml': restFile('GET', 'svc') })
  lanes.configure({ reload: 'watch', dsl_path: other })
  await until(() => linesOf(lanes, 'reloadFailed') > 0, 'an ERROR')
  ok(await isUp(lanes, '/g/a'))
  // Among the files that count now are those that the new configuration names.
  writeFiles(other, { 'g/a.yml': restFile('GET', 'svc') })
  await until(() => isUp(lanes, '/g/c'), 'the other folder')
  strictEqual(linesOf(lanes, 'reloadFailed'), 1)
})

test('a folder of DSL files and a secret that are mounted by Kubernetes change by a link [O3.1 O3.2]', async (t) => {
  const authority = makeAuthority('authority of clients')
  const servers = makeAuthority('authority of servers')
  const upstream = await startMutualUpstream(issueServer(servers), authority)
  t.after(() => upstream.close())
  const folder = newFolder({ 'trust.pem': servers.certificate })
  const putSecret = mount(join(folder, 'secret'))
  const putFiles = mount(join(folder, 'DSL/g'))
  const identity = (name: string): Readonly<Record<string, string | Buffer>> => {
    const { key, certificate } = issueClient(authority, { name })
    return { 'client.p12': toPkcs12(key, [certificate], name), password: `${name}\n` }
  }
  putSecret('first', identity('first'))
  putFiles('first', { 'a.yml': restFile('GET', 'svc') })
  const lanes = await start(t, {
    dsl: {},
    config: {
      dsl_path: join(folder, 'DSL'),
      security_server: {
        url: upstream.url,
        keystore_path: join(folder, 'secret/client.p12'),
        keystore_password_file: join(folder, 'secret/password'),
        trust_ca_path: join(folder, 'trust.pem'),
      },
    },
  })
  const callers = keepCalling(lanes.port, '/g/a', { count: 4, body: answer, pauseMs: 5 })
  putFiles('second', { 'a.yml': restFile('GET', 'svc'), 'b.yml': restFile('GET', 'svc') })
  await until(() => isUp(lanes, '/g/b'), 'a file more')
  putSecret('second', identity('second'))
  await until(() => upstream.callers.at(-1) === 'second', 'another identity')
  deepStrictEqual((await callers.stop()).wrong, [])
  strictEqual(linesOf(lanes, 'reloadFailed'), 0)
})

test('a WSDL that is written in pieces costs no endpoint at any time [O3.1]', async (t) => {
  const lanes = await start(t, { dsl: {} })
  const wsdl = join(lanes.folder, 'wsdl')
  const file = join(wsdl, 'owner/a.wsdl')
  writeFiles(wsdl, { 'owner/a.wsdl': wsdlOf(['One'], { address }) })
  lanes.configure({ reload: 'watch', wsdl_watch_dir: wsdl, validate_requests: 'refuse' })
  const code = async (name: string): Promise<unknown> => {
    const reply = await lanes.call(`/owner/${name}`, { body: { b: 'unknown' } })
    return errorOf(reply)
  }
  await until(async () => (await code('One')) === 'invalid_request', 'the endpoint')
  const next = wsdlOf(['One', 'Two'], { address })
  const pieces = 20
  writeFileSync(file, '')
  for (let piece = 0; piece < pieces; piece++) {
    const [from, to] = [piece, piece + 1].map((at) => Math.floor((next.length * at) / pieces))
    appendFileSync(file, next.slice(from, to))
    strictEqual(await code('One'), 'invalid_request')
  }
  await until(async () => (await code('Two')) === 'invalid_request', 'the endpoint that was added')
  strictEqual(await code('One'), 'invalid_request')
})

test('what the service writes itself is no change; a generated file that becomes somebody’s own is [O3.1]', async (t) => {
  const wsdl = newFolder({ 'owner/a.wsdl': wsdlOf(['One'], { address }) })
  const lanes = await start(t, { dsl: {}, config: { wsdl_watch_dir: wsdl } })
  const environment = { flag: join(lanes.folder, 'proxy.yaml'), env: { PROXY_KEYSTORE_PASSWORD: 'x' }, cwd: '.' }
  const { config } = loadConfig(environment)
  const files = new SetFiles()
  const generated = join(lanes.folder, 'DSL/owner/One.yml')
  const text = readFileSync(generated, 'utf8')
  ok(!(await files.list(config, [])).includes(generated))
  ok((await files.list(config, [])).includes(join(wsdl, 'owner/a.wsdl')))
  writeFileSync(generated, `${text}\n# written over by the next start\n`)
  ok(!(await files.list(config, [])).includes(generated))
  // It becomes a file of a person, who removes its first line.
  writeFileSync(generated, text.slice(text.indexOf('\n') + 1).replace('method: POST', 'method: PUT'))
  ok((await files.list(config, [])).includes(generated))
  await until(async () => (await lanes.call('/owner/One', { method: 'POST', body: {} })).status === 405, 'his own file')
  await until(() => linesOf(lanes, 'reloaded') === 1, 'the end of the reload')
  writeFiles(wsdl, { 'owner/b.wsdl': wsdlOf(['Two'], { address }) })
  await until(() => linesOf(lanes, 'reloaded') === 2, 'another WSDL')
  ok((await lanes.call('/owner/Two', { body: {} })).status !== 404)
  appendFileSync(join(lanes.folder, 'DSL/owner/Two.yml'), '# written over by the next start\n')
  writeFiles(join(lanes.folder, 'DSL'), { 'g/last.yml': restFile('GET', 'svc') })
  await until(() => linesOf(lanes, 'reloaded') === 3, 'the last change')
  ok(await isUp(lanes, '/g/last'))
})

test('a watch begins and ends with the configuration that says so [O3.1]', async (t) => {
  const lanes = await startLanes({ dsl: { 'g/a.yml': restFile('GET', 'svc') }, pace })
  t.after(() => lanes.close())
  lanes.configure({ reload: 'watch' })
  strictEqual((await lanes.hangUp())['event'], 'reloaded')
  writeFiles(join(lanes.folder, 'DSL'), { 'g/b.yml': restFile('GET', 'svc') })
  await until(() => isUp(lanes, '/g/b'), 'a file more')
  lanes.configure({ reload: 'off' })
  await until(() => linesOf(lanes, 'reloaded') === 3, 'the last reload')
  writeFiles(join(lanes.folder, 'DSL'), { 'g/c.yml': restFile('GET', 'svc') })
  strictEqual((await lanes.hangUp())['trigger'], 'SIGHUP')
  ok(await isUp(lanes, '/g/c'))
  strictEqual(linesOf(lanes, 'reloaded'), 4)
})
