/** Who calls xroad-proxy in a soak, what is right for each, and the faults of its upstream. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Actor,
  type Caller,
  askOn,
  leave,
  type Outcome,
  type Reply,
  speakNonsense,
  WrongAnswer,
} from '@services/bench'
import { failing } from './files.ts'
import type { Upstream } from './upstream.ts'

const savedBytes = 200_000
const largeBytes = 1_000_000

export function actorsOn(port: number, upstream: Upstream): readonly Actor[] {
  const ask = askOn(`http://127.0.0.1:${port}`)
  return [
    { name: 'REST reads', count: 8, pauseMs: 5, act: () => readEcho(ask), isProbe: true },
    { name: 'REST bodies', count: 2, pauseMs: 50, act: () => save(ask) },
    { name: 'long answers', count: 2, pauseMs: 100, act: () => readLarge(ask) },
    { name: 'SOAP calls', count: 4, pauseMs: 5, act: () => callSoap(ask) },
    ...failing.map(({ name, statuses }) => ({
      name: `upstream: ${name}`,
      count: 1,
      pauseMs: 200,
      act: async () => judge(await ask(`/soak/${name}`), (answer) => statuses.includes(answer.status)),
    })),
    { name: 'callers that leave', count: 2, pauseMs: 20, act: () => leave(port, '/soak/echo?id=0') },
    { name: 'nonsense', count: 1, pauseMs: 200, act: () => speakNonsense(port) },
    {
      name: 'fault: the Security Server is killed and comes back',
      count: 1,
      pauseMs: 45_000,
      act: () => replace(upstream),
    },
  ]
}

/** What is not right is an error that a lost upstream explains, or was cut. */
function judge(answer: Reply | undefined, isRight: (answer: Reply) => boolean): Outcome {
  if (answer === undefined) return 'cut'
  if (isRight(answer)) return 'right'
  const isError = /^\{"error":"(?:upstream_\w+|internal_error)","message":"(?:the upstream|cannot connect)/.test(
    answer.text,
  )
  if (!isError) throw new WrongAnswer(`${answer.status} ${answer.text.slice(0, 200)}`)
  return 'refused'
}

let last = 0

async function readEcho(ask: Caller): Promise<Outcome> {
  const id = ++last
  return judge(await ask(`/soak/echo?id=${id}`), ({ status, text }) => {
    return status === 200 && (JSON.parse(text) as { query: string }).query.replace('?', '') === `id=${id}`
  })
}

async function save(ask: Caller): Promise<Outcome> {
  const text = `${++last} `.repeat(savedBytes / 10)
  return judge(await ask('/soak/save', text), (answer) => {
    return answer.status === 200 && (JSON.parse(answer.text) as { body: string }).body === text
  })
}

async function readLarge(ask: Caller): Promise<Outcome> {
  return judge(await ask('/soak/large'), ({ status, text }) => status === 200 && Buffer.byteLength(text) === largeBytes)
}

async function callSoap(ask: Caller): Promise<Outcome> {
  const code = `code ${++last}`
  return judge(await ask('/soak/person', JSON.stringify({ code })), ({ status, text }) => {
    return status === 200 && text.includes(`"s:code":"${code}"`)
  })
}

async function replace(upstream: Upstream): Promise<Outcome> {
  await delay(20_000)
  upstream.kill()
  await delay(1000)
  await upstream.start()
  return 'right'
}
