/**
 * Whether a replica may take reads: what it and the first server say of themselves in, a reason not to use it out.
 * Pure; replica-watch.ts asks.
 */

/** What a server says of itself and of how far it is. Places in the log (LSN) count in bytes. */
export interface Position {
  readonly isStandby: boolean
  /** When it was started, to tell servers apart. */
  readonly startedAt: string
  /** Up to where it shows what was written. */
  readonly at: bigint
  /** Up to where a standby has got the log; it may not have replayed all of that. */
  readonly received: bigint
  /** A standby gets the log as it is written. */
  readonly isStreaming: boolean
}

/** One row of texts. Every user who may connect may ask it. */
export const positionQuery = `SELECT pg_is_in_recovery()::text, extract(epoch FROM pg_postmaster_start_time())::text,
  (coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, '0/0') - '0/0')::text,
  (coalesce(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() END, '0/0') - '0/0')::text,
  EXISTS (SELECT FROM pg_stat_wal_receiver)::text`

export function readPosition(row: readonly (string | null)[] | undefined): Position {
  const [isStandby, startedAt, at, received, isStreaming] = row ?? []
  return {
    isStandby: isStandby === 'true',
    startedAt: startedAt ?? '',
    at: BigInt(at ?? 0),
    received: BigInt(received ?? 0),
    isStreaming: isStreaming === 'true',
  }
}

export interface Judgement {
  readonly lagBytes: number
  /** Why it must not be used, to follow its name. */
  readonly reason: string | undefined
}

/** `first` is what is known of the first server; it may have been lost since. */
export function judgeReplica(replica: Position, first: Position | undefined, maxLagBytes: number): Judgement {
  if (!replica.isStandby) {
    // Behind an address that follows the standby, while there is none.
    const isFirst = first !== undefined && replica.startedAt === first.startedAt
    return { lagBytes: 0, reason: isFirst ? undefined : 'is not a standby' }
  }
  const written = first !== undefined && first.at > replica.received ? first.at : replica.received
  const lagBytes = written > replica.at ? Number(written - replica.at) : 0
  if (!replica.isStreaming) return { lagBytes, reason: 'is cut off from its primary' }
  const isBehind = lagBytes > maxLagBytes
  return {
    lagBytes,
    reason: isBehind ? `is ${lagBytes} bytes behind (max_replica_lag_bytes ${maxLagBytes})` : undefined,
  }
}

/**
 * What becomes of work that a replica has failed. `always`: a standby cannot run this statement, so from now on the
 * first does. `once`: it could, but not now. What is not here is reported like any other error.
 */
const states: readonly (readonly [prefix: string, next: 'always' | 'once'])[] = [
  // It writes, by way of a function that does not show it.
  ['25006', 'always'],
  // Unlogged tables; what is not there during recovery.
  ['0A000', 'always'],
  ['55000', 'always'],
  // What it reads is being replayed away, or a lock of the replay is in its way.
  ['40001', 'once'],
  ['40P01', 'once'],
  // A table that is new may not have come here yet.
  ['42', 'once'],
  ['3F000', 'once'],
]

export function nextOf(sqlstate: string | undefined): 'always' | 'once' | undefined {
  return states.find(([prefix]) => sqlstate?.startsWith(prefix))?.[1]
}

/** As the configuration names it; labels of metrics and messages have it too. */
export function replicaName(datasource: string, index: number): string {
  return `${datasource}.replicas[${index}]`
}
