/** Clients that every server meets: those that ask and wait, those that leave, and those that speak something else. */
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Outcome, WrongAnswer } from './soak.ts'

export interface Reply {
  readonly status: number
  readonly text: string
}

/** A GET, or a POST of this body. Undefined where the connection broke. */
export type Caller = (path: string, body?: string) => Promise<Reply | undefined>

const longestStayMs = 100
const patienceMs = 60_000

/** No answer at all is a wrong answer. */
export function askOn(origin: string): Caller {
  return async (path, body) => {
    const signal = AbortSignal.timeout(patienceMs)
    const sent = body === undefined ? {} : { method: 'POST', body }
    try {
      const response = await fetch(`${origin}${path}`, { signal, ...sent })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      if (signal.aborted) throw new WrongAnswer(`${path} has no answer within ${patienceMs / 1000} s`)
      if (!(error instanceof TypeError)) throw error
      return undefined
    }
  }
}

/** Sends a GET and goes before it is answered. */
export async function leave(port: number, path: string): Promise<Outcome> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: soak\r\n\r\n`)
  await delay(Math.random() * longestStayMs)
  socket.destroy()
  return 'right'
}

/** The beginning of a TLS handshake: the answer is an error of the client, or none. */
export async function speakNonsense(port: number): Promise<Outcome> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  let text = ''
  socket.on('data', (piece) => (text += piece.toString('latin1')))
  socket.once('close', () =>
    text === '' || text.startsWith('HTTP/1.1 4') ? resolve('right') : reject(new WrongAnswer(text.slice(0, 100))),
  )
  socket.end('\x16\x03\x01 nonsense\r\n\r\n')
  return promise
}
