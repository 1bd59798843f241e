/** A database that is thrown away, and its copies: what the kinds of databases give, and what tests use. Types only. */

export interface PreparedDatabase {
  /** Where the copies are, in words. */
  readonly where: string
  /** Rejects with the reason. */
  copy(): Promise<DatabaseCopy>
  /** Removes what was prepared; copies are removed before. */
  remove(): Promise<void>
}

export interface DatabaseCopy {
  readonly url: string
  remove(): Promise<void>
}
