/** Rows as JSON objects, one a line, each line ended by a line feed. */
import { json } from './json.ts'
import type { RowFormat } from './format.ts'

export const ndjson: RowFormat = {
  mediaType: 'application/x-ndjson',
  nothing: '',
  layout(keys) {
    const { before, rowEnd } = json.layout(keys)
    return { start: '', between: '', before, rowEnd: `${rowEnd}\n`, end: '', empty: '' }
  },
  values: { ...json.values, json: toOneLine },
}

/** In JSON a line break is only where white space may: inside of texts it is escaped. */
function toOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replaceAll(/[\r\n]/g, ' ') : text
}
