/**
 * Dates, times and durations of XML Schema: whether a text is one that the calendar has, and which of two comes first.
 * A value without a zone may be meant in any zone, so that some values are in no order.
 */
import { withoutZerosBehind } from './decimals.ts'

export type MomentKind = 'dateTime' | 'date' | 'time' | 'gYear' | 'gYearMonth' | 'gMonth' | 'gMonthDay' | 'gDay'

export interface Moment {
  /** Since 1970 in UTC; of a value without a zone as if it were in UTC. */
  readonly minutes: number
  /** 0 to below 60, digits as they are written. */
  readonly seconds: string
  readonly isZoned: boolean
}

const year = String.raw`(?<year>-?(?:[1-9]\d{4,8}|\d{4}))`
const month = String.raw`(?<month>0[1-9]|1[0-2])`
const day = String.raw`(?<day>0[1-9]|[12]\d|3[01])`
const time = String.raw`(?:(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d(?:\.\d+)?)|(?<midnight>24:00:00(?:\.0+)?))`
const zone = String.raw`(?<zone>Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?`

const expressions: Readonly<Record<MomentKind, RegExp>> = {
  dateTime: new RegExp(`^${year}-${month}-${day}T${time}${zone}$`),
  date: new RegExp(`^${year}-${month}-${day}${zone}$`),
  time: new RegExp(`^${time}${zone}$`),
  gYear: new RegExp(`^${year}${zone}$`),
  gYearMonth: new RegExp(`^${year}-${month}${zone}$`),
  gMonth: new RegExp(`^--${month}${zone}$`),
  gMonthDay: new RegExp(`^--${month}-${day}${zone}$`),
  gDay: new RegExp(`^---${day}${zone}$`),
}

/** A leap year, so that each day of a year is there. */
const anyYear = '1972'

/** Undefined for a text that is not one, such as 2026-02-30. */
export function readMoment(kind: MomentKind, text: string): Moment | undefined {
  const groups = expressions[kind].exec(text)?.groups
  if (groups === undefined) return undefined
  const { year = anyYear, month = '01', day = '01', hour = '00', minute = '00', second = '00' } = groups
  // There is no year 0: the one before 1 is -1.
  if (/^-?0000$/.test(year)) return undefined
  const counted = Number(year) < 0 ? Number(year) + 1 : Number(year)
  if (Number(day) > daysIn(counted, Number(month))) return undefined
  const days = daysBefore(counted, Number(month)) + Number(day) - 1 + (groups['midnight'] === undefined ? 0 : 1)
  const { zone } = groups
  return {
    minutes: days * 1440 + Number(hour) * 60 + Number(minute) - minutesOf(zone),
    seconds: secondsOf(second),
    isZoned: zone !== undefined,
  }
}

/** Below 0, 0, above 0; undefined where a zone would decide. */
export function compareMoments(a: Moment, b: Moment): number | undefined {
  if (a.isZoned === b.isZoned) return compareExactly(a, b)
  if (b.isZoned) return orderOf(a, b)
  const order = orderOf(b, a)
  return order === undefined ? undefined : -order
}

/** The same for two texts that are one moment. */
export function canonicalMoment({ minutes, seconds, isZoned }: Moment): string {
  return `${minutes} ${seconds}${isZoned ? 'Z' : ''}`
}

const widestZone = 14 * 60

/** Of a value without a zone and one with it: by 14 hours to either side. */
function orderOf(open: Moment, zoned: Moment): number | undefined {
  if (compareExactly({ ...open, minutes: open.minutes + widestZone }, zoned) < 0) return -1
  return compareExactly({ ...open, minutes: open.minutes - widestZone }, zoned) > 0 ? 1 : undefined
}

function compareExactly(a: Moment, b: Moment): number {
  if (a.minutes !== b.minutes) return a.minutes - b.minutes
  if (a.seconds === b.seconds) return 0
  return a.seconds < b.seconds ? -1 : 1
}

/** Without zeros at the end, which mean nothing. */
function secondsOf(text: string): string {
  const [whole = '', fraction = ''] = text.split('.')
  const digits = withoutZerosBehind(fraction)
  return digits === '' ? whole : `${whole}.${digits}`
}

function minutesOf(zone: string = 'Z'): number {
  if (zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  return zone.startsWith('-') ? -minutes : minutes
}

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

/** From 1 January 1970 to the first of a month, by the Gregorian calendar in both directions. */
function daysBefore(year: number, month: number): number {
  const before = year - 1
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  let days = before * 365 + leaps - 719_162
  for (let past = 1; past < month; past++) days += daysIn(year, past)
  return days
}

export interface Duration {
  readonly months: number
  readonly seconds: number
}

const duration =
  /^-?P(?=.)(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d+)?)S)?)?$/

export function readDuration(text: string): Duration | undefined {
  const found = duration.exec(text)
  if (found === null) return undefined
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0))
  const sign = text.startsWith('-') ? -1 : 1
  return {
    months: sign * (years * 12 + months),
    seconds: sign * (days * 86_400 + hours * 3600 + minutes * 60 + seconds),
  }
}

/** Dates that a duration is added to, of which XML Schema says that all have to agree: a month has 28 to 31 days. */
const references: readonly (readonly [year: number, month: number])[] = [
  [1696, 9],
  [1697, 2],
  [1903, 3],
  [1903, 7],
]

/** Below 0, 0, above 0; undefined where it depends on the month. */
export function compareDurations(a: Duration, b: Duration): number | undefined {
  const signs = references.map(([year, month]) => {
    const at = ({ months, seconds }: Duration): number => {
      const counted = year * 12 + month - 1 + months
      return daysBefore(Math.floor(counted / 12), (((counted % 12) + 12) % 12) + 1) * 86_400 + seconds
    }
    return Math.sign(at(a) - at(b))
  })
  return signs.every((sign) => sign === signs[0]) ? signs[0] : undefined
}
