/**
 * Rows as CSV (RFC 4180): a line of keys, then a line for each row, all of them ended by CR LF. A null is an empty
 * cell, an empty text is `""`; JSON is there as text. What a spreadsheet makes of a cell is not looked at: the text
 * stays what it is.
 */
import type { RowFormat } from './format.ts'

const lineEnd = '\r\n'
const special = /[",\r\n]/

export const csv: RowFormat = {
  mediaType: 'text/csv; charset=utf-8',
  nothing: '',
  layout(keys) {
    const header = keys.map(toCell).join(',') + lineEnd
    return {
      start: header,
      between: '',
      before: keys.map((_, index) => (index === 0 ? '' : ',')),
      rowEnd: lineEnd,
      end: '',
      empty: header,
    }
  },
  values: { null: '', json: toCell, plain: toCell, text: toCell, typedJson: (_, text) => toCell(text) },
}

function toCell(text: string): string {
  return text === '' || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
