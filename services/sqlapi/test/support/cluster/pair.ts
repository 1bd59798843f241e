/**
 * Two processes that serve whatever a test starts, on one port, so that a few hundred services need not have two new
 * processes each. They divide the work as the workers of the service do; that these start and end as they should is for
 * workers.test.ts.
 */
import cluster, { type Worker } from 'node:cluster'
import { join } from 'node:path'
import { after } from 'node:test'
import type { Booted } from '../../../src/boot/boot.ts'
import { StartupFailure, type StartupFailureName } from '../../../src/errors.ts'
import { assign } from '../../../src/workers/assignments.ts'
import type { Order, Told } from './pair-worker.ts'

export interface Served {
  readonly port: number
  close(): Promise<void>
}

export interface Pair {
  /** `write` gets the log lines. */
  serve(booted: Booted, write: (line: string) => void): Promise<Served>
}

export function openPair(): Pair {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'pair-worker.ts'), args: [], serialization: 'advanced' })
  const workers = [cluster.fork(), cluster.fork()]
  after(() => {
    for (const worker of workers) worker.process.kill('SIGKILL')
  })
  let last: Promise<unknown> = Promise.resolve()
  let started = 0
  return {
    serve(booted, write) {
      // One after the other: port 0 is the same port in both only for the n-th to listen in each.
      const serving = last.then(() => serve(workers, ++started, booted, write))
      last = serving.catch(() => undefined)
      return serving
    },
  }
}

async function serve(
  workers: readonly Worker[],
  id: number,
  booted: Booted,
  write: (line: string) => void,
): Promise<Served> {
  const assignments = assign(booted)
  const onLine = (told: Told): void => {
    if (told.id === id && told.what === 'line') write(told.line)
  }
  for (const worker of workers) worker.on('message', onLine)
  const answers = await Promise.all(workers.map((worker, index) => ask(worker, { id, assignment: assignments[index] })))
  const ports = answers.map((told) => {
    if (told.what === 'failure') throw new StartupFailure(told.name as StartupFailureName, told.message)
    return told.what === 'listening' ? told.port : undefined
  })
  const [port = 0, other] = ports
  if (port !== other) throw new Error(`two ports: ${ports.join()}`)
  return {
    port,
    async close() {
      await Promise.all(workers.map((worker) => ask(worker, { id, assignment: undefined })))
      for (const worker of workers) worker.off('message', onLine)
    },
  }
}

/** The answer to an order, which is everything but a log line. */
function ask(worker: Worker, order: Order): Promise<Told> {
  const { promise, resolve } = Promise.withResolvers<Told>()
  const onMessage = (told: Told): void => {
    if (told.id !== order.id || told.what === 'line') return
    worker.off('message', onMessage)
    resolve(told)
  }
  worker.on('message', onMessage)
  worker.send(order)
  return promise
}
