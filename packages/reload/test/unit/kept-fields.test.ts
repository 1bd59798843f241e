/** Fields that cannot change: what stays, and what is told. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { keepFields } from '../../src/index.ts'

const cure = 'restart the service to apply it'
const bind = { host: '127.0.0.1', port: 8080 }

test('nothing is told where nothing differs, and the configuration is the new one [O3.1]', () => {
  const after = Object.freeze({ server: { bind: { ...bind }, workers: 2 }, limit: 9 })
  const { config, kept } = keepFields(['server.bind', 'server.workers'], {
    before: { ...after, limit: 1 },
    after,
    origins: {},
  })
  deepStrictEqual(kept, [])
  strictEqual(config, after)
})

test('a field stays, the others of its group change, and it is told where the new value stands [O3.1]', () => {
  const before = { server: { bind, fastReader: true, limit: 1 } }
  const after = { server: { bind: { host: '::', port: 9 }, fastReader: false, limit: 2 } }
  const fields = ['server.bind', 'server.fast_reader']
  const { config, kept } = keepFields(fields, { before, after, origins: { 'server.bind': 'x.yaml:3' } })
  deepStrictEqual(config, { server: { bind, fastReader: true, limit: 2 } })
  ok(Object.isFrozen(config) && Object.isFrozen(config.server))
  deepStrictEqual(kept, [
    { field: 'server.bind', origin: 'x.yaml:3', configured: '[::]:9', runs: '127.0.0.1:8080', cure },
    { field: 'server.fast_reader', origin: 'default', configured: 'false', runs: 'true', cure },
  ])
})

test('a group that comes or goes is kept as it was, with all that is in it [O3.1]', () => {
  interface Fields {
    readonly admin?: object
    readonly limit: number
  }
  const admin = { bind, readyTimeoutSeconds: 5 }
  const came = keepFields<Fields>(['admin.bind'], {
    before: { limit: 1 },
    after: { admin, limit: 2 },
    origins: { 'admin.bind': 'x.yaml:7' },
  })
  deepStrictEqual(came.config, { limit: 2 })
  const [told] = came.kept
  deepStrictEqual([told?.configured, told?.runs, told?.origin], ['127.0.0.1:8080', 'none', 'x.yaml:7'])
  const went = keepFields<Fields>(['admin.bind'], { before: { admin, limit: 1 }, after: { limit: 2 }, origins: {} })
  deepStrictEqual(went.config, { limit: 2, admin })
  strictEqual(went.kept[0]?.configured, 'none')
})
