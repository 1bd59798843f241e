/**
 * The files that one call loads and runs: a GET of sqlapi over PostgreSQL, and a SOAP call of xroad-proxy over TLS to
 * the mock Security Server. Both services run from source, in processes of their own, warmed up by twenty calls.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort, launchFlag } from '@services/testing'
import { startThrowawayPostgres } from '@services/testing/postgres'
import type { Coverage } from './probe.ts'

const root = resolve(import.meta.dirname, '../..')
const probe = resolve(import.meta.dirname, 'probe.ts')
const warmUps = 20

export interface Calls {
  readonly get: Coverage
  readonly soap: Coverage
}

export async function coverCalls(): Promise<Calls> {
  const folder = mkdtempSync(join(tmpdir(), 'structure-'))
  try {
    return { get: await coverGet(folder), soap: await coverSoap(folder) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function coverGet(folder: string): Promise<Coverage> {
  const postgres = await startThrowawayPostgres()
  try {
    const port = await freePort()
    mkdirSync(join(folder, 'sql/demo/GET'), { recursive: true })
    writeFileSync(join(folder, 'sql/demo/GET/item.sql'), "SELECT :id::int AS id, 'a name' AS name\n")
    const config = {
      sql_dir: join(folder, 'sql'),
      server: { bind: `127.0.0.1:${port}` },
      datasources: [{ name: 'demo', url: postgres.url }],
    }
    writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(config))
    const service = await start('sqlapi', ['--config', join(folder, 'sqlapi.yaml')], { probed: true })
    return await cover(service, () => fetch(`http://127.0.0.1:${port}/demo/item?id=7`))
  } finally {
    await postgres.remove()
  }
}

async function coverSoap(folder: string): Promise<Coverage> {
  const [port, mockPort] = [await freePort(), await freePort()]
  const example = join(root, 'examples/xroad-proxy')
  const mock = await start(
    'xroad-proxy',
    ['mock', '--host', '127.0.0.1', '--port', `${mockPort}`, '--folder', folder, '--answers', join(example, 'answers')],
    {},
  )
  try {
    const config = readFileSync(join(example, 'proxy.yaml'), 'utf8')
      .replaceAll('examples/xroad-proxy/.data', folder)
      .replaceAll(' examples/', ` ${root}/examples/`)
      .replace('port: 8090', `port: ${port}`)
      .replace(':5500', `:${mockPort}`)
    writeFileSync(join(folder, 'proxy.yaml'), config)
    const service = await start('xroad-proxy', ['--config', join(folder, 'proxy.yaml')], {
      probed: true,
      env: { PROXY_KEYSTORE_PASSWORD: 'mock' },
    })
    const body = JSON.stringify({ personalCode: '60001019906', givenName: 'Mari-Liis' })
    return await cover(service, () => fetch(`http://127.0.0.1:${port}/population/person`, { method: 'POST', body }))
  } finally {
    await end(mock)
  }
}

async function cover(service: ChildProcess, call: () => Promise<Response>): Promise<Coverage> {
  try {
    for (let index = 0; index < warmUps; index++) await answer(call)
    await take(service)
    await answer(call)
    return await take(service)
  } finally {
    await end(service)
  }
}

async function answer(call: () => Promise<Response>): Promise<void> {
  const response = await call()
  const text = await response.text()
  if (response.status !== 200) throw new Error(`The call whose files are counted got ${response.status}: ${text}`)
}

async function take(service: ChildProcess): Promise<Coverage> {
  service.send('take')
  const [coverage] = (await once(service, 'message')) as [Coverage]
  return coverage
}

interface StartOptions {
  readonly probed?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Resolves as soon as the program listens. */
async function start(
  name: string,
  args: readonly string[],
  { probed = false, env = {} }: StartOptions,
): Promise<ChildProcess> {
  const flags = [launchFlag, ...(probed ? ['--import', probe] : [])]
  const child = spawn(process.execPath, [...flags, join(root, `services/${name}/bin/${name}.js`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  })
  let said = ''
  await new Promise<void>((listens, fails) => {
    child.stdout?.on('data', (chunk) => {
      said += String(chunk)
      if (/listening/i.test(said)) listens()
    })
    child.once('exit', () => fails(new Error(`${name} did not start: ${said}`)))
  })
  return child
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
