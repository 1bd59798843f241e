/**
 * `npm run bench:docs`: how long the page at `/docs` takes with a thousand endpoints, in a real browser. A tree of files as large as
 * real ones is served from SQLite by a process of its own; each opening has an empty cache. Times end with the frame in which
 * the list, or the form of an endpoint, is painted.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { newFolder, spawnProcess, until, untilListening } from '@services/testing'
import { openBrowser } from '@services/testing/browser'
import type { Browser, Page } from 'playwright-core'
import { treeSchema, writeTree } from './boot-tree.ts'

const files = 1000
const openings = 10
const binary = join(import.meta.dirname, '../bin/sqlapi.js')

const browser = await openBrowser()
if ('reason' in browser) throw new Error(browser.reason)
const folder = newFolder()
mkdirSync(join(folder, 'sql'))
writeTree(join(folder, 'sql'), files)
const database = new DatabaseSync(join(folder, 'bench.db'))
database.exec(treeSchema)
database.close()
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
  const lists: number[] = []
  const forms: number[] = []
  for (let n = 0; n < openings; n += 1) {
    const { list, form } = await open(browser, `${url}/docs`)
    lists.push(list)
    forms.push(form)
  }
  tell('the list is there', lists)
  tell('an endpoint is open', forms)
} finally {
  await browser.close()
  await service.stop()
}

async function open(browser: Browser, address: string): Promise<{ list: number; form: number }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  try {
    const page = await context.newPage()
    await page.goto(address, { waitUntil: 'commit' })
    await page.locator('#list a').first().waitFor()
    const list = await painted(page)
    await page.evaluate("performance.clearMarks('click')")
    const rows = await page.locator('#list a').count()
    if (rows < files) throw new Error(`the list has ${rows} endpoints`)
    await page.evaluate("performance.mark('click'); document.querySelectorAll('#list a')[500].click()")
    await page.locator('article').waitFor()
    const form =
      (await painted(page)) - (await page.evaluate<number>("performance.getEntriesByName('click')[0].startTime"))
    return { list, form }
  } finally {
    await context.close()
  }
}

/** Milliseconds since the page was asked for, at the end of the frame that is painted next. */
function painted(page: Page): Promise<number> {
  return page.evaluate<number>(
    'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))',
  )
}

function tell(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const [least, median, most] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((at) =>
    Math.round(sorted[at]!),
  )
  console.log(`${what}: ${median} ms (${least} to ${most})`)
}
