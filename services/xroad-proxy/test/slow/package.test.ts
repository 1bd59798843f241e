/** What is published: the package is packed, installed as a user would, and serves. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { docsPaths } from '@services/docs-page'
import { call, newFolder, spawnProcess, testPackage, untilListening } from '@services/testing'

testPackage({
  title: 'the package holds what it says and runs where it is installed',
  folder: join(import.meta.dirname, '../..'),
  files: [
    'bin/xroad-proxy.js',
    'docs/companies/companies.v1.wsdl',
    'docs/companies/companies.xml',
    'dsl.schema.json',
    'dsl/xroad/allowedMethods.yml',
    'dsl/xroad/listMethods.yml',
    'proxy.example.yaml',
    'proxy.schema.json',
  ],
  packed: { from: 'folder', rules: '[X30]' },
  versionRules: '[D1.1 S-version.1]',
  unwanted: [],
  async run(t, installed, version) {
    ok(/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    const title = 'its command serves requests, the page and the files of the group xroad'
    await t.test(`${title} [S-endpoint.health S-route.4 S-docs.own]`, async () => {
      const folder = newFolder({ 'proxy.yaml': 'host: 127.0.0.1\nport: 0\n' })
      cpSync(join(installed, 'dsl'), join(folder, 'DSL'), { recursive: true })
      const command = [process.execPath, join(installed, 'bin/xroad-proxy.js')]
      // A cache of modules that are gone after the test would grow with every run.
      const env = { NODE_COMPILE_CACHE: '' }
      const { port, stop } = await untilListening(spawnProcess({ cwd: folder, command, env }))
      deepStrictEqual(JSON.parse((await call(port, '/health')).text), { status: 'ok' })
      const { info, paths } = JSON.parse((await call(port, '/api')).text) as { info: object; paths: object }
      deepStrictEqual(Object.keys(paths), ['/xroad/allowedMethods', '/xroad/listMethods'])
      ok('version' in info && info.version === version)
      for (const path of docsPaths) strictEqual((await call(port, path)).status, 200, path)
      const { code, stderr } = await stop()
      deepStrictEqual([code, stderr], [0, ''])
    })
  },
})
