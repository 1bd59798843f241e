/** What a scenario is: the requests with their right answers, how they are sent, and who takes part. */
import type { RaceMerit } from '@services/bench'

export type RustName = 'rust-1' | 'rust-3' | 'rust-10'
export type ContenderName = 'sqlapi' | 'floor' | RustName | 'go' | 'toolbox' | 'pgbench' | 'constant' | 'fastify'

/** As they are called in tables. */
export const contenderTitles: Readonly<Record<ContenderName, string>> = {
  sqlapi: 'sqlapi',
  floor: 'floor',
  'rust-1': 'Rust, 1 connection',
  'rust-3': 'Rust, 3 connections',
  'rust-10': 'Rust, 10 connections',
  go: 'Go',
  toolbox: 'MCP Toolbox',
  pgbench: 'pgbench',
  constant: 'constant',
  fastify: 'Fastify constant',
}

/** A project of `tree/sql`, and the datasource of the same name: PostgreSQL, SQLite. */
export type Project = 'bench' | 'lite'

export interface Request {
  readonly method: 'GET' | 'POST'
  /** The endpoint. Its statement, as one would write it by hand, is in statements.ts. */
  readonly path: string
  /** The query string of a GET, the body of a POST. */
  readonly input: Readonly<Record<string, unknown>>
  /** The right answer of sqlapi, to the byte. Others have to mean the same. */
  readonly expected: string
  /** It has to fail: sqlapi with 400 and `expected`, others with words among which are these. */
  readonly refusal?: RegExp
  /** Rows that it adds to the table `note`. */
  readonly added?: number
  /** Takes a second, so its time is not counted among those of the others. */
  readonly isSlow?: true
}

export interface Callers {
  readonly connections: number
  /** Taken in turns. */
  readonly requests: readonly Request[]
}

export interface Scenario extends Callers {
  readonly name: string
  readonly title: string
  readonly project: Project
  /** A closed loop if left out: each connection sends its next request when it has its answer. */
  readonly ratePerSecond?: number
  /** Others who call at the same time. A round is driven without them first. */
  readonly beside?: Callers
  readonly contenders: readonly ContenderName[]
  /** Whom the ratios are to. */
  readonly reference: ContenderName
  readonly merit: RaceMerit
}
