/** What W3C Trace Context calls valid, and what is made of the rest. */
import { deepStrictEqual, match, notStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import {
  newTraceContext,
  readTraceHeaders,
  readTraceparent,
  readTracestate,
  writeTraceparent,
} from '../../src/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const good = `00-${traceId}-${spanId}-01`

function again(header: string): string | undefined {
  const read = readTraceparent(header)
  return read && writeTraceparent(read)
}

test('a valid traceparent is read and written as it was [O2.1]', () => {
  deepStrictEqual(readTraceparent(good), { traceId, spanId, isSampled: true, isRandom: false })
  for (const flags of ['00', '01', '02', '03']) {
    const header = `00-${traceId}-${spanId}-${flags}`
    strictEqual(again(header), header)
  }
  strictEqual(again(` \t${good}\t `), good, 'white space around it')
})

test('flags that nobody knows are not passed on [O2.1]', () => {
  strictEqual(again(`00-${traceId}-${spanId}-ff`), `00-${traceId}-${spanId}-03`)
  strictEqual(again(`00-${traceId}-${spanId}-08`), `00-${traceId}-${spanId}-00`)
})

test('a later version is read as far as it is known, and becomes this one [O2.1]', () => {
  const later = `cc-${traceId}-${spanId}-01`
  for (const header of [later, `${later}-what-the-future-will-be-like`, `${later}-`]) strictEqual(again(header), good)
})

const invalid: readonly (readonly [why: string, header: string])[] = [
  ['empty', ''],
  ['no traceparent', 'none'],
  ['version ff', `ff-${traceId}-${spanId}-01`],
  ['a version of one digit', `0-${traceId}-${spanId}-01`],
  ['a version that is not a number', `.0-${traceId}-${spanId}-01`],
  ['trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['zeros in a later version', `cc-${'0'.repeat(32)}-${spanId}-01`],
  ['upper-case trace id', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['upper-case span id', `00-${traceId}-${spanId.toUpperCase()}-01`],
  ['upper-case version', `CC-${traceId}-${spanId}-01`],
  ['upper-case flags', `00-${traceId}-${spanId}-0A`],
  ['trace id too short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['trace id too long', `00-${traceId}0-${spanId}-01`],
  ['span id too short', `00-${traceId}-${spanId.slice(1)}-01`],
  ['span id too long', `00-${traceId}-${spanId}0-01`],
  ['flags too short', `00-${traceId}-${spanId}-1`],
  ['flags too long', `00-${traceId}-${spanId}-001`],
  ['no flags', `00-${traceId}-${spanId}`],
  ['flags that are not a number', `00-${traceId}-${spanId}-.1`],
  ['more behind version 00', `${good}-what-the-future-will-be-like`],
  ['a dash behind version 00', `${good}-`],
  ['more behind a later version, without a dash', `cc-${traceId}-${spanId}-01.what`],
  ['two headers', `${good}, ${good}`],
  ['two headers of a later version', `cc-${traceId}-${spanId}-01-a, ${good}`],
  ['a line break in it', `${good}\n`],
  ['a line break in front', `\n${good}`],
  ['a letter that lower case makes of another', `00-${traceId.replace('f', '\u0192')}-${spanId}-01`],
  ['white space inside', `00 -${traceId}-${spanId}-01`],
  ['a quote', `00-${traceId}-${spanId}-01'`],
]

for (const [why, header] of invalid) {
  test(`not a traceparent: ${why} [O2.1]`, () => strictEqual(readTraceparent(header), undefined))
}

test('what is made is valid, its own each time, and not sampled [O2.1]', () => {
  const made = newTraceContext()
  match(writeTraceparent(made), /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  deepStrictEqual(readTraceparent(writeTraceparent(made)), made)
  notStrictEqual(newTraceContext().traceId, made.traceId)
})

test('a valid tracestate is passed on, its members in their order [O2.1]', () => {
  const kept: readonly (readonly [header: string, written: string])[] = [
    ['foo=1', 'foo=1'],
    ['foo=1,bar=2', 'foo=1,bar=2'],
    ['foo=1 \t , \t bar=2, \t ', 'foo=1,bar=2'],
    ['foo=1,,bar=2', 'foo=1,bar=2'],
    ['foo=1,foo=2', 'foo=1,foo=2'],
    ['0a@b_c-d*e/f=!\u0022#$%&()*+-./:;<>?@[]^_`{|}~', '0a@b_c-d*e/f=!\u0022#$%&()*+-./:;<>?@[]^_`{|}~'],
    ['foo= a b', 'foo= a b'],
    [`${'k'.repeat(256)}=${'v'.repeat(256)}`, `${'k'.repeat(256)}=${'v'.repeat(256)}`],
  ]
  for (const [header, written] of kept) strictEqual(readTracestate(header), written)
  const full = Array.from({ length: 32 }, (_, i) => `k${i}=1`).join(',')
  strictEqual(readTracestate(full), full)
})

const dropped: readonly string[] = [
  '',
  ' ',
  ',',
  'foo',
  '=1',
  'foo=',
  'foo=1=2',
  'FOO=1',
  'foo =1',
  'foo@=1'.replace('@', '\u00e4'),
  'foo=\u00e4',
  'foo=\t1\u0000',
  'foo=1\n',
  '_foo=1',
  '@foo=1',
  'foo=1,BAD=2',
  `${'k'.repeat(257)}=1`,
  `foo=${'v'.repeat(257)}`,
  Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(','),
]

test('a tracestate with anything wrong in it is dropped, and the traceparent stays [O2.1]', () => {
  for (const header of dropped) {
    strictEqual(readTracestate(header), undefined, JSON.stringify(header))
    strictEqual(readTraceHeaders({ traceparent: good, tracestate: header })?.parent.traceId, traceId)
  }
})

test('a tracestate without a valid traceparent is dropped [O2.1]', () => {
  strictEqual(readTraceHeaders({ tracestate: 'foo=1' }), undefined)
  strictEqual(readTraceHeaders({ traceparent: 'none', tracestate: 'foo=1' }), undefined)
  deepStrictEqual(readTraceHeaders({ traceparent: good, tracestate: 'foo=1' })?.tracestate, 'foo=1')
})
