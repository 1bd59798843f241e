/**
 * `/docs` in a real browser: what it shows, what a call from it gives, by mouse, by keyboard, on a phone, behind a path
 * prefix, and that texts of files are never markup.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { attack, type Look, openPage, type SeenPage, sendCall, startPrefixProxy } from '@services/docs-page/testing'
import { type NoBrowser, openBrowser } from '@services/testing/browser'
import type { Browser, Page } from 'playwright-core'
import { startTestService, type TestService } from '../../support/service.ts'

const example = join(import.meta.dirname, '../../../../../examples/sqlapi')
/** Where to keep the pictures; otherwise they go with the test. */
const keptPictures = process.env['DOCS_PICTURES']
const pictures = keptPictures ?? mkdtempSync(join(tmpdir(), 'sqlapi-pictures-'))

const exampleFiles = Object.fromEntries(
  readdirSync(join(example, 'sql'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(example, 'sql', path), 'utf8')]),
)
const schema = readFileSync(join(example, 'schema.sql'), 'utf8')

const files: Record<string, string> = {
  ...exampleFiles,
  'odd/GET/attack.sql': `-- @summary ${attack}
-- @description ${attack}
-- @tag ${attack}
-- @param x string default "${attack.replaceAll('"', '\\"')}" -- ${attack}
-- @result shown ${attack}
SELECT :x AS shown, :x AS "<b>key</b>"`,
  "odd/GET/it's 100% {ä}.sql": 'SELECT :a || :b AS joined',
  'odd/POST/types.sql': `-- @param count integer -- How many
-- @param big integer default 9007199254740993
-- @param day date default null
-- @param isOpen boolean default true
-- @param state string default "new"
-- @enum state new, paid
-- @param data json default {"a": [1]}
-- @param tags string[] default []
SELECT :count AS "count", :big AS big, :day AS day, :isOpen AS is_open, :state AS state, :data AS data, :tags AS tags`,
  'odd/GET/lists.sql': `-- @param ids integer[]
SELECT value FROM json_each(:ids)`,
  'odd/GET/many.sql': `-- @deprecated use few
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
SELECT i, 9007199254740993 AS big, NULL AS unset FROM n`,
  'odd/GET/slow.sql': `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT count(*) FROM n`,
  'odd/POST/fails.sql': 'SELECT * FROM missing WHERE x = :x',
  'odd/GET/plain.sql': 'SELECT 1 AS one',
}

let browser: Browser | NoBrowser
let service: TestService

before(async () => {
  browser = await openBrowser()
  service = await startTestService({
    kind: 'sqlite',
    files,
    schema,
    datasources: { demo: '', odd: '' },
    config: { openapi: true },
  })
})

after(async () => {
  if ('close' in browser) await browser.close()
  await service.close()
  if (keptPictures === undefined) rmSync(pictures, { recursive: true, force: true })
})

function open(t: TestContext, look: Partial<Look> = {}): Promise<SeenPage | undefined> {
  return openPage(t, browser, { origin: service.url, ...look })
}

/** Not the inner texts: a browser gives none for what it has not painted yet (`content-visibility`). */
function shownPaths(page: Page): Promise<string[]> {
  return page.locator('#list li:not([hidden]) .path').allTextContents()
}

/** The answer's JSON as it is shown. */
async function shownJson(page: Page): Promise<string> {
  await page.getByRole('tab', { name: 'JSON' }).click()
  return page.locator('.json pre').innerText()
}

async function curlLine(page: Page): Promise<string> {
  return (await page.locator('.curl code').textContent()) ?? ''
}

