/**
 * `npm start`: both services over their examples, each as its own process. The SQL API gets a small database; the
 * X-Road proxy gets a mock Security Server, which makes keys and certificates. The addresses of the pages with forms
 * are printed first and, with requests to try, last: after both services have begun to listen. PORT, PROXY_PORT and
 * MOCK_PORT override the ports.
 *
 * Ctrl-C, SIGTERM and SIGHUP end the services first and the mock after them, and so does the end of npm, which does not
 * pass every signal on; one that fails ends the others, and its exit code is ours. Delete examples/sqlapi/.data to
 * start again with the first data.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const host = '127.0.0.1'
const sqlapiExample = 'examples/sqlapi'
const proxyExample = 'examples/xroad-proxy'
const isListening = /^([^]*INFO \w+: Listening .*\n)/
const sqlapiProgram = 'services/sqlapi/bin/sqlapi.js'
const proxyProgram = 'services/xroad-proxy/bin/xroad-proxy.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const ports = {
  PORT: readPort('PORT', 8080),
  PROXY_PORT: readPort('PROXY_PORT', 8090),
  MOCK_PORT: readPort('MOCK_PORT', 5500),
}
await checkPorts()
for (const folder of [sqlapiExample, proxyExample]) mkdirSync(`${folder}/.data`, { recursive: true })
makeDatabase()

const running = new Set<ChildProcess>()
/** Set as soon as the end has begun. */
let exitCode: number | undefined
let signalledAt = 0
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // npm repeats the Ctrl-C that we got from the terminal, and to a service a second signal means: at once.
    if (Date.now() - signalledAt < 500) return
    signalledAt = Date.now()
    exitCode ??= 0
    // A hang-up means something else to a service.
    stop(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  })
}
if (process.env['npm_lifecycle_event'] === 'start') endWith(starters())
process.on('exit', () => {
  for (const child of running) child.kill()
})

process.stdout.write(`Starting sqlapi, xroad-proxy and a mock Security Server. The pages to try them on:\n${pages()}\n`)
const mockOptions = ['--folder', `${proxyExample}/.data`, '--answers', `${proxyExample}/answers`]
const mock = run([proxyProgram, 'mock', '--host', host, '--port', `${ports.MOCK_PORT}`, ...mockOptions])
// Its introduction is for those who write a configuration.
const hasMock = says(mock, /^(Mock Security Server listening on .*\n)[^]*trust_ca_path: .*\n/)
const hasSqlapi = says(run([sqlapiProgram, '--config', sqlapiConfig()]), isListening)
await hasMock
// The password of the mock's throw-away keys is not a secret.
const proxy = isEnding() ? undefined : run([proxyProgram, '--config', proxyConfig()], { password: 'mock' })
const haveStarted = await Promise.all([hasSqlapi, proxy !== undefined && says(proxy, isListening)])
if (haveStarted.every(Boolean) && !isEnding()) process.stdout.write(requests())

/** The shell in which npm has started us, and npm itself where the system tells. */
function starters(): number[] {
  const { ppid } = process
  const { stdout } = spawnSync('ps', ['-o', 'ppid=', '-p', `${ppid}`], { encoding: 'utf8' })
  const npm = Number(stdout)
  return npm > 1 ? [ppid, npm] : [ppid]
}

/** npm passes SIGTERM to the shell, which dies of it and tells nobody; of SIGHUP npm dies itself. */
function endWith(pids: readonly number[]): void {
  const timer = setInterval(() => {
    if (pids.every(isAlive)) return
    clearInterval(timer)
    if (isEnding()) return
    exitCode = 0
    stop('SIGTERM')
  }, 500)
  timer.unref()
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readPort(name: string, usual: number): number {
  const text = process.env[name] || `${usual}`
  const value = Number(text)
  if (Number.isInteger(value) && value > 0 && value < 65536) return value
  return refuse(`${name} is '${text}', a number from 1 to 65535 is wanted`)
}

/** Before anything is started: whoever listens there would answer in the place of our service. */
async function checkPorts(): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    const same = Object.entries(ports).find(([other, value]) => other !== name && value === port)
    if (same !== undefined) refuse(`${name} and ${same[0]} are both ${port}`)
    const server = createServer().listen(port, host)
    try {
      await once(server, 'listening')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      refuse(`port ${port} cannot be used (${code}); ${name}=.. npm start takes another one`)
    }
    server.close()
    await once(server, 'close')
  }
}

function refuse(reason: string): never {
  process.stderr.write(`start: ${reason}\n`)
  process.exit(1)
}

