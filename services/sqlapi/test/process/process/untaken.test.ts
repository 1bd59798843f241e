/**
 * A connection on its way to a worker that is killed: what node:cluster does with it, and what src/workers/untaken.ts
 * adds.
 */
import { strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { newFolder, spawnProcess } from '@services/testing'

const primary = join(import.meta.dirname, '../../support/cluster/cluster-primary.ts')
const skip = process.platform === 'win32' && 'Windows has no SIGSTOP'

/** What becomes of the connection in the time after the worker's end. */
async function fateOf(args: readonly string[], graceMs: number): Promise<'closed' | 'open'> {
  const cluster = spawnProcess({ cwd: newFolder(), command: [process.execPath, primary], args })
  const [, port, worker] = /port=(\d+) worker=(\d+)/.exec(await cluster.line(/listening/)) ?? []
  process.kill(Number(worker), 'SIGSTOP')
  const socket = connect(Number(port), '127.0.0.1')
  const closed = once(socket.resume(), 'close').then(() => 'closed' as const)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  await cluster.line(/accepted/)
  process.kill(Number(worker), 'SIGKILL')
  await cluster.line(/the worker has ended/)
  const fate = await Promise.race([closed, wait(graceMs, 'open' as const, { ref: false })])
  socket.destroy()
  cluster.child.kill('SIGKILL')
  await cluster.ended
  return fate
}

describe('a connection that a worker did not take', { skip, concurrency: true }, () => {
  test('node:cluster leaves it open: once it does not, src/workers/untaken.ts can go [H2]', async () => {
    strictEqual(await fateOf([], 2000), 'open')
  })

  test('it is closed [D7.3]', async () => {
    strictEqual(await fateOf(['close'], 60_000), 'closed')
  })
})
