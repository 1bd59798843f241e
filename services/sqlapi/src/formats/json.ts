/** Rows as a JSON array of objects, one a row. */
import { jsonType } from '../json/body.ts'
import { quote } from '../json/quote.ts'
import type { RowFormat } from './format.ts'

const asIs = (text: string): string => text

export const json: RowFormat = {
  mediaType: jsonType,
  nothing: '[]',
  layout: (keys) => ({
    start: '[',
    between: ',',
    before: keys.map((key, index) => `${index === 0 ? '{' : ','}${quote(key)}:`),
    rowEnd: keys.length === 0 ? '{}' : '}',
    end: ']',
    empty: '[]',
  }),
  values: {
    null: 'null',
    json: asIs,
    plain: quote,
    text: quote,
    typedJson: (type, text) => `{"type":"${type}","value":${quote(text)}}`,
  },
}
