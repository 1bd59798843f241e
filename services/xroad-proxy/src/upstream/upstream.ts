/**
 * Outbound calls: a call goes out, its response comes back whole (`collect`) or as it arrives (`stream`). Owns who
 * waits for which connection, and how many calls may run. Knows nothing of SOAP, DSL files or X-Road.
 *
 * Follows no redirect, decompresses nothing, sends no call twice.
 */
import type { LookupFunction } from 'node:net'
import type { ConnectionOptions, SecureContext } from 'node:tls'
import { Failure } from '../errors.ts'
import type { ResponseWriter } from '../model.ts'
import { type Call, closeWhenIdle, type Connection, createConnection, type Limits } from './client.ts'
import { type UpstreamResponse, Collected } from './collected.ts'
import { createConnector } from './connect.ts'
import { isUpload, type Way } from './upstream-call.ts'
import type { Room } from './room.ts'
import { type Outcome, Streamed } from './streamed.ts'
import { Turns } from './turns.ts'

export type { UpstreamResponse, Call, Limits, Outcome }

export interface Upstream {
  /** The whole response, whatever its status. */
  collect(call: Call, writer: ResponseWriter, room?: Room): Promise<UpstreamResponse>
  /** Status, headers and body as they come; ends with the response. Rejects when the response cannot be given whole. */
  stream(call: Call, writer: ResponseWriter, room?: Room): Promise<Outcome>
  /** Connections, and calls that wait for one. */
  load(): UpstreamLoad
  /**
   * When the head of the last answer came, of whatever status, by the clock of `performance`; -Infinity without one.
   * Noted from the first time on that it is asked, so that calls pay nothing for it where nobody does.
   */
  lastAnswer(): number
  /** From now on each connection ends as soon as it is idle; calls are taken as before. */
  retire(): void
  close(): Promise<void>
}

export interface UpstreamLoad {
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

export interface UpstreamOptions extends Limits {
  /** Of the call that may take longest, where calls have limits of their own. */
  readonly longestSeconds?: number
  /** TLS settings, identity included; asked for with the first connection. */
  readonly secureContext: () => SecureContext
  /**
   * Replaces the name resolution of the system, and may refuse a name; with it, no address in a blocked range is
   * called.
   */
  readonly lookup?: LookupFunction
  /** Replaces the comparison of the server's certificate with its host. */
  readonly checkServer?: ConnectionOptions['checkServerIdentity']
}

/** Connections to one origin. Further calls wait for one, with their clock running. */
const maxConnections = 256
/** Calls that are in progress or waiting, over all origins. */
const maxCalls = 4096
/** Calls of them whose uploads are still arriving: nobody knows whether those ever end. */
const maxUploads = maxCalls / 2

export function openUpstream(options: UpstreamOptions): Upstream {
  const ways = new Map<string, Way>()
  const load: Way['load'] = { calls: 0, uploads: 0, lastAnswer: undefined }
  let isRetired = false

  const findWay = (call: Call): Way => {
    const { origin } = call
    if (load.calls >= maxCalls) throw new Failure('internal_error', `more than ${maxCalls} calls are under way`)
    if (load.uploads >= maxUploads && isUpload(call)) {
      throw new Failure('internal_error', `more than ${maxUploads} uploads are under way`)
    }
    let way = ways.get(origin)
    if (way === undefined) {
      ways.set(origin, (way = { turns: openOrigin(origin, options), limits: options, load, namesIds: false }))
      if (isRetired) way.turns.retire(closeWhenIdle)
    }
    return way
  }

  return {
    collect: (call, writer, room) => new Collected(findWay(call), call, writer, room).run(),
    stream: (call, writer, room) => new Streamed(findWay(call), call, writer, room).run(),
    load() {
      const all = { busy: 0, idle: 0, waiting: 0 }
      for (const { turns } of ways.values()) {
        const { busy, idle, waiting } = turns.load
        all.busy += busy
        all.idle += idle
        all.waiting += waiting
      }
      return all
    },
    lastAnswer: () => (load.lastAnswer ??= -Infinity),
    retire() {
      isRetired = true
      for (const { turns } of ways.values()) turns.retire(closeWhenIdle)
    },
    async close() {
      const connections = [...ways.values()].flatMap(({ turns }) => turns.things)
      await Promise.all(connections.map(({ client }) => client.destroy()))
    },
  }
}

function openOrigin(origin: string, options: UpstreamOptions): Turns<Connection> {
  const { secureContext, timeoutSeconds, longestSeconds = timeoutSeconds, lookup, checkServer } = options
  const connect = createConnector({
    secureContext: origin.startsWith('https:') ? secureContext() : undefined,
    timeoutMs: longestSeconds * 1000,
    lookup,
    checkServer,
  })
  return new Turns(maxConnections, () => createConnection(origin, connect))
}

/** For calls of our own, whose response goes to no caller. */
export function withoutCaller(): ResponseWriter {
  return {
    isOpen: true,
    hasBegun: false,
    status: 0,
    bytes: 0,
    onGone: undefined,
    send: () => undefined,
    begin: () => undefined,
    write: () => true,
    end: () => undefined,
    breakOff: () => undefined,
  }
}
