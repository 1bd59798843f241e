/** The program of the two processes of pair.ts: starts and closes services as it is told. */
import { createServer } from 'node:net'
import type { StartupFailure } from '../../../src/errors.ts'
import { openEvents } from '../../../src/events.ts'
import { type RunningService, startService } from '../../../src/service.ts'
import { type Assignment, unpack } from '../../../src/workers/assignments.ts'

export interface Order {
  readonly id: number
  /** Without one the service is closed. */
  readonly assignment: Assignment | undefined
}

export type Told =
  | { readonly id: number; readonly what: 'line'; readonly line: string }
  | { readonly id: number; readonly what: 'listening'; readonly port: number }
  | { readonly id: number; readonly what: 'failure'; readonly name: string; readonly message: string }
  | { readonly id: number; readonly what: 'closed' }

const services = new Map<number, RunningService>()

// While one listens, the later ones are counted on: see pair.ts.
createServer().listen(0, '127.0.0.1')

process.on('message', (order: Order) => void obey(order).then((told) => tell(told)))

async function obey({ id, assignment }: Order): Promise<Told> {
  if (assignment === undefined) {
    await services.get(id)?.close()
    services.delete(id)
    return { id, what: 'closed' }
  }
  const destination = { write: (line: string) => tell({ id, what: 'line', line }) }
  try {
    const service = await startService(unpack(assignment), openEvents(assignment.config.logging, destination))
    services.set(id, service)
    return { id, what: 'listening', port: service.port }
  } catch (error) {
    const { name, message } = error as StartupFailure
    return { id, what: 'failure', name, message }
  }
}

function tell(told: Told): void {
  process.send?.(told)
}
