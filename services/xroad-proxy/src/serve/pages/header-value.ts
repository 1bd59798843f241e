/** Raw headers and a name in lower case -> the value, where there is one. */
import type { RawHeaders } from '../../model.ts'

/** Lines of one name are one list. */
export function valueOf(headers: RawHeaders, name: string): string | undefined {
  const values = headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name)
  return values.length === 0 ? undefined : values.join(',')
}
