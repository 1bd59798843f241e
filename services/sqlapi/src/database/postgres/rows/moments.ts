/**
 * The text of a timestamptz as PostgreSQL prints it -> the form of RFC 3339, which programs can read: a `T` before the
 * time, and an offset with minutes or `Z` behind it. Pure. Where a value's bytes are only copied, json-bytes.ts does
 * the same.
 */

const printed = /^(\d+-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

/** What is not in ISO form (the infinities, another DateStyle of the file) stays as it is. */
export function toMoment(text: string): string {
  const found = printed.exec(text)
  if (found === null) return text
  const [, day = '', time = '', fraction = '', sign, hours, minutes = '00', seconds, era = ''] = found
  if (seconds !== undefined) return toWholeMinutes(found)
  const zone = hours === '00' && minutes === '00' ? 'Z' : `${sign}${hours}:${minutes}`
  return `${day}T${time}${fraction}${zone}${era}`
}

/**
 * Of an offset with seconds, which only local mean times of long ago have: the same moment with the nearest offset that
 * can be written (RFC 3339, section 5.8, has such an example).
 */
function toWholeMinutes([
  ,
  day = '',
  time = '',
  fraction = '',
  sign,
  hours,
  minutes,
  seconds,
  era,
]: RegExpExecArray): string {
  const exact = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const nearest = Math.round(exact / 60)
  const shift = (nearest * 60 - exact) * (sign === '-' ? -1 : 1)
  const year = Number(day.slice(0, -6)) * (era === undefined ? 1 : -1) + (era === undefined ? 0 : 1)
  // The calendar repeats after 400 years, and Date has no year of more than six digits.
  const like = 2000 + (year % 400)
  const moved = new Date(Date.parse(`${like}${day.slice(-6)}T${time}Z`) + shift * 1000)
  const movedYear = year + moved.getUTCFullYear() - like
  const shown = String(movedYear > 0 ? movedYear : 1 - movedYear).padStart(4, '0')
  const zone = nearest === 0 ? 'Z' : `${sign}${twoDigits(Math.trunc(nearest / 60))}:${twoDigits(nearest % 60)}`
  return `${shown}${moved.toISOString().slice(4, 19)}${fraction}${zone}${movedYear > 0 ? '' : ' BC'}`
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
