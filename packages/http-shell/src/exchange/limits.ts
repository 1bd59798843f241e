/**
 * The limits of the HTTP server that no configuration changes, and the defaults of those that a configuration may
 * change.
 */

/** A request line and headers together; query strings carry parameters, so more than Node's default of 16 KiB. */
export const maxHeadBytes = 64 * 1024
/** Longer than the idle time of common load balancers, so that they close the connection first. */
export const keepAliveMs = 65_000
/** An upload this small is read to its end although nobody wants it, so that the connection can be used again. */
export const smallUploadBytes = 64 * 1024
/**
 * A body that waits for room is read on up to this size: a small one is then known to be complete, and a client that
 * leaves is noticed.
 */
export const readAheadBytes = 64 * 1024
/** How long the rest of a larger upload is read and dropped, so that the client gets to read its answer. */
export const drainMs = 2000
/** A client has to take this many bytes of its answers in `stallMs`, or all of them. */
export const stallBytes = 64 * 1024
/**
 * Each connection may have this many requests in progress, whatever others do. Beyond that, all connections share one
 * number: how long answers get is not known when their requests begin, and a client may never read them.
 */
export const fewRequests = 4

export interface ConnectionLimits {
  /**
   * Requests of a connection that have begun and are not answered; as many more than `fewRequests` of each in all
   * connections.
   */
  readonly maxPipelinedRequests: number
  /** Bytes of whole answers that the client has not taken; past it no further request begins. */
  readonly maxUnsentBytes: number
  /** A client that takes less than `stallBytes` in this time is disconnected. */
  readonly stallMs: number
  /** How long nothing is written to a client that has ended its side before the server asks whether it is there. */
  readonly halfOpenMs: number
  /** How long a head may take to arrive. */
  readonly headMs: number
  /** How long a connection may be idle, as answers promise it. */
  readonly keepAliveMs: number
}

export const defaultLimits: ConnectionLimits = {
  maxPipelinedRequests: 64,
  maxUnsentBytes: 1024 * 1024,
  stallMs: 10_000,
  halfOpenMs: 750,
  headMs: 60_000,
  keepAliveMs,
}
