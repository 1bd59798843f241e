/**
 * What every kind of database can do, as the service sees it: work goes in, results and descriptions come out. A type
 * only; postgres/postgres.ts and sqlite/sqlite.ts are the kinds, open.ts makes one of a datasource's settings.
 */
import type { CatalogNames, DescribeOptions, StatementDescription, StatementPlan } from '../description.ts'
import type { DatabaseLoad, ReplicaLoad } from '../metering.ts'
import type { Dialect, Result, Script, Statement, Work } from '../model.ts'

/** One configured datasource, whatever its kind: the only thing that `serve/` knows of databases. */
export interface Database {
  readonly dialect: Dialect
  /**
   * Runs the work and gives its result: the rows in the format that is wanted, or for a batch an array of results.
   * Throws a `Failure` for everything that the client may be told, unless the result has become a stream.
   */
  run(work: Work): Promise<Result>
  /** What callers of a file with this script get, where no call of it can be served. */
  refusalOf?(script: Script): string | undefined
  /**
   * Asks about the statements of scripts without running any: for each script a description of each statement. Takes
   * one connection for as long as that lasts, so ask about many scripts in portions. Leaves nothing
   * behind. Rejects with the reason when the database cannot be asked.
   */
  describe(scripts: readonly Script[], options?: DescribeOptions): Promise<readonly (readonly StatementDescription[])[]>
  /**
   * What there is, so that a misspelled name can be told. Rejects with the reason when the database cannot be asked.
   */
  names(): Promise<CatalogNames>
  /**
   * Has plans made of statements that can be prepared. Runs none, but a database may call immutable functions to make a
   * plan. Leaves nothing behind. Rejects with the reason when the database cannot be asked.
   */
  plans(statements: readonly Statement[]): Promise<readonly StatementPlan[]>
  /** Connects once, to tell at start whether the database can be reached. Rejects with the reason. */
  probe(): Promise<void>
  /** How busy it is, in this process. */
  load(): DatabaseLoad
  /** When work last succeeded, by the clock of `performance`; -Infinity before. */
  readonly lastSuccess: number
  /** Where it has any. */
  readonly replicas?: readonly ReplicaLoad[]
  /** Lets running work end, then closes every connection. */
  close(): Promise<void>
}
