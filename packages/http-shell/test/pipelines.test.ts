/** The table of pipelines and random ones, against a handler that knows three paths. */
import { deepStrictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Exchange, type Refusal, type Refused, type Shell, startShell } from '@services/http-shell'
import { converse, pipelines, randomFrom, randomPipeline, type Subject } from '@services/http-shell/testing'

const seed = Number(process.env['PIPELINES_SEED'] ?? 20_261_122)
const statuses: Partial<Record<Refusal['reason'], number>> = {
  'head too large': 431,
  'transfer coding': 501,
  tunnel: 404,
}

let shell: Shell
let subject: Subject

before(async () => {
  shell = await startShell({ host: '127.0.0.1', port: 0, handle: (exchange) => void handle(exchange), refuse })
  const line = 'HTTP/1.1\r\nHost: x\r\n'
  subject = {
    port: shell.port,
    quick: `GET /quick ${line}\r\n`,
    slow: `GET /slow ${line}\r\n`,
    post: `POST /post ${line}Content-Length: 2\r\n\r\n{}`,
    postPath: '/post',
    status: { unknownMethod: 400, tunnel: 404, headTooLarge: 431 },
  }
})
after(() => shell.close())

async function handle(exchange: Exchange): Promise<void> {
  if (exchange.target === '/slow') await new Promise((resolve) => setTimeout(resolve, 30))
  try {
    const body = await exchange.collect(100)
    exchange.send(200, {}, `${exchange.target} ${body.length}`)
  } catch {
    // The shell answers what is no body.
  }
}

function refuse({ reason }: Refusal): Refused {
  return { status: statuses[reason] ?? 400, body: JSON.stringify({ reason }) }
}

describe('a connection is answered request by request, in order, then refused once', { concurrency: true }, () => {
  for (const { title, bytes, expected, isHalfClosed } of pipelines) {
    test(title, async () => {
      const answers = await converse(shell.port, [bytes(subject)], isHalfClosed)
      deepStrictEqual(
        answers.map(({ status }) => status),
        expected(subject),
      )
    })
  }
})

test(`random pipelines, cut anywhere (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  for (let i = 0; i < 40; i++) {
    const lot = Array.from({ length: 10 }, () => randomPipeline(subject, random))
    await Promise.all(
      lot.map(async ({ pieces, expected, isHalfClosed }) => {
        const answers = await converse(shell.port, pieces, isHalfClosed)
        deepStrictEqual(
          answers.map(({ status }) => status),
          expected,
          JSON.stringify(pieces),
        )
      }),
    )
  }
})
