/**
 * Dates, times and durations of XML Schema: whether a text is one that the calendar has, and which of two comes first.
 * A value without a zone may be meant in any zone, so that some values are in no order. Counts are exact, however many
 * digits a year has: XML Schema lets a processor limit them, and 1000 cost a few microseconds.
 */
import { withoutZerosBehind } from './decimals.ts'

export type MomentKind = 'dateTime' | 'date' | 'time' | 'gYear' | 'gYearMonth' | 'gMonth' | 'gMonthDay' | 'gDay'

export interface Moment {
  /** Since 1970 in UTC; of a value without a zone as if it were in UTC. */
  readonly minutes: bigint
  /** 0 to below 60, digits as they are written. */
  readonly seconds: string
  readonly isZoned: boolean
}

const year = String.raw`(?<year>-?(?:[1-9]\d{4,999}|\d{4}))`
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
  const counted = year.startsWith('-') ? BigInt(year) + 1n : BigInt(year)
  if (Number(day) > daysIn(counted, Number(month))) return undefined
  const nights = Number(day) - 1 + (groups['midnight'] === undefined ? 0 : 1)
  const { zone } = groups
  return {
    minutes:
      daysBefore(counted, Number(month)) * 1440n +
      BigInt(nights * 1440 + Number(hour) * 60 + Number(minute) - minutesOf(zone)),
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

const widestZone = 14n * 60n

/** Of a value without a zone and one with it: by 14 hours to either side. */
function orderOf(open: Moment, zoned: Moment): number | undefined {
  if (compareExactly({ ...open, minutes: open.minutes + widestZone }, zoned) < 0) return -1
  return compareExactly({ ...open, minutes: open.minutes - widestZone }, zoned) > 0 ? 1 : undefined
}

function compareExactly(a: Moment, b: Moment): number {
  if (a.minutes !== b.minutes) return a.minutes < b.minutes ? -1 : 1
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

function daysIn(year: bigint, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function isLeap(year: bigint): boolean {
  return year % 4n === 0n && (year % 100n !== 0n || year % 400n === 0n)
}

/** From 1 January 1970 to the first of a month, by the Gregorian calendar in both directions. */
function daysBefore(year: bigint, month: number): bigint {
  const before = year - 1n
  const leaps = floor(before, 4n) - floor(before, 100n) + floor(before, 400n)
  let days = 0
  for (let past = 1; past < month; past++) days += daysIn(year, past)
  return before * 365n + leaps - 719_162n + BigInt(days)
}

function floor(value: bigint, by: bigint): bigint {
  return (value - (((value % by) + by) % by)) / by
}

export interface Duration {
  readonly months: bigint
  /** Counted in as many digits after the point as `scale` says. */
  readonly seconds: bigint
  readonly scale: number
}

const digits = String.raw`\d{1,1000}`
const duration = new RegExp(
  `^-?P(?=.)(?:(${digits})Y)?(?:(${digits})M)?(?:(${digits})D)?` +
    `(?:T(?=.)(?:(${digits})H)?(?:(${digits})M)?(?:(${digits})(?:\\.(${digits}))?S)?)?$`,
)

export function readDuration(text: string): Duration | undefined {
  const found = duration.exec(text)
  if (found === null) return undefined
  const [years = 0n, months = 0n, days = 0n, hours = 0n, minutes = 0n, seconds = 0n] = found
    .slice(1, -1)
    .map((part) => BigInt(part ?? 0))
  const fraction = withoutZerosBehind(found.at(-1) ?? '')
  const sign = text.startsWith('-') ? -1n : 1n
  const whole = days * 86_400n + hours * 3600n + minutes * 60n + seconds
  return {
    months: sign * (years * 12n + months),
    seconds: sign * (scaled(whole, fraction.length) + BigInt(fraction)),
    scale: fraction.length,
  }
}

function scaled(seconds: bigint, by: number): bigint {
  return seconds * 10n ** BigInt(by)
}

/** The same for two texts that are one duration. */
export function canonicalDuration({ months, seconds, scale }: Duration): string {
  return `${months} ${seconds} ${scale}`
}

/** Dates that a duration is added to, of which XML Schema says that all have to agree: a month has 28 to 31 days. */
const references: readonly (readonly [year: bigint, month: bigint])[] = [
  [1696n, 9n],
  [1697n, 2n],
  [1903n, 3n],
  [1903n, 7n],
]

/** Below 0, 0, above 0; undefined where it depends on the month. */
export function compareDurations(a: Duration, b: Duration): number | undefined {
  const scale = Math.max(a.scale, b.scale)
  const [first, ...others] = references.map(([year, month]) => {
    const at = (given: Duration): bigint => {
      const counted = year * 12n + month - 1n + given.months
      const whole = floor(counted, 12n)
      const days = daysBefore(whole, Number(counted - whole * 12n) + 1)
      return scaled(days * 86_400n, scale) + scaled(given.seconds, scale - given.scale)
    }
    const [left, right] = [at(a), at(b)]
    return left < right ? -1 : Number(left > right)
  })
  return others.every((sign) => sign === first) ? first : undefined
}