function makeDatabase(): void {
  const file = `${sqlapiExample}/.data/demo.db`
  if (existsSync(file)) return
  // Under another name first: an interrupted run must not leave half a database.
  rmSync(`${file}.new`, { force: true })
  const database = new DatabaseSync(`${file}.new`)
  database.exec(readFileSync(`${sqlapiExample}/schema.sql`, 'utf8'))
  database.close()
  renameSync(`${file}.new`, file)
}

function sqlapiConfig(): string {
  return configFile(sqlapiExample, 'sqlapi.yaml', [[`${host}:8080`, `${host}:${ports.PORT}`]])
}

function proxyConfig(): string {
  return configFile(proxyExample, 'proxy.yaml', [
    ['port: 8090', `port: ${ports.PROXY_PORT}`],
    [`${host}:5500`, `${host}:${ports.MOCK_PORT}`],
  ])
}

/** The services take their addresses from the file alone, so other ports need another file. */
function configFile(example: string, name: string, changes: readonly (readonly [string, string])[]): string {
  const file = `${example}/${name}`
  const text = readFileSync(file, 'utf8')
  const changed = changes.reduce((before, [old, replacement]) => before.replace(old, replacement), text)
  if (changed === text) return file
  const copy = `${example}/.data/${name}`
  writeFileSync(copy, changed)
  return copy
}

function run(args: readonly string[], { password }: { readonly password?: string } = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    stdio: ['inherit', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...(password === undefined ? {} : { PROXY_KEYSTORE_PASSWORD: password }),
      // Their logs say when they listen.
      RUST_LOG: 'info',
      SQLAPI_LOG: 'info',
      PROXY_LOG_FORMAT: 'text',
    },
    // A process group of its own: Ctrl-C reaches this process alone, which passes it on.
    detached: process.platform !== 'win32',
  })
  running.add(child)
  child.on('close', (code) => {
    running.delete(child)
    if (exitCode === undefined) {
      exitCode = code ?? 1
      stop('SIGTERM')
    } else if (exitCode === 0) exitCode = code ?? 1
    if (running.size === 0) process.exit(exitCode)
    if (running.has(mock) && running.size === 1) mock.kill()
  })
  return child
}

/** The services may still have calls to finish, so the mock ends after them. */
function stop(signal: NodeJS.Signals): void {
  const services = [...running].filter((child) => child !== mock)
  for (const child of services.length > 0 ? services : running) child.kill(signal)
}

/**
 * Passes on what the process writes. Until it has written `text`, nothing is passed on, and then only the group of it.
 * Settled with whether it has written it before it ended.
 */
function says(child: ChildProcess, text: RegExp): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let held: string | undefined = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    if (held === undefined) return void process.stdout.write(chunk)
    held += chunk
    const found = text.exec(held)
    if (found === null) return
    process.stdout.write(`${found[1]}${held.slice(found[0].length).replace(/^\n/, '')}`)
    held = undefined
    resolve(true)
  })
  child.once('close', () => {
    process.stdout.write(held ?? '')
    resolve(false)
  })
  return promise
}

function isEnding(): boolean {
  return exitCode !== undefined
}

function pages(): string {
  return [ports.PORT, ports.PROXY_PORT].map((port) => `In a browser: http://${host}:${port}/docs\n`).join('')
}

function requests(): string {
  const demo = `http://${host}:${ports.PORT}/demo`
  const proxy = `http://${host}:${ports.PROXY_PORT}`
  const first = '{"applicantName": "Anu Mets", "siteAddress": "5 Park Lane", "floorArea": 120.5}'
  const second = '{"applicantName": "Kalle Lepp", "siteAddress": "9 Hill Road", "floorArea": 84}'
  const subsystem = '{"member_class": "GOV", "member_code": "70000001", "subsystem_code": "population"}'
  return [
    `curl '${demo}/permit?permitId=1'`,
    `curl '${demo}/permits/apply' -d '${first}'`,
    `curl '${demo}/permits/apply/batch' -d '{"queries": [${first}, ${second}]}'`,
    `curl '${proxy}/population/person' -d '{"personalCode": "60001019906", "givenName": "Mari-Liis"}'`,
    `curl '${proxy}/xroad/listMethods' -d '${subsystem}'`,
    `curl '${proxy}/business/companies?name=timber&status=registered'`,
    `curl -X PATCH '${proxy}/business/company/10000018' -H 'Content-Type: application/json' -d '{"employees": 13}'`,
    `curl '${proxy}/business/reports' -H 'Content-Type: application/json' -d '{"year": 2025}'`,
    pages(),
  ].join('\n')
}
