/**
 * docs/migration.md: the configuration that it shows keeps what screens of the predecessor see, in an installation of
 * that shape.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, newFolder, untilListening, writeFiles } from '@services/testing'
import { createDatabase } from '../support/databases.ts'
import { spawnSqlapi } from '../support/process.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/migration.md'), 'utf8')

/** Two projects, neither named like the datasource, with a file that has the comment of the predecessor. */
const files = {
  'DSL/backoffice/POST/shapes.sql': `/*
declaration:
  version: 0.1
  description: "Values in all shapes"
  method: post
  namespace: backoffice
  allowlist:
    body:
      - field: at
        type: string
        description: "A moment"
*/
SELECT 1.50::numeric AS price, '{"a": 1}'::jsonb AS data, :at::timestamptz AS created_at`,
  'DSL/training/GET/day.sql': `SELECT '2026-01-01T22:30:00Z'::timestamptz::date AS local_day`,
}

test('the file of the migration page runs an old installation with the answers that its screens expect [N6.3] [N6.4] [N6.5]', async () => {
  const [, shown = ''] = /<!-- migration: checked[^]*?```yaml\n([^]*?)```/.exec(page) ?? []
  const database = await createDatabase('postgres')
  const { hostname, port, pathname, username, password } = new URL(database.url)
  const folder = newFolder()
  writeFiles(folder, files)
  const config = shown
    .replace('0.0.0.0:8082', '127.0.0.1:0')
    .replace('users_db:5432/byk', `${hostname}:${port}${pathname}`)
    .replace('username: byk', `username: ${decodeURIComponent(username)}`)
  writeFileSync(join(folder, 'sqlapi.yaml'), config)
  const env = { BYK_PASSWORD: decodeURIComponent(password) || 'none' }
  const running = await untilListening(spawnSqlapi({ cwd: folder, env }))
  try {
    const shapes = await call(running.port, '/backoffice/shapes', { body: { at: '2026-07-01 10:00' } })
    strictEqual(
      shapes.text,
      '[{"price":1.50,"data":{"type":"jsonb","value":"{\\"a\\": 1}"},"createdAt":"2026-07-01T10:00:00+03:00"}]',
    )
    strictEqual((await call(running.port, '/training/day')).text, '[{"localDay":"2026-01-02"}]')
    const other = await call(running.port, '/training/day', { headers: { 'X-Datasource': 'other' } })
    deepStrictEqual([other.status, other.text], [200, '[{"localDay":"2026-01-02"}]'])
    const health = JSON.parse((await call(running.port, '/healthz')).text) as object
    for (const name of ['appName', 'version', 'packagingTime', 'appStartTime', 'serverTime']) ok(name in health, name)
    match((await call(running.port, '/openapi.json')).text, /Values in all shapes/)
    strictEqual((await call(running.port, '/docs')).status, 200)
    const checked = await spawnSqlapi({ cwd: folder, env, args: ['check'] }).ended
    strictEqual(checked.code, 0, checked.stdout + checked.stderr)
  } finally {
    await running.stop()
    await database.remove()
  }
})
