/**
 * The subcommand `health` of every service, run against a service and against what is not one. Ways to run both come
 * in; tests are registered.
 */
import { match, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { describe, test } from 'node:test'
import { type Ended, freePort } from '@services/testing'

export interface HealthCases {
  /** Ids of the rules that the cases prove. */
  readonly rules: string
  /** What the program calls itself. */
  readonly name: string
  /** Starts the service on this address. */
  readonly start: (host: string, port: number) => Promise<{ readonly stop: () => Promise<Ended> }>
  /** Runs `health` with a configuration that has this address, and names a password that is nowhere. */
  readonly ask: (host: string, port: number) => Promise<Ended>
  /** Runs `health` with these flags in an empty folder. */
  readonly run: (args: readonly string[]) => Promise<Ended>
}

export function testHealth({ rules, name, start, ask, run }: HealthCases): void {
  /** On a busy machine the start of the command may have left it no time. */
  const askInTime = async (host: string, port: number): Promise<Ended> => {
    let answer = await ask(host, port)
    for (let tries = 1; tries < 10 && answer.stderr.includes('in time'); tries++) answer = await ask(host, port)
    return answer
  }

  describe(`health asks the callers' port ${rules}`, () => {
    for (const host of ['127.0.0.1', '0.0.0.0']) {
      test(`a service on ${host} that answers: 0, and not a word`, async () => {
        const port = await freePort()
        const service = await start(host, port)
        const answer = await askInTime(host, port)
        strictEqual(`${answer.code}${answer.stdout}${answer.stderr}`, '0')
        await service.stop()
        const after = await askInTime(host, port)
        strictEqual(after.code, 1)
        match(
          after.stderr,
          new RegExp(`^${name}: http://127\\.0\\.0\\.1:${port}/health does not answer: .*ECONNREFUSED.*\\n$`),
        )
      })
    }

    test('one that accepts and never answers: 1, in time', async (t) => {
      const server = createServer().listen(0, '127.0.0.1')
      t.after(() => server.close())
      const port = await portOf(server)
      server.on('connection', (socket) => t.after(() => socket.destroy()))
      const { code, stderr } = await ask('127.0.0.1', port)
      strictEqual(code, 1)
      match(stderr, /does not answer in time\n$/)
    })

    test('something else that listens there: 1 with its status', async (t) => {
      const server = createServer((socket) =>
        socket.end('HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'),
      ).listen(0, '127.0.0.1')
      t.after(() => server.close())
      const { code, stderr } = await ask('127.0.0.1', await portOf(server))
      strictEqual(code, 1)
      match(stderr, /answers with status 503, not 200\n$/)
    })

    test('any free port cannot be asked: 1, and the field is named', async () => {
      const { code, stderr } = await ask('127.0.0.1', 0)
      strictEqual(code, 1)
      match(stderr, /(?:port|bind) takes any free port, so nobody knows which one to ask; name one\n$/)
    })

    test('a configuration that is not there: 1 with its name', async () => {
      const { code, stderr } = await run(['health', '--config', 'missing.yaml'])
      strictEqual(code, 1)
      match(stderr, new RegExp(`^${name}: .*missing\\.yaml.* does not exist`))
    })
  })
}

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
