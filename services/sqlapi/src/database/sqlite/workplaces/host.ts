/**
 * The program of a SQLite process: one worker thread as the service has them, and this thread, which is never busy and
 * so can end the process at any moment. With the process go its locks; SQLite undoes what was not committed. Jobs come
 * from process.ts.
 */
import type { Readable } from 'node:stream'
import { Sink } from '../../result.ts'
import { takenBack } from '../../pool/job.ts'
import { JobFailure, type Running } from './assignment.ts'
import { Connection } from './connection.ts'
import { type FromProcess, processGoneMs, type ToProcess } from '../worker-messages.ts'

/** Pieces of a result that may be in progress. */
const ahead = 4

/** A job in progress, and its result once that has become a stream. */
interface Relay {
  running: Running | undefined
  stream: Readable | undefined
  /** Pieces that have not gone to the reader. */
  ahead: number
}

const relays = new Map<number, Relay>()
const texts = new Map<number, string>()
let connection: Connection | undefined
/** Jobs that arrive from now on do not begin: process.ts gives them to another process. */
let isEnding = false

process.on('message', (message: ToProcess) => receive(message))
// Nobody is left who wants a result, and a statement might go on for ever.
process.on('disconnect', die)
// A terminal and some supervisors signal all processes; only the first one decides.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => undefined)

function receive(message: ToProcess): void {
  if (isEnding) return
  if ('open' in message) void open(message.open)
  else if ('run' in message) run(message)
  else if ('cancel' in message) relays.get(message.cancel)?.running?.cancel()
  else if ('taken' in message) take(message.taken)
  else if (message.tell === 'close') void connection?.close().then(die)
  else connection?.[message.tell]()
}

async function open(options: Extract<ToProcess, { open: unknown }>['open']): Promise<void> {
  try {
    connection = await Connection.open(
      { ...options, goneMs: options.goneMs ?? processGoneMs },
      {
        broken: () => end({ ended: true }),
        moved: (moved) => send({ moved }),
        long: () => undefined,
        doomed: () => send({ doomed: true }),
        abandoned: ({ statement, reason }) => end({ abandoned: { statement, reason } }),
      },
    )
    send({ opened: true, files: connection.files })
  } catch (error) {
    send({ opened: false, message: (error as Error).message }, die)
  }
}

function run({ run, job, texts: learnt, timeoutSeconds }: Extract<ToProcess, { run: number; job: unknown }>): void {
  for (const [statement, text] of learnt) texts.set(statement, text)
  const relay: Relay = { running: undefined, stream: undefined, ahead: 0 }
  relays.set(run, relay)
  const sink: Sink = new Sink((stream) => pass(run, relay, stream, sink))
  const textOf = (statement: number): string => texts.get(statement) ?? ''
  // There is one: jobs come only after the message that it is open.
  relay.running = (connection as Connection).run({ job, textOf, sink, timeoutSeconds })
  void relay.running.done
    .then(
      (json) => (sink.isOpen ? sink.end(json) : send({ run, json, rows: sink.rows })),
      (error: unknown) => {
        sink.fail(error as Error)
        send({ run, ...toReply(error) })
      },
    )
    .finally(() => {
      if (!sink.isOpen) relays.delete(run)
    })
}

function toReply(error: unknown): { takenBack: true } | { error: JobFailure['error'] } | { lost: true } {
  if (error === takenBack) return { takenBack: true }
  return error instanceof JobFailure ? { error: error.error } : { lost: true }
}

/** Passes the pieces on, never more than a few ahead of the reader. */
function pass(run: number, relay: Relay, stream: Readable, sink: Sink): void {
  relay.stream = stream
  stream.on('data', (piece: Buffer) => {
    send({ run, piece })
    if (++relay.ahead >= ahead) stream.pause()
  })
  stream.once('end', () => send({ run, json: '', rows: sink.rows }))
  stream.once('close', () => relays.delete(run))
}

function take(run: number): void {
  const relay = relays.get(run)
  if (relay !== undefined && --relay.ahead < ahead) relay.stream?.resume()
}

function send(message: FromProcess, then: () => void = () => undefined): void {
  process.send?.(message, undefined, undefined, () => then())
}

/** By then the jobs are settled. */
function end(last: FromProcess): void {
  isEnding = true
  setImmediate(() => send(last, die))
}

/** Killed, not exited: an exit would wait for the thread. */
function die(): void {
  process.kill(process.pid, 'SIGKILL')
}
