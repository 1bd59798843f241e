/**
 * The service as its users meet it: a process started from `bin/sqlapi.js`, requests over real sockets, signals by process
 * id. Temporary folders and processes that a test leaves behind end with the test run.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Path below a folder -> content. */
export type Files = Readonly<Record<string, string | Buffer>>

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Spawned {
  readonly pid: number
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Everything that the process has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** The first line of stdout that matches, now or later; rejects when the process ends without one. */
  line(pattern: RegExp): Promise<string>
  kill(signal: NodeJS.Signals): void
}

export interface SpawnOptions {
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Runs this instead of `bin/sqlapi.js`; the first part is the program. */
  readonly command?: readonly string[]
}

export interface Setting {
  /** The tree of `.sql` files. */
  readonly files: Files
  /** Fields of sqlapi.yaml beside `sql_dir` and the listener's address. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /** Where the files, the configuration and relative SQLite paths live; a new folder unless given. */
  readonly folder?: string
}

export interface Running extends Spawned {
  readonly folder: string
  readonly port: number
  /** Ends the process in order. */
  stop(): Promise<Ended>
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export const binary: string = join(import.meta.dirname, '../../bin/sqlapi.js')

/** Kept from run to run: it halves the time that a start takes. */
const compileCache = join(tmpdir(), 'sqlapi-test-compile-cache')
const folders: string[] = []
const children = new Set<ChildProcess>()

// What a test that failed leaves behind; the runner exits when the last test has ended, whoever is still there.
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder of its own with these files in it. */
export function newFolder(files: Files = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'sqlapi-'))
  folders.push(folder)
  writeFiles(folder, files)
  return folder
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

/** Starts a process that knows nothing of the environment of the test run but the search path. */
export function spawnProcess({ args = [], cwd = tmpdir(), env = {}, command }: SpawnOptions): Spawned {
  const [program = '', ...rest] = [...(command ?? [process.execPath, binary]), ...args]
  const child = spawn(program, rest, {
    cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]): Ended => {
    children.delete(child)
    return { code, signal, stdout, stderr }
  })
  return {
    pid: child.pid as number,
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    line: (pattern) => findLine(child, pattern, () => stdout, ended),
    kill: (signal) => void child.kill(signal),
  }
}

function findLine(child: ChildProcess, pattern: RegExp, stdout: () => string, ended: Promise<Ended>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const look = (): void => {
    const found = linesOf(stdout()).find((line) => pattern.test(line))
    if (found !== undefined) resolve(found)
  }
  child.stdout?.on('data', look)
  look()
  void ended.then((end) => reject(new Error(`ended without ${pattern}: ${JSON.stringify(end)}`)))
  return promise.finally(() => child.stdout?.off('data', look))
}

export function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1)
}

/** Writes the configuration beside the tree and starts the service; it listens on a free port of the loopback. */
export async function startSqlapi({ files, config = {}, env = {}, folder = newFolder() }: Setting): Promise<Running> {
  writeFiles(join(folder, 'sql'), files)
  const { server, ...others } = config
  const full = { sql_dir: 'sql', server: { bind: '127.0.0.1:0', ...(server as object | undefined) }, ...others }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(full))
  const spawned = spawnProcess({ cwd: folder, env })
  const port = Number(/:(\d+)\b\D*$/.exec(await spawned.line(/Listening/))?.[1])
  const stop = (): Promise<Ended> => {
    spawned.kill('SIGTERM')
    return spawned.ended
  }
  return { ...spawned, folder, port, stop }
}

export interface CallOptions {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: unknown
  /** Without one the request has a connection of its own, closed afterwards. */
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

/** One request. A body that is no text is sent as JSON and makes it a POST. */
export function call(port: number, path: string, options: CallOptions = {}): Promise<Answer> {
  const { body, agent = false, signal } = options
  const { method = body === undefined ? 'GET' : 'POST', headers = {} } = options
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent, ...(signal ? { signal } : {}) })
  outgoing.once('error', reject)
  outgoing.once('response', (incoming) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    incoming.once('error', reject)
    incoming.once('end', () => resolve({ status: incoming.statusCode as number, headers: incoming.headers, text }))
  })
  outgoing.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
  return promise
}

/** The `error` field of an answer, `''` where there is none. */
export function errorOf({ text }: { readonly text: string }): string {
  const body = JSON.parse(text) as { error?: string } | null
  return body?.error ?? ''
}

/** An answer as it came over the wire; header names are in lower case, a repeated header is joined. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** A connection on which a test writes its own bytes. */
export class Wire {
  readonly socket: Socket
  /** Resolves when the server has closed its side, or the connection is gone. */
  readonly closed: Promise<void>
  #received: Buffer = Buffer.alloc(0)
  #isClosed = false
  #wake: () => void = () => undefined
  readonly #tellClosed: () => void

  static async open(port: number): Promise<Wire> {
    // Half open, so that a test may end its side and still read.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return new Wire(socket)
  }

  private constructor(socket: Socket) {
    this.socket = socket
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#tellClosed = resolve
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    socket.on('end', () => this.#end())
    socket.on('close', () => this.#end())
  }

  get received(): string {
    return this.#received.toString('latin1')
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes)
  }

  /** The next answer. `bodiless` where none follows the head: to HEAD, and 100. */
  async answer({ bodiless = false } = {}): Promise<WireAnswer> {
    const head = await this.#take(() => {
      const end = this.#received.indexOf('\r\n\r\n')
      return end < 0 ? undefined : end + 4
    })
    const [first = '', ...lines] = head.toString('latin1').trimEnd().split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
      const key = name.toLowerCase()
      headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
    }
    const length = bodiless ? 0 : Number(headers['content-length'] ?? 0)
    const body = await this.#take(() => (this.#received.length >= length ? length : undefined))
    return { status: Number(first.split(' ')[1]), headers, text: body.toString('utf8') }
  }

  #end(): void {
    this.#isClosed = true
    this.#tellClosed()
    this.#wake()
  }

  async #take(lengthOf: () => number | undefined): Promise<Buffer> {
    for (;;) {
      const length = lengthOf()
      if (length !== undefined) {
        const taken = this.#received.subarray(0, length)
        this.#received = this.#received.subarray(length)
        return taken
      }
      if (this.#isClosed) throw new Error(`closed after ${JSON.stringify(this.received.slice(0, 200))}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

/** Sends bytes on a connection of their own and gives the answer. */
export async function send(port: number, bytes: string | Buffer, options?: { bodiless: boolean }): Promise<WireAnswer> {
  const wire = await Wire.open(port)
  wire.write(bytes)
  try {
    return await wire.answer(options)
  } finally {
    wire.socket.destroy()
  }
}

export function elapsed(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}

/** Waits for something that no event tells of. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 120_000): Promise<void> {
  for (const since = elapsed(); !(await holds());) {
    if (since() > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
