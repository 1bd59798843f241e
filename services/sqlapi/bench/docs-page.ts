/**
 * `npm run bench:docs`: how long the page at `/docs` takes with a thousand endpoints, in a real browser. A tree of
 * files as large as real ones is served from SQLite by a process of its own. Ends with 1 where it takes too long.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tellPage, timePage } from '@services/bench'
import { newFolder, spawnProcess, until, untilListening } from '@services/testing'
import { openBrowser } from '@services/testing/browser'
import { writeTree, writeTreeDatabase } from './boot/boot-tree.ts'

const files = 1000
const openings = 10
const limits = { listMs: 2000, formMs: 300 }
const binary = join(import.meta.dirname, '../bin/sqlapi.js')

const browser = await openBrowser()
if ('reason' in browser) throw new Error(browser.reason)
const folder = newFolder()
mkdirSync(join(folder, 'sql'))
writeTree(join(folder, 'sql'), files)
writeTreeDatabase(join(folder, 'bench.db'))
const config = {
  sql_dir: 'sql',
  server: { bind: '127.0.0.1:0' },
  datasources: [{ name: 'bench', url: 'sqlite:bench.db' }],
  openapi: true,
}
writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(config))
const service = await untilListening(spawnProcess({ cwd: folder, command: [process.execPath, binary] }))
const url = `http://127.0.0.1:${service.port}`
try {
  const asked = performance.now()
  let text = ''
  await until(async () => {
    text = await (await fetch(`${url}/openapi.json`)).text()
    return !text.includes('"additionalProperties":true') || performance.now() - asked > 60_000
  }, 'the files are described')
  console.log(`${files} files, description of ${Math.round(text.length / 1024)} KiB, Chromium ${browser.version()}`)
  const times = await timePage(browser, { address: `${url}/docs`, operations: files, openings })
  if (!tellPage(times, limits)) process.exitCode = 1
} finally {
  await browser.close()
  await service.stop()
}
