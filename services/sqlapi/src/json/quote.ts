/**
 * Text of a database -> JSON. Halves of surrogate pairs come out escaped, so the result is valid UTF-8 whatever a
 * column holds.
 */

/** The text as a JSON string, with its quotes. Measured: no own look for a text without escapes is faster. */
export function quote(text: string): string {
  return JSON.stringify(text)
}
