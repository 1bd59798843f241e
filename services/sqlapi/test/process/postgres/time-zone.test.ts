/** The time zone of a datasource: what it writes and reads, whatever has happened to the session before. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { startThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import { isTimeZone } from '../../../src/boot/config/time-zone.ts'
import { ownSettings, SessionSettings } from '../../../src/database/postgres/settings/settings.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const names: readonly (readonly [text: string, isZone: boolean])[] = [
  ['UTC', true],
  ['Europe/Tallinn', true],
  ['europe/tallinn', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Etc/GMT+3', true],
  ['EET', true],
  ['+02:00', true],
  ['-0330', true],
  ['+05', true],
  ['+15:59', true],
  ['Europe/Talinn', false],
  ['+16', false],
  ['+2', false],
  ['+02:60', false],
  ['02:00', false],
  ['+02:00:00', false],
  ['UTC+2', false],
  ['<+02>-02', false],
  ['PST', false],
  ['Z', false],
  ['', false],
  [' UTC', false],
  ["UTC'; DROP TABLE t", false],
  ['default', false],
  ['local', false],
]

for (const [text, isZone] of names) {
  test(`${JSON.stringify(text)} ${isZone ? 'is' : 'is no'} time zone [N6.4] [S-config.datasources.time_zone]`, () => {
    strictEqual(isTimeZone(text), isZone)
  })
}

test('an offset counts westwards for the server, and its report is known again [N6.4]', () => {
  const zoneOf = (text: string): string | undefined => ownSettings(text)[0]?.value
  const told = ['+02:00', '-03:30', '+0545', '+05', '-00:30', '+00:00', '-00', 'Asia/Kolkata'].map(zoneOf)
  deepStrictEqual(told, [
    '<+02>-02',
    '<-03:30>+03:30',
    '<+05:45>-05:45',
    '<+05>-05',
    '<-00:30>+00:30',
    'UTC',
    'UTC',
    'Asia/Kolkata',
  ])
  ok(new SessionSettings('europe/tallinn', 0).isAsSet('TimeZone', 'Europe/Tallinn'))
  ok(!new SessionSettings('Europe/Tallinn', 0).isAsSet('TimeZone', 'UTC'))
})

/** What a file sees of the zone. */
const times = `SELECT timestamptz '2026-01-01 00:00:00Z' AS winter, timestamptz '2026-07-01 00:00:00.5Z' AS summer,
  ('2026-07-01 12:00'::text)::timestamptz = timestamptz '2026-07-01 12:00:00Z' AS is_utc,
  to_char(('2026-07-01 12:00'::text)::timestamptz AT TIME ZONE 'UTC', 'HH24:MI') AS noon,
  ARRAY[timestamptz '2026-01-01 00:00:00Z', NULL] AS many, (timestamptz '2026-01-01 22:30:00Z')::date AS day,
  timestamptz '1880-01-01 00:00:00Z' AS ancient`

interface Expected {
  readonly winter: string
  readonly summer: string
  readonly noon: string
  readonly day: string
  readonly ancient: string
}

const zones: Readonly<Record<string, Expected>> = {
  UTC: {
    winter: '2026-01-01T00:00:00Z',
    summer: '2026-07-01T00:00:00.5Z',
    noon: '12:00',
    day: '2026-01-01',
    ancient: '1880-01-01T00:00:00Z',
  },
  'Europe/Tallinn': {
    winter: '2026-01-01T02:00:00+02:00',
    summer: '2026-07-01T03:00:00.5+03:00',
    noon: '09:00',
    day: '2026-01-02',
    ancient: '1880-01-01T01:39:00+01:39',
  },
  'europe/london': {
    winter: '2026-01-01T00:00:00Z',
    summer: '2026-07-01T01:00:00.5+01:00',
    noon: '11:00',
    day: '2026-01-01',
    ancient: '1880-01-01T00:00:00Z',
  },
  'Asia/Kolkata': {
    winter: '2026-01-01T05:30:00+05:30',
    summer: '2026-07-01T05:30:00.5+05:30',
    noon: '06:30',
    day: '2026-01-02',
    ancient: '1880-01-01T05:21:00+05:21',
  },
  '+02:00': {
    winter: '2026-01-01T02:00:00+02:00',
    summer: '2026-07-01T02:00:00.5+02:00',
    noon: '10:00',
    day: '2026-01-02',
    ancient: '1880-01-01T02:00:00+02:00',
  },
  '-03:30': {
    winter: '2025-12-31T20:30:00-03:30',
    summer: '2026-06-30T20:30:00.5-03:30',
    noon: '15:30',
    day: '2026-01-01',
    ancient: '1879-12-31T20:30:00-03:30',
  },
}

