/**
 * `npm start`: the SQL API over the example in examples/sqlapi. Makes the example's database when there is none, starts
 * the service as its own process, and prints requests to try as soon as it answers. PORT overrides the port.
 *
 * Delete examples/sqlapi/.data to start again with the first data.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const startSeconds = 30

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const example = 'examples/sqlapi'
const port = readPort()
makeDatabase()

const service = spawn(process.execPath, ['services/sqlapi/bin/sqlapi.js', '--config', configFile()], {
  stdio: 'inherit',
  // A process group of its own: Ctrl-C reaches this process alone, which passes it on.
  detached: process.platform !== 'win32',
})
let signalledAt = 0
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // npm repeats the Ctrl-C that we got from the terminal, and to the service a second signal means: at once.
    if (Date.now() - signalledAt < 500) return
    signalledAt = Date.now()
    service.kill(signal)
  })
}
service.on('exit', (code) => process.exit(code ?? 1))

if (await answers()) process.stdout.write(examples())

function readPort(): number {
  const text = process.env['PORT'] ?? '8080'
  const value = Number(text)
  if (Number.isInteger(value) && value > 0 && value < 65536) return value
  process.stderr.write(`start: PORT is '${text}', a number from 1 to 65535 is wanted\n`)
  process.exit(1)
}

function makeDatabase(): void {
  const file = `${example}/.data/demo.db`
  if (existsSync(file)) return
  mkdirSync(`${example}/.data`, { recursive: true })
  // Under another name first: an interrupted run must not leave half a database.
  rmSync(`${file}.new`, { force: true })
  const database = new DatabaseSync(`${file}.new`)
  database.exec(readFileSync(`${example}/schema.sql`, 'utf8'))
  database.close()
  renameSync(`${file}.new`, file)
}

/** The service takes its address from the file alone, so another port needs another file. */
function configFile(): string {
  const file = `${example}/sqlapi.yaml`
  if (port === 8080) return file
  const copy = `${example}/.data/sqlapi.yaml`
  writeFileSync(copy, readFileSync(file, 'utf8').replace('127.0.0.1:8080', `127.0.0.1:${port}`))
  return copy
}

/** Waits until this very service is up: if the port is taken, somebody else answers while ours is about to exit. */
async function answers(): Promise<boolean> {
  const since = Date.now()
  while (Date.now() - since < startSeconds * 1000) {
    await sleep(100)
    if (signalledAt > 0) return false
    if ((await readStartTime()) >= since - 1000) return true
  }
  return false
}

/** When whoever listens on the port was started, in Unix milliseconds; 0 when nobody says so. */
async function readStartTime(): Promise<number> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`)
    const health = (await response.json()) as { appStartTime?: number }
    return health.appStartTime ?? 0
  } catch {
    return 0
  }
}

function examples(): string {
  const url = `http://127.0.0.1:${port}/demo`
  const first = '{"applicantName": "Anu Mets", "siteAddress": "5 Park Lane", "floorArea": 120.5}'
  const second = '{"applicantName": "Kalle Lepp", "siteAddress": "9 Hill Road", "floorArea": 84}'
  return [
    `curl '${url}/permit?permitId=1'`,
    `curl '${url}/permits/apply' -d '${first}'`,
    `curl '${url}/permits/apply/batch' -d '{"queries": [${first}, ${second}]}'`,
    '',
  ].join('\n')
}
