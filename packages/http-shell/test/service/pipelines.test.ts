/** The table of pipelines and random ones, against a handler that knows three paths, whoever reads the requests. */
import { after, before, describe } from 'node:test'
import { type Exchange, type Refusal, type Refused, type Shell, startShell } from '@services/http-shell'
import { type Subject, testPipelines } from '@services/http-shell/testing'

const statuses: Partial<Record<Refusal['reason'], number>> = {
  'head too large': 431,
  'transfer coding': 501,
  tunnel: 404,
}

for (const fastReader of [false, true]) {
  describe(fastReader ? 'plain requests are read here' : 'Node.js reads everything', () => {
    let shell: Shell
    let subject: Subject

    before(async () => {
      const host = { host: '127.0.0.1', port: 0 }
      shell = await startShell({ ...host, fastReader, handle: (exchange) => void handle(exchange), refuse })
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

    testPipelines({ subject: () => subject, randomCount: 400 })
  })
}

async function handle(exchange: Exchange): Promise<void> {
  if (exchange.target === '/slow') await new Promise((resolve) => setTimeout(resolve, 30))
  try {
    const body = await exchange.collect(100)
    exchange.send(200, {}, `${exchange.target} ${body.length}`)
  } catch {
    // The shell answers what is not a body.
  }
}

function refuse({ reason }: Refusal): Refused {
  return { status: statuses[reason] ?? 400, body: JSON.stringify({ reason }) }
}