const files = {
  'demo/GET/times.sql': times,
  'demo/POST/times.sql': times,
  'demo/GET/zone.sql': `SELECT current_setting('TimeZone') AS zone`,
  'demo/POST/read.sql': 'SELECT :at::timestamptz AS at, :ats::timestamptz[] AS ats',
  'demo/POST/leave.sql': `SET TIME ZONE 'Asia/Tokyo'; SET DateStyle = 'SQL, MDY'`,
  'demo/POST/discard.sql': `DISCARD ALL; ${times}`,
  'demo/POST/reset.sql': `RESET TimeZone; ${times}`,
  'demo/POST/config.sql': `SELECT set_config('TimeZone', 'Asia/Tokyo', false)`,
}

function rowsOf({ text }: { readonly text: string }): unknown {
  return JSON.parse(text)
}

async function checkZone(service: TestService, { winter, summer, noon, day, ancient }: Expected): Promise<void> {
  const row = { winter, summer, isUtc: noon === '12:00', noon, many: [winter, null], day, ancient }
  for (const leave of ['', 'leave', 'discard', 'reset', 'config', 'leave']) {
    const reply = leave === '' ? undefined : await service.post(`/demo/${leave}`)
    if (/discard|reset/.test(leave)) deepStrictEqual(rowsOf(reply as { text: string }), [row], leave)
    // The later runs take another way than the first.
    for (let round = 0; round < 5; round++) deepStrictEqual(rowsOf(await service.get('/demo/times')), [row], leave)
    const batch = await service.post('/demo/times/batch', { queries: [{}, {}, {}] })
    deepStrictEqual(rowsOf(batch), [[row], [row], [row]], leave)
  }
  const local = { at: '2026-01-01 00:00', ats: ['2026-01-01T00:00', '2026-01-01T00:00Z'] }
  const [read] = rowsOf(await service.post('/demo/read', local)) as [{ at: string; ats: readonly string[] }]
  strictEqual(read.at, read.ats[0])
  match(read.at, /^2026-01-01T00:00:00/)
  strictEqual(new Date(read.ats[1] as string).toISOString(), '2026-01-01T00:00:00.000Z')
  const csv = await service.get('/demo/times', { accept: 'text/csv' })
  ok(csv.text.includes(`\r\n${winter},${summer},`), csv.text)
}

describe('the time zone of a datasource', () => {
  for (const [zone, expected] of Object.entries(zones)) {
    test(`${zone} holds in every session, and after every reset [N6.4]`, async () => {
      const service = await startTestService({
        kind: 'postgres',
        files,
        datasource: { time_zone: zone, max_connections: 1 },
      })
      try {
        await checkZone(service, expected)
        ok(!service.log.some((line) => line.includes('time_zone')))
      } finally {
        await service.close()
      }
    })
  }

  test('two datasources of one server have a zone each [N6.4]', async () => {
    const postgres = await startThrowawayPostgres({ TimeZone: 'America/New_York' })
    const at = `SELECT timestamptz '2026-01-01 00:00:00Z' AS at`
    const service = await startTestService({
      kind: 'postgres',
      files: { 'a/GET/at.sql': at, 'b/GET/at.sql': at },
      datasources: {},
      config: {
        datasources: [
          { name: 'a', url: postgres.url, time_zone: 'Asia/Tokyo' },
          { name: 'b', url: `${postgres.url}?options=-c%20TimeZone%3DAsia/Tokyo` },
        ],
      },
    })
    try {
      strictEqual((await service.get('/a/at')).text, '[{"at":"2026-01-01T09:00:00+09:00"}]')
      strictEqual((await service.get('/b/at')).text, '[{"at":"2026-01-01T00:00:00Z"}]')
    } finally {
      await service.close()
      await postgres.remove()
    }
  })

  test('behind pgbouncer too [N6.4] [S8]', { skip: withoutPgbouncer ?? false }, async () => {
    const postgres = await startThrowawayPostgres({ TimeZone: 'America/New_York', DateStyle: 'German,DMY' })
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    await client.end()
    for (const [zone, expected] of Object.entries(zones)) {
      const pooler = await startPgbouncer(postgres.url, {})
      const service = await startTestService({
        kind: 'postgres',
        files,
        datasource: { url: pooler.through(postgres.url), time_zone: zone, max_connections: 1 },
      })
      try {
        await checkZone(service, expected)
      } finally {
        await service.close()
        await pooler.stop()
      }
    }
    await postgres.remove()
  })

  test('on SQLite it changes nothing, and one line says so [N6.4]', async () => {
    const service = await startTestService({
      kind: 'sqlite',
      files: { 'demo/GET/at.sql': `SELECT datetime('2026-01-01 00:00:00') AS at` },
      datasource: { time_zone: 'Europe/Tallinn' },
    })
    try {
      strictEqual((await service.get('/demo/at')).text, '[{"at":"2026-01-01 00:00:00"}]')
      const lines = service.log.filter((line) => line.includes('time_zone'))
      strictEqual(lines.length, 1)
      match(lines[0] as string, /WARN.*datasources\[0\]\.time_zone: has no effect: times in SQLite have no time zone/)
    } finally {
      await service.close()
    }
  })
})
