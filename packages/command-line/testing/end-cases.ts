/**
 * How a service ends, as cases that the suite of each service runs against its own program: what is under way is
 * finished, nothing new is accepted, nobody is waited for who does nothing. A service that runs comes in; tests are
 * registered.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { linesOf, type Listening, until, Wire } from '@services/testing'
import { ask, type Held, post, type Subject } from './subject.ts'

const { Agent } = process.getBuiltinModule('node:http')

export interface EndSubject extends Subject {
  /** Resolves when the service works on a request that ends with `release`. */
  hold(): Promise<Held>
  /**
   * Resolves when the service works on a request that does not end before its caller goes; `outcome` is its answer or
   * error.
   */
  holdForever(caller?: AbortSignal): Promise<{ readonly outcome: Promise<unknown> }>
  /** An answer of more bytes than the kernel keeps for a connection. */
  readonly large: { readonly path: string; readonly length: number }
}

export interface EndCases {
  /** What runs, and the ids of the rules that the cases prove. */
  readonly title: string
  readonly start: () => Promise<EndSubject>
}

const sipMs = 200

export function testEnd({ title, start }: EndCases): void {
  describe(`the end: ${title}`, { concurrency: 3 }, () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) testOrder(signal, start)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) testSecondSignal(signal, start)
    testConnections(start)

    test('a reader of the log that goes away does not end the service', async () => {
      const service = await start()
      service.child.stdout?.destroy()
      service.child.stderr?.destroy()
      for (let i = 0; i < 20; i++) strictEqual(await ask(service), 200)
      strictEqual((await service.stop()).code, 0)
    })
  })
}

/** The line in the log comes just before the end of listening. */
export async function untilRefused(service: Listening): Promise<void> {
  await service.line(/Shutting down/)
  await until(async () => (await connectTo(service.port)) === 'ECONNREFUSED', 'connections to be refused')
}

function connectTo(port: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect({ port, host: '127.0.0.1' })
  socket.once('connect', () => resolve('connected'))
  socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
  return promise.finally(() => socket.destroy())
}

function testOrder(signal: NodeJS.Signals, start: EndCases['start']): void {
  test(`${signal}: what is in flight is finished, nothing new is accepted, exit code 0`, async () => {
    const service = await start()
    const agent = new Agent({ keepAlive: true })
    strictEqual(await post(service, agent), 200)
    const held = await service.hold()
    service.kill(signal)
    await untilRefused(service)
    await held.release()
    strictEqual(await held.status, 200)
    const { code, stdout, stderr } = await service.ended
    deepStrictEqual([code, stderr], [0, ''])
    match(stdout, new RegExp(`Shutting down signal=${signal}\\n`))
    match(linesOf(stdout).at(-1) ?? '', /Stopped$/)
    agent.destroy()
  })
}

function testSecondSignal(second: NodeJS.Signals, start: EndCases['start']): void {
  test(`a second signal, ${second}, ends it at once`, async () => {
    const service = await start()
    const { outcome } = await service.holdForever()
    service.kill('SIGTERM')
    await service.line(/Shutting down/)
    service.kill(second)
    const { code, signal, stdout } = await service.ended
    ok(code !== 0 || signal !== null)
    match(linesOf(stdout).at(-1) ?? '', / WARN .*Ended before all work was finished reason="second signal"$/)
    ok((await outcome) instanceof Error)
  })
}

// Where the end is to come in order, an exit code 0 says that it was not forced.
function testConnections(start: EndCases['start']): void {
  test('a large answer that its client is still reading is not cut', async () => {
    const service = await start()
    const wire = await Wire.open(service.port)
    wire.socket.pause()
    wire.write(`GET ${service.large.path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(wire.socket, 'readable')
    // A little now and then: a client that takes nothing for seconds is cut off.
    const sipping = setInterval(() => wire.socket.read(), sipMs)
    service.kill('SIGTERM')
    await untilRefused(service)
    clearInterval(sipping)
    wire.socket.resume()
    const { status, text } = await wire.answer()
    deepStrictEqual([status, text.length], [200, service.large.length])
    strictEqual((await service.ended).code, 0)
    wire.socket.destroy()
  })

  test('connections on which nothing happens do not delay it, here and upstream', async () => {
    const service = await start()
    const agent = new Agent({ keepAlive: true })
    await Promise.all(Array.from({ length: 20 }, () => post(service, agent)))
    const silent = await Promise.all(Array.from({ length: 100 }, () => Wire.open(service.port)))
    silent[0]?.write('GET /health HTTP/1.1\r\nHo')
    silent[1]?.write('nonsense\r\n\r\n')
    strictEqual((await service.stop()).code, 0)
    for (const wire of silent) wire.socket.destroy()
    agent.destroy()
  })

  test('a connection whose requests follow each other does not keep the service alive', async () => {
    const service = await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let answered = 0
    const failed = (async () => {
      for (; ; answered++) await post(service, agent)
    })().catch((error: unknown) => (error as NodeJS.ErrnoException).code)
    await until(() => answered > 10, 'some answers')
    strictEqual((await service.stop()).code, 0)
    match(String(await failed), /^ECONN(?:REFUSED|RESET)$/)
    agent.destroy()
  })

  test('a client that is gone is not waited for', async () => {
    const service = await start()
    const abort = new AbortController()
    const { outcome } = await service.holdForever(abort.signal)
    abort.abort()
    ok((await outcome) instanceof Error)
    strictEqual((await service.stop()).code, 0)
  })
}
