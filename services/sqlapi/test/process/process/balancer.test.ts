/** Two processes behind a real haproxy, under load. The cases are those of the package that both services share. */
import { after, before } from 'node:test'
import { testBalancer } from '@services/admin/testing'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import { startProcessWithAdmin } from '../../support/admin.ts'

let postgres: ThrowawayPostgres
before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

testBalancer({
  rules: '[O5.2]',
  path: '/pg/one',
  body: '[{"one":1}]',
  start: (seconds) =>
    startProcessWithAdmin({
      files: { 'pg/GET/one.sql': 'SELECT 1 AS one' },
      config: { datasources: [{ name: 'pg', url: postgres.url }], shutdown: { delay_seconds: seconds } },
    }),
})
