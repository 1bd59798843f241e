/** The service's own pages. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createPages, type DatasourceSummary, type StatusPages } from '../../../src/serve/status.ts'

const facts = { version: '0.1.0-alpha.2', packagingTime: 0, startTime: 1_700_000_000_000 }

function jsonOf(pages: StatusPages, path: string): unknown {
  const body = pages.get(path)?.().body
  strictEqual(body?.mediaType, 'application/json')
  return JSON.parse(body.content as string)
}

test('health tells the version and the times [S-endpoints.health] [D1.1]', () => {
  let time = 1_700_000_000_500
  const pages = createPages({ ...facts, datasources: [] }, () => time++)
  const fixed = { appName: 'sqlapi', version: '0.1.0-alpha.2', packagingTime: 0, appStartTime: 1_700_000_000_000 }
  deepStrictEqual(jsonOf(pages, '/health'), { ...fixed, serverTime: 1_700_000_000_500, status: 'UP' })
  deepStrictEqual(jsonOf(pages, '/health'), { ...fixed, serverTime: 1_700_000_000_501, status: 'UP' })
})

test('the server time is the time of the request [S-endpoints.health] [D1.1]', () => {
  const before = Date.now()
  const { serverTime } = jsonOf(createPages({ ...facts, datasources: [] }), '/health') as { serverTime: number }
  strictEqual(Number.isInteger(serverTime) && serverTime >= before && serverTime <= Date.now(), true)
})

test('datasources have both key sets [S-endpoints.datasources] [D1.2]', () => {
  const url = 'postgres://app:*****@db/crm'
  const datasources: DatasourceSummary[] = [
    { name: 'crm', url, dialect: 'postgres', username: 'app', driverClassName: 'org.postgresql.Driver' },
    {
      name: 'archive',
      url: 'sqlite:/data/archive.db',
      dialect: 'sqlite',
      username: '',
      driverClassName: 'org.sqlite.JDBC',
    },
  ]
  deepStrictEqual(jsonOf(createPages({ ...facts, datasources }), '/datasources'), [
    {
      name: 'archive',
      url: 'sqlite:/data/archive.db',
      driver: 'sqlite',
      jdbcUrl: 'sqlite:/data/archive.db',
      username: '',
      driverClassName: 'org.sqlite.JDBC',
    },
    { name: 'crm', url, driver: 'postgres', jdbcUrl: url, username: 'app', driverClassName: 'org.postgresql.Driver' },
  ])
})

test('the order is by code unit, and none at all is an empty list [S-endpoints.datasources] [D1.2]', () => {
  const names = ['b', 'a', 'B', 'é', '_', '10', '9']
  const datasources = names.map(
    (name) => ({ name, url: 'sqlite::memory:', dialect: 'sqlite', username: '', driverClassName: '' }) as const,
  )
  const listed = jsonOf(createPages({ ...facts, datasources }), '/datasources') as DatasourceSummary[]
  deepStrictEqual(
    listed.map(({ name }) => name),
    ['10', '9', 'B', '_', 'a', 'b', 'é'],
  )
  deepStrictEqual(jsonOf(createPages({ ...facts, datasources: [] }), '/datasources'), [])
})