/** What a shell makes of the line. */
async function runInShell(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -s`], { encoding: 'utf8' })
  return JSON.parse(stdout)
}

const hasCurl = ((): boolean => {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
})()

describe('the page in a browser [N4.3]', () => {
  test('lists every endpoint once, with its batch form inside, and searches path, summary and tags', async (t) => {
    const seen = await open(t)
    if (seen === undefined) return
    const { page, complaints } = seen
    const all = await shownPaths(page)
    strictEqual(all.length, Object.keys(files).length)
    ok(!all.some((path) => path.endsWith('/batch')))
    strictEqual(await page.title(), 'sqlapi')
    strictEqual(await page.locator('#count').innerText(), `${all.length} endpoints`)
    await page.screenshot({ path: join(pictures, 'list.png') })
    const search = page.getByRole('searchbox')
    await search.fill('PERMITS list')
    deepStrictEqual(await shownPaths(page), ['/demo/permits/list'])
    strictEqual(await page.locator('#count').innerText(), `1 of ${all.length} endpoints`)
    await search.fill('hacked')
    deepStrictEqual(await shownPaths(page), ['/odd/attack'])
    await search.fill('nothing like this')
    ok(await page.getByText('No endpoint has these words.').isVisible())
    await search.fill('')
    deepStrictEqual(await shownPaths(page), all)
    deepStrictEqual(complaints, [])
  })

  test('a call gives a table and JSON, and the browser asks nobody else', async (t) => {
    const seen = await open(t, { path: '/docs#get_demo_permits_summary' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    await sendCall(page)
    const { text } = await service.get('/demo/permits/summary')
    const rows = JSON.parse(text) as Record<string, unknown>[]
    deepStrictEqual(await page.locator('.table thead th').allInnerTexts(), Object.keys(rows[0] ?? {}))
    strictEqual(await page.locator('.table tbody tr').count(), rows.length)
    match(await page.locator('.facts').innerText(), /^200 OK/)
    deepStrictEqual(JSON.parse(await shownJson(page)), rows)
    ok(addresses.every((address) => address.startsWith(`${service.url}/`)))
    deepStrictEqual(complaints, [])
  })

  test('a POST has the values of its example, and a batch form', async (t) => {
    const seen = await open(t, { path: '/docs#post_odd_types' })
    if (seen === undefined) return
    const { page, complaints } = seen
    await page.getByLabel('count', { exact: true }).fill('12345678901234567')
    strictEqual(await page.getByLabel('big', { exact: true }).inputValue(), '9007199254740993')
    await page.getByLabel('state', { exact: true }).selectOption('paid')
    await page.getByLabel('day', { exact: true }).fill('2026-02-01')
    await page.getByRole('button', { name: 'isOpen: leave out' }).click()
    await page.getByRole('button', { name: 'data: null' }).click()
    await page.getByLabel('tags', { exact: true }).fill('["<b>", "it\'s"]')
    await sendCall(page)
    const shown = await shownJson(page)
    // Digits beyond those of JavaScript, sent and shown.
    match(shown, /"count": 12345678901234567,\n/)
    match(shown, /"big": 9007199254740993,\n/)
    deepStrictEqual((JSON.parse(shown) as object[])[0], {
      count: Number('12345678901234567'),
      big: Number('9007199254740993'),
      day: '2026-02-01',
      isOpen: 1,
      state: 'paid',
      data: null,
      tags: '["<b>","it\'s"]',
    })
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    const body = page.getByLabel('Body as JSON')
    match(await body.inputValue(), /"big": 9007199254740993/)
    await body.fill('{"count": 5, "isOpen": false}')
    await page.getByRole('button', { name: 'Edit as fields' }).click()
    strictEqual(await page.getByLabel('count', { exact: true }).inputValue(), '5')
    strictEqual(await page.getByLabel('isOpen', { exact: true }).inputValue(), 'false')
    await page.getByRole('tab', { name: 'Batch' }).click()
    const queries = page.getByRole('tabpanel', { name: 'Batch' })
    await queries.getByLabel('Body as JSON').fill('{"queries": [{"count": 1}, {"count": 2}]}')
    await queries.getByRole('button', { name: 'Send' }).click()
    await queries.locator('.answer').waitFor()
    deepStrictEqual(await queries.locator('caption').allInnerTexts(), ['queries[0]: 1 row', 'queries[1]: 1 row'])
    deepStrictEqual(complaints, [])
  })

  test('what cannot be sent is told beside its field', async (t) => {
    const seen = await open(t, { path: '/docs#post_odd_types' })
    if (seen === undefined) return
    const { page } = seen
    const data = page.getByLabel('data', { exact: true })
    await data.fill('{"a"')
    await page.getByRole('button', { name: 'Send' }).click()
    strictEqual(await page.locator('.mistake:visible').innerText(), 'This is not JSON.')
    ok(await data.evaluate((element) => element === element.ownerDocument.activeElement))
    strictEqual(await page.locator('.answer').count(), 0)
    await data.fill('{"a": 1}')
    await page.getByLabel('count', { exact: true }).fill('many')
    await sendCall(page)
    match(await page.locator('.problem').innerText(), /has to be an integer/)
  })

  test('an error is shown by its name, in its words', async (t) => {
    const seen = await open(t, { path: '/docs#post_odd_fails' })
    if (seen === undefined) return
    const { page } = seen
    await sendCall(page)
    match(await page.locator('.facts').innerText(), /^400/)
    match(await page.locator('.problem').innerText(), /^BadSqlGrammarException\s+no such table: missing/)
    strictEqual(await page.getByRole('tab', { name: 'Table' }).count(), 0)
  })

  test('a running call can be stopped', async (t) => {
    const seen = await open(t, { path: '/docs#get_odd_slow' })
    if (seen === undefined) return
    const { page } = seen
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped.').waitFor()
    ok(await page.getByRole('button', { name: 'Send' }).isVisible())
  })

  test('many rows come a part at a time, with all digits', async (t) => {
    const seen = await open(t, { path: '/docs#get_odd_many' })
    if (seen === undefined) return
    const { page } = seen
    ok(await page.getByText('Deprecated', { exact: true }).isVisible())
    await sendCall(page)
    strictEqual((await page.locator('.facts').innerText()).split('\n')[0], '200 OK')
    strictEqual(await page.locator('.table tbody tr').count(), 200)
    await page.getByRole('button', { name: 'Show more (250 left)' }).click()
    await page.getByRole('button', { name: 'Show more (50 left)' }).click()
    strictEqual(await page.locator('.table tbody tr').count(), 450)
    deepStrictEqual(await page.locator('.table tbody tr').last().locator('td').allInnerTexts(), [
      '450',
      '9007199254740993',
      'null',
    ])
  })

  test('the curl line does in a shell what the page does', async (t) => {
    if (!hasCurl) return t.skip('curl is not installed')
    const seen = await open(t, { path: '/docs#get_odd_it_s_100_a_' })
    if (seen === undefined) return
    const { page } = seen
    await page.getByLabel('a', { exact: true }).fill(`it's "$HOME" \`date\` \\n %41 & ü`)
    await page.getByLabel('b', { exact: true }).fill('@!{1,2}[a]#?')
    await sendCall(page)
    deepStrictEqual(await runInShell(await curlLine(page)), JSON.parse(await shownJson(page)))
    await page.goto(`${service.url}/docs#post_odd_types`)
    await page.getByLabel('count', { exact: true }).fill('1')
    await page.getByLabel('data', { exact: true }).fill(`{"x": "it's '$(id)' \\u0000 \\"@\\" "}`)
    await page.getByLabel('X-Datasource', { exact: true }).selectOption('odd')
    await sendCall(page)
    const line = await curlLine(page)
    match(line, /-H 'X-Datasource: odd'/)
    deepStrictEqual(await runInShell(line), JSON.parse(await shownJson(page)))
  })

  test('repeated keys are typed one a line', async (t) => {
    const seen = await open(t, { path: '/docs#get_odd_lists' })
    if (seen === undefined) return
    const { page, addresses } = seen
    await page.getByLabel('ids', { exact: true }).fill('3\n1\n')
    await sendCall(page)
    ok(addresses.at(-1)?.endsWith('/odd/lists?ids=3&ids=1'))
    deepStrictEqual(await page.locator('.table tbody td').allInnerTexts(), ['3', '1'])
  })

  test('what comments and values say is text, never markup', async (t) => {
    const seen = await open(t, { path: '/docs#get_odd_attack' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    await sendCall(page)
    await shownJson(page)
    for (const place of ['.summary', '.description', '.chips', '.note', '.columns td:last-child', '#list h2']) {
      ok(
        (await page.locator(place).allTextContents()).some((text) => text.includes(attack)),
        place,
      )
    }
    strictEqual(await page.locator('.table td').first().textContent(), attack)
    strictEqual(await page.locator('.table th').last().textContent(), '<b>key</b>')
    strictEqual(await page.locator('main img, main script, #list img').count(), 0)
    strictEqual(await page.title(), 'sqlapi')
    ok(addresses.every((address) => !address.endsWith('/x')))
    deepStrictEqual(complaints, [])
  })
})

