/**
 * The two pools of a SQLite datasource. Readers run in parallel; there is a single writer, because SQLite has one at a
 * time and waiting in our queue is cheaper than waiting for its lock. With one connection both are the same pool.
 */
import type { DatabaseLoad, DatasourceMeter } from '../../../metering.ts'
import type { DatabaseOptions } from '../../options.ts'
import { Pool } from '../../pool/pool.ts'
import { depth } from '../claims.ts'
import type { Workplace } from './workplace.ts'

export type PoolsOptions = Pick<
  DatabaseOptions,
  'name' | 'maxConnections' | 'poolSize' | 'acquireTimeoutSeconds' | 'meter' | 'reach'
>

type Open = (broken: () => void) => Promise<Workplace>

export class Pools {
  readonly readers: Pool<Workplace>
  readonly writer: Pool<Workplace>

  constructor(options: PoolsOptions, open: Open) {
    const { poolSize } = options
    this.readers = openPool(options, Math.max(1, poolSize - 1), open)
    this.writer = poolSize === 1 ? this.readers : openPool(options, 1, open)
  }

  get load(): DatabaseLoad {
    return this.writer === this.readers ? this.readers.load : sumOf(this.readers.load, this.writer.load)
  }

  get lastSuccess(): number {
    return Math.max(this.readers.lastSuccess, this.writer.lastSuccess)
  }

  /** Ends every connection that is open now. */
  async renew(): Promise<void> {
    await Promise.all([this.readers.renew(), this.writer.renew()])
  }

  async close(): Promise<void> {
    await Promise.all([this.readers.close(), this.writer.close()])
  }
}

/** The same `cancel`; it is counted when the service measures. */
export function counted(cancel: () => void, meter: DatasourceMeter | undefined): () => void {
  if (meter === undefined) return cancel
  return () => {
    meter.cancelled()
    cancel()
  }
}

function openPool(options: PoolsOptions, max: number, open: Open): Pool<Workplace> {
  const { name, maxConnections, acquireTimeoutSeconds, meter, reach } = options
  return new Pool({ name, max, maxConnections, acquireTimeoutSeconds, depth, open, meter, reach })
}

function sumOf(a: DatabaseLoad, b: DatabaseLoad): DatabaseLoad {
  const connections = { ...a.connections }
  for (const state of Object.keys(connections) as (keyof typeof connections)[]) {
    connections[state] += b.connections[state]
  }
  return { connections, waiting: a.waiting + b.waiting }
}
