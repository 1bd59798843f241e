/** What is published: the package is packed, installed as a user would, and serves. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { call, newFolder, spawnProcess, testPackage, untilListening } from '@services/testing'

testPackage({
  title: 'the package holds what it says and runs where it is installed [S23]',
  folder: join(import.meta.dirname, '../..'),
  files: ['bin/sqlapi.js', 'dist/database/package.json', 'sqlapi.example.yaml', 'sqlapi.schema.json'],
  packed: { from: 'root', rules: '[S23]' },
  versionRules: '[D6.1]',
  unwanted: [],
  async run(t, installed, version) {
    for (const workers of [1, 2]) {
      await t.test(`its command serves requests, workers: ${workers} [S-endpoints.health] [D1.1] [D7.1]`, async () => {
        const config = {
          sql_dir: 'sql',
          server: { bind: '127.0.0.1:0', workers },
          datasources: [{ name: 'demo', url: 'sqlite:demo.db' }],
          openapi: true,
        }
        const files = { 'sql/demo/GET/one.sql': 'SELECT :x AS x', 'sqlapi.yaml': JSON.stringify(config) }
        const command = [process.execPath, join(installed, 'bin/sqlapi.js')]
        // A cache of modules that are gone after the test would grow with every run.
        const env = { NODE_COMPILE_CACHE: '' }
        const { port, stop } = await untilListening(spawnProcess({ cwd: newFolder(files), command, env }))
        strictEqual((await call(port, '/demo/one?x=5')).text, '[{"x":"5"}]')
        const health = JSON.parse((await call(port, '/health')).text) as { version: string; packagingTime: number }
        strictEqual(health.version, version)
        ok(Math.abs(Date.now() - health.packagingTime) < 600_000, 'the time of the build is told')
        for (const path of ['/openapi.json', '/docs', '/docs.js', '/docs.css', '/docs.svg']) {
          strictEqual((await call(port, path)).status, 200, path)
        }
        const { code, stderr } = await stop()
        deepStrictEqual([code, stderr], [0, ''])
      })
    }
  },
})
