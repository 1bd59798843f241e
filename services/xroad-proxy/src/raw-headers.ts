/** Raw headers, names and values in turn -> the values of one name, which comes in lower case. Pure. */
import type { RawHeaders } from './model.ts'

export function headerValues(headers: RawHeaders, name: string): readonly string[] {
  return headers.filter((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name)
}

/** Lines of one name are one list; undefined where there are none. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  const values = headerValues(headers, name)
  return values.length === 0 ? undefined : values.join(',')
}
