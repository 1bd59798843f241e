/** Whatever was thrown -> what the log says of it: where it came from, or at least what it is. */
export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}
