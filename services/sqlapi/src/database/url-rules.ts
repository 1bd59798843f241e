/**
 * What the URLs of a kind of database look like: the shape of a row that each kind fills in its `url.ts`. Types only.
 */

export interface UrlRules {
  /** How its URLs begin, in lower case. */
  readonly prefixes: readonly string[]
  /** A user and a password may be in front of a host. */
  readonly hasLogin: boolean
  /** What is wrong with this kind of URL in particular, in words that hold nothing of it. */
  problemOf(url: string): string | undefined
  /** The same URL with one host instead of several, for readers that know of one only. */
  withOneHost(url: string): string
  /** Every parameter that the database or its driver knows. No other is allowed. */
  readonly parameters: Readonly<Record<string, ParameterRule>>
  /** Those that name files with which a connection logs in. */
  readonly fileParameters: readonly string[]
  /** Parameters that do not go together, each with a cure, in words that hold no value. */
  conflictsOf(query: URLSearchParams): readonly string[]
  /** Parameters that cannot be honoured where each transaction has another connection, likewise. */
  pooledConflictsOf(query: URLSearchParams): readonly string[]
  /**
   * What such a URL says without a word that its author may not mean, in words that hold nothing of it; undefined for
   * nothing.
   */
  hintOf(url: string): string | undefined
  /** Only one process can see the database. */
  isInMemory(url: string): boolean
}

export interface ParameterRule {
  /** Values that are honoured; undefined where every one is. */
  readonly values?: RegExp | 'none'
  /** What to do about any other. */
  readonly cure?: string
}
