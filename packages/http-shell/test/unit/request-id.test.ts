/**
 * The id of a request: what a client may send, and that every answer has it, whoever has read the request and whatever
 * became of it.
 */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Exchange, type Refusal, type Shell, startShell } from '@services/http-shell'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const last = 'Connection: close\r\n'

function get(path: string, lines = '', method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`
}

const answers: Readonly<Record<string, (exchange: Exchange) => void>> = {
  '/text': (exchange) => exchange.send(200, { 'content-type': 'text/plain' }, exchange.requestId),
  '/none': (exchange) => exchange.send(404, {}, 'none'),
  '/unchanged': (exchange) => exchange.send(304, { etag: '"x"' }, ''),
  '/gone': (exchange) => {
    exchange.begin(204, { vary: 'Origin' })
    exchange.end()
  },
  '/pieces': (exchange) => {
    exchange.begin(200, { 'content-type': 'x' })
    exchange.write('one', () => undefined)
    exchange.end(Buffer.from('two'))
  },
  '/raw': (exchange) => {
    exchange.begin(200, ['Content-Length', '2', 'X-Request', 'other'])
    exchange.end(Buffer.from('ok'))
  },
  '/upstream': (exchange) => {
    exchange.begin(200, ['Content-Length', '2', 'x-REQUEST-id', 'of the upstream'])
    exchange.end(Buffer.from('ok'))
  },
  '/body': (exchange) => void exchange.collect(1000).then(() => exchange.send(200, {}, 'ok'), () => undefined), // prettier-ignore
}

/** The heads of all that comes back until the server has ended the connection. */
async function converse(port: number, bytes: string): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  socket.on('error', () => undefined)
  const ended = new Promise((resolve) => socket.on('end', resolve).on('close', resolve))
  await once(socket, 'connect')
  socket.write(bytes, 'latin1')
  await ended
  socket.destroy()
  return text.split(/(?=HTTP\/1\.1 \d{3})/)
}

function idsOf(answer: string): string[] {
  return Array.from(answer.matchAll(/^x-request-id: (.*)\r$/gim), ([, id = '']) => id)
}

async function idOf(port: number, bytes: string): Promise<string> {
  const [answer = '', ...others] = await converse(port, bytes)
  deepStrictEqual(others, [])
  const [id = '', ...twice] = idsOf(answer)
  deepStrictEqual(twice, [], answer)
  return id
}

for (const fastReader of [true, false]) {
  describe(`the id of a request, read ${fastReader ? 'here' : 'by Node.js'} [O2.3]`, () => {
    const refusals: Refusal[] = []
    let shell: Shell

    before(async () => {
      shell = await startShell({
        host: '127.0.0.1',
        port: 0,
        fastReader,
        namesRequests: true,
        handle: (exchange) => (answers[exchange.target] as (exchange: Exchange) => void)(exchange),
        refuse(refusal) {
          refusals.push(refusal)
          return { status: 400, body: '{}' }
        },
      })
    })
    after(() => shell.close())

    for (const path of Object.keys(answers).filter((path) => path !== '/upstream' && path !== '/body')) {
      for (const method of ['GET', 'HEAD']) {
        test(`${method} ${path}: the client's, or a new one for each`, async () => {
          strictEqual(
            await idOf(shell.port, get(path, `X-Request-Id: crm-4711.a_B\r\n${last}`, method)),
            'crm-4711.a_B',
          )
          const ids = [await idOf(shell.port, get(path, last, method)), await idOf(shell.port, get(path, last, method))]
          for (const id of ids) match(id, uuid)
          notStrictEqual(ids[0], ids[1])
        })
      }
    }

    test('the service sees the one that is answered', async () => {
      for (const lines of ['', 'x-request-id: seen\r\n']) {
        const [answer = ''] = await converse(shell.port, get('/text', lines + last))
        strictEqual(answer.slice(answer.indexOf('\r\n\r\n') + 4), idsOf(answer)[0])
      }
    })

    test('the longest has 128 characters; what is not an id is replaced, and never written back', async () => {
      const longest = 'x'.repeat(128)
      strictEqual(await idOf(shell.port, get('/text', `X-Request-Id: ${longest}\r\n${last}`)), longest)
      const others = [
        '',
        ' ',
        `${longest}x`,
        'a b',
        'a,b',
        'a/b',
        'p\u00e4ring',
        '"a"',
        'a;b',
        '%0d%0a',
        '{{x}}',
        'a\tb',
      ]
      for (const sent of others) {
        match(await idOf(shell.port, get('/text', `X-Request-Id: ${sent}\r\n${last}`)), uuid, sent)
      }
      match(await idOf(shell.port, get('/text', `X-Request-Id: a\r\nX-Request-Id: b\r\n${last}`)), uuid)
      match(await idOf(shell.port, get('/text', `X-Request-Id: a\r\nX-Request-Id: a\r\n${last}`)), uuid)
    })

    test('the one of an upstream stays as it is', async () => {
      strictEqual(await idOf(shell.port, get('/upstream', `X-Request-Id: mine\r\n${last}`)), 'of the upstream')
    })

    test('each request of a pipeline has its own', async () => {
      const pipeline = ['a', '', 'b', 'b', ''].map((id) => get('/text', id === '' ? '' : `X-Request-Id: ${id}\r\n`))
      const found = (await converse(shell.port, pipeline.join('') + get('/none', last))).map(
        (answer) => idsOf(answer)[0],
      )
      deepStrictEqual([found[0], found[2], found[3]], ['a', 'b', 'b'])
      for (const index of [1, 4, 5]) match(String(found[index]), uuid)
      strictEqual(new Set(found).size, found.length - 1)
    })

    const refused: Readonly<Record<string, string>> = {
      'without a host': 'GET /text HTTP/1.1\r\n\r\n',
      'of two hosts': 'GET /text HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
      'for a tunnel': 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      'in an unknown coding': `POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    }
    for (const [what, bytes] of Object.entries(refused)) {
      test(`a request ${what} is refused with its own`, async () => {
        strictEqual(await idOf(shell.port, bytes.replace('1.1\r\n', '1.1\r\nX-Request-Id: mine\r\n')), 'mine')
        strictEqual(refusals.at(-1)?.requestId, 'mine')
        const id = await idOf(shell.port, bytes)
        match(id, uuid)
        strictEqual(refusals.at(-1)?.requestId, id)
      })
    }

    test('what cannot be read is refused with a new one, which the service hears of', async () => {
      for (const bytes of ['no request\r\n\r\n', 'BREW / HTTP/1.1\r\nX-Request-Id: mine\r\nHost: x\r\n\r\n']) {
        const id = await idOf(shell.port, bytes)
        match(id, uuid)
        strictEqual(refusals.at(-1)?.requestId, id)
      }
    })

    test('a body that is not valid is refused with the id of its request', async () => {
      const bytes = `POST /body HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n`
      strictEqual(await idOf(shell.port, bytes), 'mine')
      const { isBody, requestId } = refusals.at(-1) as Refusal
      deepStrictEqual([isBody, requestId], [true, 'mine'])
    })
  })
}

test('both ways give the same bytes [O2.3]', async () => {
  const all: string[][] = []
  for (const fastReader of [true, false]) {
    const shell = await startShell({
      host: '127.0.0.1',
      port: 0,
      fastReader,
      namesRequests: true,
      handle: (exchange) => (answers[exchange.target] as (exchange: Exchange) => void)(exchange),
      refuse: () => ({ status: 400, body: '{}' }),
    })
    const paths = Object.keys(answers).filter((path) => path !== '/body')
    const pipeline = paths.map((path) => get(path, 'X-Request-Id: a\r\n')).join('')
    const found = await converse(shell.port, pipeline + get('/none', `X-Request-Id: b\r\n${last}`))
    all.push(found.map((answer) => answer.replace(/^Date: .*$/m, 'Date: now')))
    await shell.close()
  }
  deepStrictEqual(all[0], all[1])
})

test('a shell that was not told to name requests does not [O2.3]', async () => {
  for (const fastReader of [true, false]) {
    const shell = await startShell({
      host: '127.0.0.1',
      port: 0,
      fastReader,
      handle: (exchange) => exchange.send(200, {}, exchange.requestId),
      refuse: () => ({ status: 400, body: '{}' }),
    })
    const [answer = ''] = await converse(shell.port, get('/text', `X-Request-Id: mine\r\n${last}`))
    deepStrictEqual(idsOf(answer), [])
    ok(answer.endsWith('\r\n\r\nmine'), answer)
    const [refusal = ''] = await converse(shell.port, 'no request\r\n\r\n')
    deepStrictEqual(idsOf(refusal), [])
    await shell.close()
  }
})
