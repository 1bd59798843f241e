/** The `Accept` header of a request -> the format of its rows. What is not known, or nothing, means JSON. */
import { chooseMediaType, type Offer } from '@services/content-coding/media-type'
import { formats } from '../../formats/formats.ts'
import type { FormatName } from '../../model.ts'

export type FormatChooser = (accept: string | undefined) => FormatName

interface FormatOffer extends Offer {
  readonly name: FormatName
}

/** JSON comes first: where a client likes all of them as well, it gets that. */
const order: readonly FormatName[] = ['json', 'csv', 'ndjson']

/** What is true of each of them, whether its media type says so or not. */
const charset = 'charset=utf-8'
const parametersOf: Readonly<Record<FormatName, readonly string[]>> = {
  json: [charset],
  csv: [charset, 'header=present'],
  ndjson: [charset],
}

const offers = order.map((name): FormatOffer => {
  const [type = ''] = formats[name].mediaType.split(';')
  return { name, type, parameters: parametersOf[name] }
})

/** Clients send the same header again and again, so the last one is remembered with what it means. */
export function createFormatChooser(): FormatChooser {
  let last = ''
  let chosen: FormatName = 'json'
  return (accept) => {
    if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
    if (accept === last) return chosen
    last = accept
    chosen = chooseMediaType(accept, offers)?.name ?? 'json'
    return chosen
  }
}
