/** One answer of a million rows: how long it takes, and how much memory the process has had at the most. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as call } from 'node:http'
import { median, startServer, toMiB } from '@services/bench'
import { millionAnswer } from './scenarios/answers.ts'
import type { Arena } from './arena.ts'
import type { HttpContender } from './contenders/contender.ts'
import { floor } from './contenders/floor.ts'
import { sqlapi } from './contenders/sqlapi.ts'
import { toolbox, unwrap } from './contenders/toolbox.ts'
import type { Request } from './scenarios/scenario.ts'

export interface MillionResult {
  readonly contender: string
  readonly rows: number
  readonly bytes: number
  readonly seconds: number
  readonly firstByteSeconds: number
  readonly peakMiB: number
}

const rows = 1_000_000
const request = { method: 'GET', path: '/bench/million', input: { rows }, expected: '' } satisfies Request

/** Made when it is asked for, because it takes seconds. */
let made: ReturnType<typeof millionAnswer> | undefined
const right = (): NonNullable<typeof made> => (made ??= millionAnswer(rows))

/** `profiles` as for the other scenarios. */
export async function measureMillion(arena: Arena, rounds: number, profiles = ''): Promise<MillionResult[]> {
  const contenders = [sqlapi({ profiles }), floor, ...(arena.installed.toolbox === undefined ? [] : [toolbox])]
  const all = contenders.map((contender) => ({ contender, fetches: [] as Fetched[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { contender, fetches } of all) {
      const fetched = await fetchMillion(contender, arena)
      fetches.push(fetched)
      const { seconds, peakMiB } = fetched
      console.error(
        `million, round ${round + 1}, ${contender.title}: ${seconds.toFixed(2)} s, ${peakMiB.toFixed(0)} MiB`,
      )
    }
  }
  return all.map(({ contender, fetches }) => ({
    contender: contender.title,
    rows,
    bytes: right().bytes,
    seconds: median(fetches.map(({ seconds }) => seconds)),
    firstByteSeconds: median(fetches.map(({ firstByteSeconds }) => firstByteSeconds)),
    peakMiB: Math.max(...fetches.map(({ peakMiB }) => peakMiB)),
  }))
}

interface Fetched {
  readonly seconds: number
  readonly firstByteSeconds: number
  readonly peakMiB: number
}

/** A process of its own each time, because the most memory is counted from its start. */
export async function fetchMillion(contender: HttpContender, arena: Arena): Promise<Fetched> {
  const server = await startServer(await contender.command(arena))
  try {
    const { method, target, body } = contender.ask(request)
    const started = performance.now()
    const seconds = (): number => (performance.now() - started) / 1000
    const headers = { 'content-type': 'application/json' }
    const asking = call({ host: '127.0.0.1', port: server.port, path: target, method, headers }).end(body)
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    const firstByteSeconds = seconds()
    const chunks: Buffer[] = []
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (contender === toolbox) chunks.push(chunk)
      else hash.update(chunk)
    }
    const all = seconds()
    if (response.statusCode !== 200) throw new Error(`${contender.title}: status ${response.statusCode}`)
    // The envelope comes off when the clock has stopped.
    if (contender === toolbox) hash.update(unwrap(Buffer.concat(chunks).toString()))
    const peakMiB = toMiB(server.usage().peakBytes)
    if (hash.digest('hex') !== right().sha256) throw new Error(`${contender.title}: a wrong answer of ${bytes} bytes`)
    return { seconds: all, firstByteSeconds, peakMiB }
  } finally {
    await server.stop()
  }
}
