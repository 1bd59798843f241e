/** The `Accept` header of a request -> the format of its rows. What is not known, or nothing, means JSON. */
import { chooseMediaType, type Offer } from '@services/content-coding/media-type'
import { formats } from '../../formats/formats.ts'
import type { FormatName } from '../../model.ts'

export type FormatChooser = (accept: string | undefined) => FormatName

const charset = 'charset=utf-8'

interface FormatOffer extends Offer {
  readonly name: FormatName
}

/**
 * What is true of each format, whether its media type says so or not. JSON comes first: where a client likes all of
 * them as well, it gets that.
 */
const parametersOf: Readonly<Record<FormatName, readonly string[]>> = {
  json: [charset],
  csv: [charset, 'header=present'],
  ndjson: [charset],
}

const offers = (Object.keys(parametersOf) as FormatName[]).map((name): FormatOffer => {
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
