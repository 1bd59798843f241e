/** A service of a side while requests are sent to it; then its metrics, its end and its log are recorded as well. */
import { setTimeout } from 'node:timers/promises'
import { type ProgramOptions, type Running, type Service, shown, startService } from '../programs.ts'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'
import { Connection, type Request } from '../wire.ts'

export interface Question extends Request {
  readonly title: string
}

export interface Run extends ProgramOptions {
  readonly side: Side
  readonly recording: Recording
  readonly service: Service
  readonly args: readonly string[]
  readonly title: string
  readonly signal?: NodeJS.Signals
  /** Pages of the admin listener that are recorded; all unless given. */
  readonly pages?: readonly string[]
}

const settleMs = 5000

const adminPages = ['/health', '/ready', '/metrics', '/version', '/', '/nowhere']

export async function withService(
  { side, recording, service, args, title, signal, pages = adminPages, ...options }: Run,
  use: (running: Running) => Promise<void>,
): Promise<void> {
  const command = `${service} ${args.join(' ')}`
  let running: Running
  try {
    running = await startService(side, service, args, options)
  } catch (error) {
    recording.addText('log', `${title}: start`, command, String(error))
    return
  }
  await untilSettled(running)
  await use(running)
  if (running.adminPort !== undefined) {
    const connection = new Connection(running.adminPort)
    for (const path of pages) {
      const answer = await connection.send({ method: 'GET', path })
      recording.add('request', `${title} admin ${path}`, `GET ${path} (admin)`, answer)
    }
    connection.leave()
  }
  recording.addText('log', `${title}: log`, command, steady(shown(await running.stop(signal))))
}

/** A start also looks for each database; this waits until it has found all, or missed one. */
async function untilSettled({ adminPort }: Running): Promise<void> {
  if (adminPort === undefined) return
  const connection = new Connection(adminPort)
  const until = Date.now() + settleMs
  while (Date.now() < until) {
    const answer = await connection.send({ method: 'GET', path: '/ready' })
    if (answer.startsWith('HTTP/1.1 200') || answer.includes('"down"')) break
    await setTimeout(20)
  }
  connection.leave()
}

/** A start looks at all datasources at the same time: what it says of them has no order. */
function steady(log: string): string {
  const lines = log.split('\n')
  const from = lines.findIndex((line) => line.includes('Listening')) + 1
  const to = lines.findIndex((line, index) => index >= from && /Request|Shutting down/.test(line))
  const withoutTime = (line: string): string => line.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '')
  const sorted = lines.slice(from, to).toSorted((a, b) => (withoutTime(a) < withoutTime(b) ? -1 : 1))
  return [...lines.slice(0, from), ...sorted, ...lines.slice(to)].join('\n')
}

/** Sends each text on a connection of its own, one after another. */
export async function askRaw(
  running: Running,
  recording: Recording,
  title: string,
  requests: Readonly<Record<string, string>>,
): Promise<void> {
  const connection = new Connection(running.port)
  for (const [name, bytes] of Object.entries(requests)) {
    recording.add('request', `${title} raw, ${name}`, bytes.slice(0, 1000), await connection.sendAlone(bytes))
  }
}

/** Sends the requests one after another, on one connection. */
export async function askAll(running: Running, recording: Recording, questions: readonly Question[]): Promise<void> {
  const connection = new Connection(running.port)
  for (const question of questions) {
    const { title, method, path, headers, body } = question
    const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`)
    const asked = [`${method} ${path}`, ...lines, body === undefined ? '' : Buffer.from(body).toString()].join('\n')
    recording.add('request', title, asked.trimEnd(), await connection.send(question))
  }
  connection.leave()
}
