/**
 * How the rows of a result are written as text, whichever database they come from: what is around the values, and
 * how a value of each kind is written. A database reads rows and hands values over; it never writes a bracket or a
 * quote of its own.
 */

export interface RowFormat {
  /** As `Content-Type` has it. */
  readonly mediaType: string
  /** The result of a call that has no result set. */
  readonly nothing: string
  /** What is around the values of a result with these keys. Called once for each result shape, not for each row. */
  layout(keys: readonly string[]): Layout
  readonly values: ValueWriters
}

/** `start before[0] VALUE before[1] VALUE .. rowEnd between before[0] VALUE .. rowEnd end`. */
export interface Layout {
  /** In front of the first row. */
  readonly start: string
  /** In front of any other row. */
  readonly between: string
  /** In front of each value of a row. */
  readonly before: readonly string[]
  readonly rowEnd: string
  /** Behind the last row. */
  readonly end: string
  /** The whole of a result that has no row. */
  readonly empty: string
}

/** A value's text -> as it is in the result. */
export interface ValueWriters {
  readonly null: string
  /**
   * What is JSON already, for JSON and for formats without a form of their own: a number, `true`, `false`, an array, an
   * object.
   */
  readonly json: WriteText
  /** Text that holds no quote, no backslash and no control character: a date, a UUID, base64. */
  readonly plain: WriteText
  /** Any text. */
  readonly text: WriteText
  /** JSON in the predecessor's shape: as a text beside the name of its type. */
  readonly typedJson: (type: string, text: string) => string
}

type WriteText = (text: string) => string
