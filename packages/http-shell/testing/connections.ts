/** What tests of a service on this shell ask of its connections. */
import { ok } from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { call, Wire } from '@services/testing'

const longestMs = 300_000

/** Fails where the head or the whole of a request may take for ever. For a server of this process, read by Node.js. */
export async function checkRequestLimits(port: number): Promise<void> {
  const seen: Server[] = []
  const notice = (message: unknown): void => void seen.push((message as { server: Server }).server)
  diagnostics.subscribe('http.server.request.start', notice)
  await call(port, '/')
  diagnostics.unsubscribe('http.server.request.start', notice)
  const [{ headersTimeout, requestTimeout } = { headersTimeout: 0, requestTimeout: 0 }] = seen
  for (const limit of [headersTimeout, requestTimeout]) ok(limit > 0 && limit <= longestMs, `${limit}`)
}

/** Clients that ask for a tunnel, and reset their connection at once or somewhat later. */
export async function resetTunnels(port: number): Promise<void> {
  for (const delayMs of [0, 5, 20, 60]) {
    const wire = await Wire.open(port)
    wire.write('CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n')
    await pause(delayMs)
    wire.socket.resetAndDestroy()
  }
}
