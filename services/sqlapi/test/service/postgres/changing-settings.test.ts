/** Settings of the server that change under open connections: a value looks the same in all executions of a file. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '@services/testing'
import { startThrowawayPostgres, testSettings, type ThrowawayPostgres } from '@services/testing/postgres'
import { startTestService, type TestService } from '../../support/service.ts'

const values = `SELECT 0.1::float8 + 0.2::float8 AS f, 0.1::float4 AS g, ARRAY[0.1::float8 + 0.2::float8] AS list,
  timestamptz '2026-01-02 03:04:05.6Z' AS t, date '2026-02-01' AS d, interval '1 day 2 hours' AS i, 'õ'::bytea AS b,
  1234.5::money AS m, xmlparse(content '<a/>') AS x, 'a\\b' AS s, 'õ' AS u, true AS bool, 7 AS n`
/** Files that no connection has run yet, as many as there are looks. */
const fresh = Array.from({ length: 40 }, (_, index) => [`demo/GET/f${index}.sql`, `-- ${index}\n${values}`])
const files = {
  'demo/GET/known.sql': values,
  'demo/GET/setting.sql': 'SELECT reset_val AS v FROM pg_settings WHERE lower(name) = :name',
  ...(Object.fromEntries(fresh) as Record<string, string>),
}

/** The server's own value is not seen where a client has said another one when it connected. */
const ofClients: ReadonlySet<string> = new Set([
  'datestyle',
  'timezone',
  'client_encoding',
  'standard_conforming_strings',
])

describe('a value looks the same in first and later executions, whatever the server is set to', () => {
  let postgres: ThrowawayPostgres
  let used = 0
  before(async () => {
    postgres = await startThrowawayPostgres(testSettings)
  })
  after(() => postgres.remove())

  const start = (query = ''): Promise<TestService> =>
    startTestService({ kind: 'postgres', files, datasource: { url: `${postgres.url}${query}`, max_connections: 1 } })

  /** All executions agree; gives what they say. */
  async function agreed(service: TestService): Promise<Record<string, unknown>> {
    const texts: string[] = []
    const names = ['known', `f${used++}`]
    for (let round = 0; round < 4; round++) {
      for (const name of names) texts.push((await service.get(`/demo/${name}`)).text)
    }
    deepStrictEqual([...new Set(texts)], [texts[0]])
    return (JSON.parse(texts[0] as string) as Record<string, unknown>[])[0] as Record<string, unknown>
  }

  test('when the server reads its configuration again [F10]', async () => {
    const service = await start()
    const usual = await agreed(service)
    strictEqual(usual['f'], 0.30000000000000004)
    const changes: Record<string, string> = {
      extra_float_digits: '0',
      datestyle: 'German, DMY',
      timezone: 'Asia/Tokyo',
      intervalstyle: 'iso_8601',
      bytea_output: 'escape',
      xmloption: 'document',
      lc_monetary: 'C',
      standard_conforming_strings: 'off',
      client_encoding: 'LATIN1',
    }
    for (const [name, value] of Object.entries(changes)) {
      await postgres.query(`ALTER SYSTEM SET ${name} = ${name === 'datestyle' ? value : `'${value}'`}`)
      await postgres.query('SELECT pg_reload_conf()')
      const found = async (): Promise<boolean> =>
        ofClients.has(name) || (await service.get(`/demo/setting?name=${name}`)).text.includes(`"${value}"`)
      await until(found, name)
      const now = await agreed(service)
      for (const column of ['f', 'g', 'list', 't', 'd', 'u', 'bool', 'n']) {
        deepStrictEqual(now[column], usual[column], `${column} after ${name}`)
      }
    }
    await service.close()
    for (const name of Object.keys(changes)) await postgres.query(`ALTER SYSTEM RESET ${name}`)
    await postgres.query('SELECT pg_reload_conf()')
  })

  test('when it is set for the role, or for the database [F10]', async () => {
    for (const whose of ['ROLE postgres', 'DATABASE postgres']) {
      await postgres.query(`ALTER ${whose} SET extra_float_digits = 0`)
      const service = await start()
      strictEqual((await agreed(service))['f'], 0.30000000000000004)
      await service.close()
      await postgres.query(`ALTER ${whose} RESET extra_float_digits`)
    }
  })

  test('the digits that the URL asks for stay, and so does what a file sets for itself [F10]', async () => {
    const service = await start('?options=-c%20extra_float_digits%3D0')
    strictEqual((await agreed(service))['f'], 0.3)
    await postgres.query('ALTER SYSTEM SET extra_float_digits = 3')
    await postgres.query('SELECT pg_reload_conf()')
    await until(async () => (await service.get('/demo/setting?name=extra_float_digits')).text !== '', 'an answer')
    strictEqual((await agreed(service))['f'], 0.3)
    await service.close()
  })
})
