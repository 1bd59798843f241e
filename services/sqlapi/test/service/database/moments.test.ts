/**
 * Moments in every time zone that PostgreSQL knows, as a client reads them: the form of RFC 3339, and the same moment.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../support/service.ts'

const files = {
  'demo/POST/zones.sql': "SELECT name FROM pg_timezone_names WHERE name !~ '^posix/' ORDER BY name",
  'demo/POST/in-zone.sql': `SELECT set_config('TimeZone', :zone, false);
    SELECT to_timestamp(e) AS moment, ARRAY[to_timestamp(e)] AS moments, to_timestamp(e)::text AS printed
    FROM unnest(:epochs) AS e`,
}

interface Row {
  readonly moment: string
  readonly moments: readonly string[]
  readonly printed: string
}

test('in every time zone a moment is one that JavaScript reads, and the same one [S4]', async () => {
  const service = await startTestService({ kind: 'postgres', files })
  try {
    const zones = JSON.parse((await service.post('/demo/zones')).text) as { name: string }[]
    ok(zones.length > 300, `${zones.length} zones`)
    // Ten years apart since the year 5: the offsets of long ago have seconds.
    const epochs = Array.from({ length: 200 }, (_, index) => -62_000_000_000 + index * 320_012_345.5)
    let withSeconds = 0
    for (const { name } of zones.filter((_, index) => index % 3 === 0)) {
      const { text, status } = await service.post('/demo/in-zone', { zone: name, epochs })
      strictEqual(status, 200, text)
      const rows = JSON.parse(text) as Row[]
      for (const { moment, moments, printed } of rows) {
        match(moment, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/)
        deepStrictEqual(moments, [moment])
        if (/:\d\d:\d\d$/.test(printed)) withSeconds++
      }
      deepStrictEqual(
        rows.map(({ moment }) => Date.parse(moment)),
        epochs.map((epoch) => epoch * 1000),
        name,
      )
    }
    ok(withSeconds > 1000, `${withSeconds} offsets with seconds`)
  } finally {
    await service.close()
  }
})
