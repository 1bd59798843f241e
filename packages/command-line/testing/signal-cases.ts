/**
 * What signals do to a service, as cases that the suite of each service runs against its own program. A service that
 * runs comes in; tests are registered.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { constants } from 'node:os'
import { describe, test } from 'node:test'
import { Wire } from '@services/testing'
import { signalActions } from '../src/signals.ts'
import { ask, body, type Held, type Subject } from './subject.ts'

export interface SignalCases {
  /** What runs, and the ids of the rules that the cases prove. */
  readonly title: string
  /** Starts the service; `nodeOptions` is its `NODE_OPTIONS`. */
  readonly start: (nodeOptions?: string) => Promise<Subject>
}

/** Signals that this platform knows. */
const known = Object.entries(signalActions).filter(([signal]) => Object.hasOwn(constants.signals, signal))

export function testSignals({ title, start }: SignalCases): void {
  describe(`signals: ${title}`, { skip: process.platform === 'win32' ? 'Windows has no signals' : false }, () => {
    test('no signal that may be ignored ends the service or opens an inspector, and SIGHUP is one line', async () => {
      const subject = await start()
      for (const [signal, action] of known) if (action === 'ignore') process.kill(subject.pid, signal)
      strictEqual(await ask(subject), 200)
      for (const [signal, action] of known) if (action === 'ignore') process.kill(subject.pid, signal)
      strictEqual(await ask(subject), 200)
      process.kill(subject.pid, 'SIGHUP')
      match(await subject.line(/SIGHUP/), / INFO .*read anew/)
      strictEqual(await ask(subject), 200)
      process.kill(subject.pid, 'SIGTERM')
      const { code } = await subject.ended
      deepStrictEqual([code, subject.stderr()], [0, ''])
      strictEqual(subject.stdout().match(/SIGHUP/g)?.length, 1)
    })

    for (const [signal] of known.filter(([, action]) => action === 'end')) {
      test(`${signal} ends the service in order: what is under way is answered, exit code 0`, async () => {
        const subject = await start()
        const held = await hold(subject)
        process.kill(subject.pid, signal)
        match(await subject.line(/Shutting down/), new RegExp(`signal=${signal}$`))
        // None of these counts as the second signal that ends it at once.
        for (const [other, action] of known) if (action !== 'end') process.kill(subject.pid, other)
        held.release()
        strictEqual(await held.status, 200)
        const { code, signal: killedBy } = await subject.ended
        deepStrictEqual([code, killedBy, subject.stderr()], [0, null, ''])
        match(subject.stdout(), /Stopped\n$/)
      })
    }

    test(`an inspector is opened by SIGUSR1 where the process was started with one`, async () => {
      const subject = await start('--inspect=127.0.0.1:0')
      strictEqual(await ask(subject), 200)
      match(subject.stderr(), /Debugger listening/)
      process.kill(subject.pid, 'SIGUSR1')
      strictEqual(await ask(subject), 200)
      process.kill(subject.pid, 'SIGTERM')
      strictEqual((await subject.ended).code, 0)
    })

    test(`a reader of the log that stands still holds up neither requests nor the end`, async () => {
      const subject = await start()
      subject.child.stdout?.pause()
      // More than the pipe between the two processes takes.
      await chat(subject, 2000)
      strictEqual(await ask(subject), 200)
      const exited = once(subject.child, 'exit')
      process.kill(subject.pid, 'SIGTERM')
      deepStrictEqual(await exited, [0, null])
      subject.child.stdout?.resume()
      await subject.ended
      ok(subject.stdout().length > 100_000)
    })

    test(`an unexpected failure is logged with its stack, then the service ends in order with 1`, async () => {
      // Nothing that a caller sends should do this, so a module loaded beside the service does.
      const failing = "process.on('SIGUSR2', () => { throw new Error('out of the blue') })"
      const subject = await start(`--import=data:text/javascript,${encodeURIComponent(failing)}`)
      const held = await hold(subject)
      process.kill(subject.pid, 'SIGUSR2')
      match(await subject.line(/ ERROR /), /Internal error .*out of the blue.*\bat\b/)
      held.release()
      strictEqual(await held.status, 200)
      const { code, signal } = await subject.ended
      deepStrictEqual([code, signal], [1, null])
      doesNotMatch(subject.stdout(), /before all work was finished/)
      ok(subject.stdout().endsWith('Stopped\n'), subject.stdout())
    })
  })
}

/** Has the service write so many lines of log, of 300 characters each, for callers that do not wait for answers. */
async function chat({ port }: Subject, lines: number): Promise<void> {
  const callers = await Promise.all(Array.from({ length: 8 }, () => Wire.open(port)))
  const head = `GET /none/${'x'.repeat(300)} HTTP/1.1\r\nHost: x\r\n`
  for (const wire of callers) {
    wire.write(`${head}\r\n`.repeat(lines / callers.length - 1))
    wire.write(`${head}Connection: close\r\n\r\n`)
  }
  await Promise.all(callers.map(({ closed }) => closed))
  const answers = callers.map(({ received }) => received.split('HTTP/1.1 ').length - 1)
  strictEqual(
    answers.reduce((sum, count) => sum + count, 0),
    lines,
  )
  for (const { socket } of callers) socket.destroy()
}

/** A request that waits for its body. */
async function hold({ port, getPath, postPath }: Subject): Promise<Held> {
  const wire = await Wire.open(port)
  // Where several processes serve, an answer on this connection shows that one of them has it.
  wire.write(`GET ${getPath} HTTP/1.1\r\nHost: x\r\n\r\n`)
  strictEqual((await wire.answer()).status, 200)
  const lines = ['Host: x', 'Expect: 100-continue', `Content-Length: ${body.length}`]
  wire.write(`POST ${postPath} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  strictEqual((await wire.answer({ bodiless: true })).status, 100)
  return { status: wire.answer().then(({ status }) => status), release: () => wire.write(body) }
}
