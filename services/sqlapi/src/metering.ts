/** What databases report about their work: types only. measure/ counts it, admin/ asks; a database knows neither. */

export type ConnectionState = 'idle' | 'shared' | 'alone' | 'cleaning' | 'opening' | 'closing'

export interface DatabaseLoad {
  readonly connections: Readonly<Record<ConnectionState, number>>
  /** Calls that wait for a connection. */
  readonly waiting: number
}

/** A replica of a datasource, in this process. */
export interface ReplicaLoad {
  readonly name: string
  load(): DatabaseLoad
  /** Reads go there. */
  readonly isUsed: boolean
  /** How far it is behind the first server; undefined where it cannot be asked. */
  readonly lagBytes: number | undefined
  /** Calls that it could not do, and that the first server then did. */
  readonly retries: number
}

/** Measures calls. Called with every job, so it must not throw, and should allocate nothing. */
export interface CallMeter {
  /** A call has waited `ms` for a connection, and has one or is refused. */
  waited(ms: number): void
  /** A statement gave this many rows. */
  gave(rows: number): void
}

/** Measures all calls of a datasource. */
export interface DatasourceMeter extends CallMeter {
  /** A call is done. Undefined where its time says nothing; `isShared` with others on its connection. */
  ran(ms: number | undefined, isShared: boolean): void
  /** A transaction was rolled back. */
  rolledBack(): void
  /** The database was asked to stop a statement. */
  cancelled(): void
}

/** Hears whether connections can be had. Must not throw. */
export interface ReachListener {
  /** A connection was opened. */
  opened(): void
  /** None could be, and there is no other. */
  unreachable(error: unknown): void
}

/** Asks whether a database answers, over a connection beside its pool. */
export interface Probe {
  /** Rejects where it does not. One question at a time; ends soon after `signal` is aborted. */
  ask(signal: AbortSignal): Promise<void>
  close(): void
}
