/**
 * Dates and times as their bytes come from the server -> the form of RFC 3339 that rows have (moments.ts makes the same
 * of what PostgreSQL prints). The server counts from 2000-01-01, in days and in microseconds. Pure; the caller has
 * reserved room: at most 40 bytes for a value.
 */
import type { ByteWriter } from './bytes.ts'
import { writeFraction, writeLatin, writePadded, writeWhole } from './digits.ts'

const hyphen = 0x2d
const colon = 0x3a
const letterT = 0x54
const letterZ = 0x5a

const highest32 = 0x7fff_ffff
const lowest32 = -0x8000_0000

/** A date, by its day. */
export function writeDate(day: number, out: ByteWriter): void {
  if (day === highest32) writeLatin('infinity', out)
  else if (day === lowest32) writeLatin('-infinity', out)
  else writeEra(writeDay(day, out), out)
}

const microsPerDay = 86_400_000_000
/** Upper halves between which the microseconds are exact as a number: the years 1715 to 2285. */
const exactHigh = 0x20_0000

/** A timestamp by the two halves of its microseconds, the upper one with a sign; with `isUtc` there is a `Z` behind. */
export function writeMoment(high: number, low: number, isUtc: boolean, out: ByteWriter): void {
  if (high >= -exactHigh && high < exactHigh) {
    const micros = high * 0x1_0000_0000 + low
    const day = Math.floor(micros / microsPerDay)
    const rest = micros - day * microsPerDay
    // A microsecond before midnight the quotient may have been rounded up.
    if (rest >= 0) writeDayAndTime(day, rest, isUtc, out)
    else writeDayAndTime(day - 1, rest + microsPerDay, isUtc, out)
  } else if (high === highest32 && low === 0xffff_ffff) {
    writeLatin('infinity', out)
  } else if (high === lowest32 && low === 0) {
    writeLatin('-infinity', out)
  } else {
    const micros = BigInt(high) * 0x1_0000_0000n + BigInt(low)
    const rest = ((micros % BigInt(microsPerDay)) + BigInt(microsPerDay)) % BigInt(microsPerDay)
    writeDayAndTime(Number((micros - rest) / BigInt(microsPerDay)), Number(rest), isUtc, out)
  }
}

function writeDayAndTime(day: number, micros: number, isUtc: boolean, out: ByteWriter): void {
  const isBefore = writeDay(day, out)
  const seconds = Math.floor(micros / 1e6)
  const minutes = (seconds / 60) | 0
  const hours = (minutes / 60) | 0
  writeBehind(letterT, hours, out)
  writeBehind(colon, minutes - hours * 60, out)
  writeBehind(colon, seconds - minutes * 60, out)
  writeFraction(micros - seconds * 1e6, out)
  if (isUtc) out.bytes[out.at++] = letterZ
  writeEra(isBefore, out)
}

/** Days from 0000-03-01 to 2000-01-01. Years that begin in March have their leap day at the end. */
const daysBefore = 730_425
const daysOf400Years = 146_097

/** Gives whether the year is one before Christ, whose era is behind everything else. */
function writeDay(day: number, out: ByteWriter): boolean {
  const days = day + daysBefore
  const cycle = Math.floor(days / daysOf400Years)
  const dayOfCycle = days - cycle * daysOf400Years
  const leaps = ((dayOfCycle / 1460) | 0) - ((dayOfCycle / 36_524) | 0) + ((dayOfCycle / 146_096) | 0)
  const yearOfCycle = ((dayOfCycle - leaps) / 365) | 0
  const dayOfYear = dayOfCycle - (365 * yearOfCycle + (yearOfCycle >> 2) - ((yearOfCycle / 100) | 0))
  const monthFromMarch = ((5 * dayOfYear + 2) / 153) | 0
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
  const shown = year > 0 ? year : 1 - year
  if (shown < 10_000) writePadded(shown, 4, out)
  else writeWhole(shown, out)
  writeBehind(hyphen, month, out)
  writeBehind(hyphen, dayOfYear - (((153 * monthFromMarch + 2) / 5) | 0) + 1, out)
  return year <= 0
}

/** Two digits behind a sign. */
function writeBehind(sign: number, value: number, out: ByteWriter): void {
  const { bytes } = out
  const tens = (value / 10) | 0
  bytes[out.at] = sign
  bytes[out.at + 1] = 0x30 + tens
  bytes[out.at + 2] = 0x30 + value - tens * 10
  out.at += 3
}

function writeEra(isBefore: boolean, out: ByteWriter): void {
  if (isBefore) writeLatin(' BC', out)
}
