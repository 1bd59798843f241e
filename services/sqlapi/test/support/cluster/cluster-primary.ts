/**
 * The first process of a bare cluster, for untaken.test.ts. It prints the port and the process id of its only worker,
 * and lives on when that has ended. With the argument `close` it closes connections that the worker did not take.
 */
import cluster from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Untaken } from '../../../src/workers/untaken.ts'

if (cluster.isPrimary) {
  cluster.schedulingPolicy = cluster.SCHED_RR
  const worker = cluster.fork()
  if (process.argv.includes('close')) new Untaken().watch(worker.process)
  const [{ port }] = (await once(worker, 'listening')) as [AddressInfo]
  worker.process.once('exit', () => process.stdout.write('the worker has ended\n'))
  process.stdout.write(`listening port=${port} worker=${worker.process.pid}\n`)
  // Keeps it alive without a worker, too. An accepted connection is handed over at once.
  let isAccepted = false
  setInterval(() => {
    if (isAccepted || !process.getActiveResourcesInfo().includes('TCPSocketWrap')) return
    isAccepted = true
    process.stdout.write('accepted\n')
  }, 10)
} else {
  createServer((socket) => socket.end('taken')).listen(0, '127.0.0.1')
}
