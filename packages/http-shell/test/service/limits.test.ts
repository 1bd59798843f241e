/**
 * How many requests may be under way, and what a client that takes nothing can hold, with real sockets, whoever reads
 * them.
 */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type Exchange, fewRequests, type Shell, type ShellOptions, startShell } from '@services/http-shell'
import { converse } from '@services/http-shell/testing'
import { until } from '@services/testing'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

function start(options: Pick<ShellOptions, 'handle'> & Partial<ShellOptions>): Promise<Shell> {
  return startShell({ host: '127.0.0.1', port: 0, refuse: () => ({ status: 400, body: '{}' }), ...options })
}

/** A client that sends all of it and reads nothing. */
async function sendAhead(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
}

for (const fastReader of [false, true]) {
  describe(fastReader ? 'plain requests are read here' : 'Node.js reads everything', () => {
    for (const [what, bytes] of [
      ['long', 4_000_000],
      ['short', 60_000],
    ] as const) {
      test(`a client that does not take its ${what} answers is cut off, and few of its requests have run`, async () => {
        const body = Buffer.alloc(bytes, 'x')
        const cut = Promise.withResolvers<Exchange>()
        let begun = 0
        let gone = 0
        const handle = (exchange: Exchange): void => {
          begun += 1
          exchange.onGone = () => void (gone += 1)
          exchange.send(200, {}, body)
        }
        const limits = { stallMs: 1, maxPipelinedRequests: 8 }
        const shell = await start({ fastReader, handle, limits, cut: cut.resolve })
        const socket = await sendAhead(shell.port, request.repeat(1500))
        const exchange = await cut.promise
        strictEqual(exchange.leaving, 'too slow')
        ok(begun < 1500, `${begun} of 1500`)
        ok(gone > 0)
        socket.destroy()
        await shell.close()
      })
    }

    test('a client that reads slowly gets a long answer in pieces, whole', async () => {
      const piece = Buffer.alloc(50_000, 'x')
      const count = 1000
      let isWaiting = 0
      const handle = (exchange: Exchange): void => {
        exchange.begin(200, { 'content-length': count * piece.length })
        let sent = 0
        const more = (): void => {
          while (sent < count) {
            sent += 1
            if (exchange.write(piece, more)) continue
            isWaiting += 1
            return
          }
          exchange.end()
        }
        more()
      }
      const shell = await start({ fastReader, handle })
      const socket = await sendAhead(shell.port, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
      await until(() => isWaiting > 0, 'a write that has to wait')
      let received = 0
      socket.on('data', (chunk: Buffer) => (received += chunk.length))
      socket.resume()
      await once(socket, 'close')
      ok(received > count * piece.length, `${received} bytes`)
      await shell.close()
    })

    test('a client that takes a long answer steadily gets all of it, however long that lasts [S9]', async (t) => {
      // The server looks at its clients when the test says so.
      t.mock.timers.enable({ apis: ['setInterval', 'Date'] })
      const body = Buffer.alloc(48_000_000, 'x')
      let cuts = 0
      const handle = (exchange: Exchange): void => exchange.send(200, {}, body, { close: true })
      const shell = await start({ fastReader, handle, cut: () => void (cuts += 1) })
      const socket = await sendAhead(shell.port, request)
      let received = 0
      let wanted = 0
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received >= wanted) socket.pause()
      })
      for (let out = 0; out < body.length - 4_000_000;) {
        wanted = received + 4_000_000
        socket.resume()
        const least = Math.min(out + 2_000_000, body.length)
        const hasMoved = (): boolean => received >= wanted && shell.load().bytesOut >= least
        await until(() => cuts > 0 || hasMoved(), 'a part of the answer')
        strictEqual(cuts, 0)
        out = shell.load().bytesOut
        t.mock.timers.tick(4000)
      }
      wanted = Number.POSITIVE_INFINITY
      socket.resume()
      await once(socket, 'close')
      ok(received > body.length, `${received} bytes`)
      await shell.close()
    })

    test('a client that leaves after it has ended its side is noticed', async () => {
      const left = Promise.withResolvers<void>()
      const shell = await start({ fastReader, handle: (exchange) => void (exchange.onGone = left.resolve) })
      const socket = connect(shell.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(request)
      socket.destroySoon()
      await left.promise
      await shell.close()
    })

    test('a client that has ended its side is asked whether it is there, and gets its answer', async () => {
      const shell = await start({
        fastReader,
        handle: (exchange) => void setTimeout(() => exchange.send(200, {}, 'late'), 500),
        limits: { halfOpenMs: 10 },
      })
      const socket = connect({ port: shell.port, host: '127.0.0.1', allowHalfOpen: true })
      let received = ''
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
      socket.end(request)
      await once(socket, 'end')
      ok(/^(?:HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 .*late$/s.test(received), received)
      socket.destroy()
      await shell.close()
    })

    test('a client that has ended its side gets an answer in pieces as long as it flows, and no longer [T3]', async () => {
      const shell = await start({
        fastReader,
        handle: (exchange) => {
          exchange.begin(200, {})
          let left = 20
          const timer = setInterval(() => {
            exchange.write(`piece ${left--};`, () => undefined)
            if (left === 0) clearInterval(timer)
          }, 20)
        },
      })
      const socket = connect({ port: shell.port, host: '127.0.0.1', allowHalfOpen: true })
      let received = ''
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
      socket.end(request)
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
      deepStrictEqual([error.code, received.includes('piece 1;')], ['ECONNRESET', true])
      await shell.close()
    })

    test('another number of requests under way holds for connections that are open [O3.1]', async () => {
      const waiting: Exchange[] = []
      const handle = (exchange: Exchange): void => void waiting.push(exchange)
      const answerAll = (): void => {
        for (const exchange of waiting.splice(0)) exchange.send(200, {}, 'x')
      }
      const shell = await start({ fastReader, handle, limits: { maxPipelinedRequests: 2 } })
      const socket = await sendAhead(shell.port, request.repeat(10))
      socket.resume()
      await until(() => waiting.length === 2, 'as many as it may have')
      shell.limitPipelines(3)
      answerAll()
      await until(() => waiting.length === 3, 'as many as it may have now')
      shell.limitPipelines(1)
      answerAll()
      await until(() => waiting.length > 0, 'the next one')
      strictEqual(waiting.length, 1)
      shell.limitPipelines(64)
      answerAll()
      await until(() => waiting.length === 4, 'the rest')
      answerAll()
      socket.destroy()
      await shell.close()
    })

    test('connections that send ahead have few requests each under way, and share the others [S9]', async () => {
      const count = 100
      const waiting: Exchange[] = []
      let isAnswering = false
      const maxPipelinedRequests = 20
      const handle = (exchange: Exchange): void => {
        if (isAnswering) exchange.send(200, {}, 'x')
        else waiting.push(exchange)
      }
      const shell = await start({ fastReader, handle, limits: { maxPipelinedRequests } })
      const alone = await sendAhead(shell.port, request.repeat(count))
      await until(() => waiting.length === maxPipelinedRequests, 'as many as one connection may have')
      const others: Socket[] = []
      for (let i = 0; i < 8; i++) others.push(await sendAhead(shell.port, request.repeat(count)))
      // The first one has all but a few of those that are shared.
      const all = maxPipelinedRequests + fewRequests + others.length * fewRequests
      await until(() => waiting.length === all, 'a few of each, and as many more together as one may have')
      await new Promise((resolve) => setTimeout(resolve, 50))
      strictEqual(waiting.length, all)
      isAnswering = true
      for (const exchange of waiting) exchange.send(200, {}, 'x')
      for (const socket of [alone, ...others]) {
        let received = ''
        socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
        socket.resume()
        await until(() => received.split('HTTP/1.1 200').length === count + 1, 'all answers')
        socket.destroy()
      }
      await shell.close()
    })
  })
}

test('a conversation that does not end is an error', async () => {
  const shell = await start({ handle: () => undefined })
  await rejects(converse(shell.port, [request], false, 50), /not ended after 50 ms, received ""/)
  await shell.close()
})

test('further connections are closed, and another number holds from then on [G2]', async () => {
  let closed = 0
  const handle = (exchange: Exchange): void => exchange.send(200, {}, '', { close: true })
  const shell = await start({ handle, maxConnections: 1, full: () => void (closed += 1) })
  const first = await sendAhead(shell.port, '')
  deepStrictEqual(await converse(shell.port, [request]), [])
  strictEqual(closed, 1)
  shell.limitConnections(2)
  strictEqual((await converse(shell.port, [request]))[0]?.status, 200)
  strictEqual(closed, 1)
  first.destroy()
  await shell.close()
})
