/**
 * `npm run bench:docs`: how long the page at `/docs` takes with 540 endpoints, in a real browser. They are made of the
 * WSDL files that XROAD_PROXY_REAL_WSDLS names or, without it, of one with as many operations over a large graph of
 * types. Ends with 1 where it takes too long.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tellPage, timePage } from '@services/bench'
import { newFolder, spawnProcess, untilListening } from '@services/testing'
import { openBrowser } from '@services/testing/browser'
import { largeWsdl } from '../test/support/wsdl/large-wsdl.ts'
import { folderVariable } from './boot/wsdl.ts'

const operations = 540
const openings = 10
const limits = { listMs: 2000, formMs: 300 }
const binary = join(import.meta.dirname, '../bin/xroad-proxy.js')

const browser = await openBrowser()
if ('reason' in browser) throw new Error(browser.reason)
const folder = newFolder()
const real = process.env[folderVariable]
const watched = real ?? join(folder, 'wsdl')
if (real === undefined) {
  mkdirSync(join(watched, 'register'), { recursive: true })
  writeFileSync(join(watched, 'register/api.wsdl'), largeWsdl(operations))
  writeFileSync(join(watched, 'register/api.meta.yaml'), 'subsystem_code: bench\n')
}
const config = { host: '127.0.0.1', port: 0, dsl_path: join(folder, 'DSL'), wsdl_watch_dir: watched }
writeFileSync(join(folder, 'proxy.yaml'), JSON.stringify(config))
const service = await untilListening(spawnProcess({ cwd: folder, command: [process.execPath, binary] }))
const url = `http://127.0.0.1:${service.port}`
try {
  const text = await (await fetch(`${url}/api`)).text()
  const { paths } = JSON.parse(text) as { paths: object }
  const found = Object.keys(paths).length
  const kib = Math.round(Buffer.byteLength(text) / 1024)
  console.log(`${found} endpoints, description of ${kib} KiB, Chromium ${browser.version()}`)
  const times = await timePage(browser, { address: `${url}/docs`, operations: Math.min(found, operations), openings })
  if (!tellPage(times, limits)) process.exitCode = 1
} finally {
  await browser.close()
  await service.stop()
}
