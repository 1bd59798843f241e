/**
 * What a database says of a statement that it is asked about and does not run: types only. `database/` makes these
 * values; the check, the lock and the description of endpoints read them.
 */

/** A type as its database writes it: `numeric(10,2)`, `text[]`, on SQLite what the column was declared with. */
export interface DatabaseType {
  readonly name: string
  /** What it is made of where it is a domain, or an array of one. */
  readonly base?: string
  /** The labels of an enum, or of an array of enums, in their order. */
  readonly labels?: readonly string[]
  /** On SQLite: no value of another type can be in the column. */
  readonly isExact?: true
}

/** What a database wants instead of a parameter. */
export interface DescribedParameter {
  readonly name: string
  /** Unknown where the database takes anything, or wants different types in different places. */
  readonly type: DatabaseType | undefined
  /** It is alone in `IN (..)` or `ARRAY[..]`, so a list of such values is taken as well. */
  readonly isList: boolean
}

/** A column of a result. */
export interface DescribedColumn {
  /** The key that it has in a row; several columns may have one. */
  readonly key: string
  readonly column: string
  readonly type: DatabaseType | undefined
  /** `false` where the database never gives null; unknown otherwise. */
  readonly nullable: false | undefined
}

/** What is wrong with a statement that cannot run. */
export type Mistake =
  | 'syntax'
  | 'unknown-table'
  | 'unknown-column'
  | 'unknown-function'
  | 'unknown-name'
  | 'ambiguous'
  | 'type'
  | 'parameter-type'
  | 'permission'

/** What a database says of a statement that it did not run. */
export type StatementDescription =
  | {
      readonly outcome: 'described'
      /** In the order of the statement's `names`. */
      readonly parameters: readonly DescribedParameter[]
      /** Those of its result, in their order; undefined when it has none. */
      readonly columns: readonly DescribedColumn[] | undefined
      /** Why it may not run all the same; only where rights and names are looked up. */
      readonly doubt?: string | undefined
    }
  | {
      readonly outcome: 'failed'
      readonly mistake: Mistake
      /** SQLSTATE, or SQLite's number; undefined where no database was asked. */
      readonly code: string | undefined
      /** The database's own words. */
      readonly message: string
      readonly detail: string | undefined
      readonly hint: string | undefined
      /** In the file, 1-based; columns count code points. */
      readonly line: number
      readonly column: number
    }
  | {
      /** Whether it can run could not be found out. */
      readonly outcome: 'unchecked'
      readonly reason: string
    }

/** What a parser says of a statement where no database is asked. */
export type OfflineDescription = Extract<StatementDescription, { outcome: 'failed' }> | { readonly outcome: 'parsed' }

/** What a database has names for, so that a misspelled one can be told from them. */
export interface CatalogNames {
  /** Views too. With its schema where it is not found without. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[]
  readonly functions: readonly string[]
  /** Types and schemas. */
  readonly others: readonly string[]
}

/** A table that the plan of a statement reads from its beginning to its end. */
export interface TableScan {
  /** Its name, without a schema. */
  readonly table: string
  /** As the database estimates them. */
  readonly rows: number
}

/** What making the plan of a statement has said. */
export interface StatementPlan {
  readonly scans: readonly TableScan[]
  /** The statement can be prepared, and still cannot run. */
  readonly failure?: Extract<StatementDescription, { outcome: 'failed' }> | undefined
}

/** What is asked of a database that describes statements. */
export interface DescribeOptions {
  /**
   * Nobody wants to know which columns have the type of a value, or may be null: all have the type that a null gives
   * them, and may be null. It spares many questions.
   */
  readonly isRough?: boolean
  /** Rights, and names that a database does not look at before a statement runs, are looked up as well. */
  readonly looksUp?: boolean
}