describe('the page for every hand and every screen [N4.3]', () => {
  test('a call can be made with the keyboard alone', async (t) => {
    const seen = await open(t)
    if (seen === undefined) return
    const { page, complaints } = seen
    const active = (): Promise<string> =>
      page.evaluate<string>('document.activeElement.textContent.trim() || document.activeElement.id')
    await page.keyboard.press('/')
    strictEqual(await active(), 'search')
    await page.keyboard.type('permits')
    await page.keyboard.press('ArrowDown')
    match(await active(), /\/demo\/permits\/apply/)
    await page.keyboard.press('ArrowDown')
    match(await active(), /\/demo\/permits\/decide/)
    await page.keyboard.press('End')
    match(await active(), /\/demo\/permits\/summary/)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowUp')
    strictEqual(await active(), 'search')
    await page.keyboard.press('Escape')
    strictEqual(await page.getByRole('searchbox').inputValue(), '')
    await page.keyboard.type('demo/permit')
    // The first one that is found.
    await page.keyboard.press('Enter')
    await page.locator('article').waitFor()
    strictEqual(await active(), 'get_demo_permit-0')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('2')
    await page.keyboard.press('Enter')
    await page.locator('.answer').waitFor()
    // A slash in a field is a slash.
    await page.keyboard.type('/')
    strictEqual(await page.getByLabel('permitId').inputValue(), '2/')
    for (let presses = 0; presses < 20 && (await active()) !== 'Table'; presses += 1) await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    strictEqual(await active(), 'JSON')
    ok(await page.locator('.json pre').isVisible())
    await page.goBack()
    ok(await page.getByText('Choose an endpoint').isVisible())
    deepStrictEqual(complaints, [])
  })

  for (const fragment of ['%', '%e4', '%zz', '%F0%9F', 'get_demo_permit%']) {
    test(`a fragment that cannot be decoded, #${fragment}, shows the list [F10]`, async (t) => {
      const seen = await open(t, { path: `/docs#${fragment}` })
      if (seen === undefined) return
      const { page, complaints } = seen
      ok(await page.getByText('Choose an endpoint').isVisible())
      await page.locator('#list a', { hasText: '/demo/permit' }).first().click()
      await page.locator('article').waitFor()
      await page.evaluate(`location.hash = '#${fragment}'`)
      await page.getByText('Choose an endpoint').waitFor()
      deepStrictEqual(complaints, [])
    })
  }

  test('the Tab key passes the list in one step', async (t) => {
    const seen = await open(t, { path: '/docs#get_demo_permit' })
    if (seen === undefined) return
    const { page } = seen
    strictEqual(await page.locator('#list a[tabindex="0"]').count(), 1)
    strictEqual(await page.locator('#list a[aria-current="page"]').count(), 1)
    await page.getByRole('searchbox').focus()
    await page.keyboard.press('Tab')
    strictEqual(await page.evaluate('document.activeElement.hash'), '#get_demo_permit')
    await page.keyboard.press('Tab')
    ok(await page.evaluate("document.activeElement.closest('main') !== null"))
  })

  test('a phone shows the list or an endpoint, nothing wider than itself', async (t) => {
    const seen = await open(t, { width: 390, height: 844 })
    if (seen === undefined) return
    const { page, complaints } = seen
    const overflow = (): Promise<number> => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    strictEqual(await overflow(), 0)
    ok(!(await page.locator('main').isVisible()))
    await page.screenshot({ path: join(pictures, 'phone-list.png') })
    await page.locator('#list a', { hasText: '/demo/permit' }).first().click()
    await page.locator('article').waitFor()
    ok(!(await page.locator('#list').isVisible()))
    await sendCall(page)
    strictEqual(await overflow(), 0)
    await page.screenshot({ path: join(pictures, 'phone.png') })
    for (const id of ['get_odd_attack', 'post_odd_types', 'get_odd_many']) {
      await page.goto(`${service.url}/docs#${id}`)
      await sendCall(page)
      strictEqual(await overflow(), 0, id)
    }
    await page.getByRole('link', { name: 'All endpoints' }).click()
    await page.locator('#list').waitFor()
    deepStrictEqual(complaints, [])
  })

  test('it is dark where the system is', async (t) => {
    const seen = await open(t, { path: '/docs#post_odd_types', dark: true })
    if (seen === undefined) return
    const { page } = seen
    await sendCall(page)
    await page.screenshot({ path: join(pictures, 'dark.png') })
    const luminance = await page.evaluate<number>(
      'getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number).reduce((a, b) => a + b)',
    )
    ok(luminance < 150, String(luminance))
  })

  test('works below a path that a proxy puts before it', async (t) => {
    const proxy = await startPrefixProxy('/gate/sql', Number(new URL(service.url).port))
    t.after(() => proxy.close())
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const seen = await open(t, { origin, path: '/gate/sql/docs#get_odd_plain' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    await sendCall(page)
    deepStrictEqual(JSON.parse(await shownJson(page)), [{ one: 1 }])
    strictEqual(await curlLine(page), `curl '${origin}/gate/sql/odd/plain'`)
    deepStrictEqual(
      addresses.filter((address) => !address.startsWith(`${origin}/gate/sql/`)),
      [],
    )
    deepStrictEqual(complaints, [])
  })

  test('a service that has gone is told, not a blank page', async (t) => {
    const seen = await open(t, { path: '/docs#get_odd_plain' })
    if (seen === undefined) return
    const { page } = seen
    await page.route('**/odd/plain', (route) => route.abort())
    await page.getByRole('button', { name: 'Send' }).click()
    match(await page.locator('.problem').innerText(), /^No answer\./)
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: 'no' }))
    await page.reload()
    await page.getByText('The description cannot be shown').waitFor()
  })

  test('the picture of the README', async (t) => {
    const own = await startTestService({ kind: 'sqlite', files: exampleFiles, schema, config: { openapi: true } })
    t.after(() => own.close())
    const seen = await open(t, { origin: own.url, path: '/docs#post_demo_permits_list', width: 1100, height: 790 })
    if (seen === undefined) return
    const { page } = seen
    await page.getByLabel('statuses', { exact: true }).fill('["granted", "refused"]')
    await sendCall(page)
    // The port differs with each start.
    await page.evaluate(
      "document.querySelector('.curl code').textContent = document.querySelector('.curl code').textContent.replace(/:\\d+/, ':8080')",
    )
    await page.mouse.move(0, 0)
    await page.screenshot({ path: join(pictures, 'docs-page.png') })
  })
})
