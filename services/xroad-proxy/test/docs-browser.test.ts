/**
 * `/docs` in a real browser, in front of the mock Security Server and behind a reverse proxy with a path prefix: what it
 * shows, what a call from it gives, and that the browser asks nobody else for anything.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { Files } from '@services/testing'
import { type NoBrowser, openBrowser } from '@services/testing/browser'
import type { Browser, Locator, Page } from 'playwright-core'
import { type Lanes, startLanes } from './support/lanes.ts'

const example = join(import.meta.dirname, '../../../examples/xroad-proxy')
/** Where to keep the pictures; otherwise they go with the test. */
const keptPictures = process.env['DOCS_PICTURES']
const pictures = keptPictures ?? mkdtempSync(join(tmpdir(), 'xroad-proxy-pictures-'))

let browser: Browser | NoBrowser
let lanes: Lanes

before(async () => {
  browser = await openBrowser()
  const dsl = filesBelow('DSL')
  const faulty = String(dsl['population/person.yml']).replace('>person<', '>mock.fault.Server.Paper<')
  lanes = await startLanes({ dsl: { ...dsl, 'population/faulty.yml': faulty }, answers: filesBelow('answers') })
})

after(async () => {
  if ('close' in browser) await browser.close()
  await lanes.close()
  if (keptPictures === undefined) rmSync(pictures, { recursive: true, force: true })
})

function filesBelow(folder: string): Files {
  const paths = readdirSync(join(example, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map((path) => [path.slice(join(example, folder).length + 1), readFileSync(path)]))
}

interface Seen {
  readonly page: Page
  /** What the browser asked for. */
  readonly addresses: string[]
  /** Errors and warnings of the console, exceptions, requests that failed. */
  readonly complaints: string[]
}

/** Opens the page and waits for its list of endpoints. */
async function open(t: TestContext, origin: string, path = '/docs'): Promise<Seen | undefined> {
  if ('reason' in browser) {
    t.skip(browser.reason)
    return undefined
  }
  const page = await browser.newPage({ viewport: { width: 1100, height: 1600 } })
  t.after(() => page.close())
  const addresses: string[] = []
  const complaints: string[] = []
  page.on('request', (asked) => addresses.push(asked.url()))
  page.on('requestfailed', (asked) => complaints.push(`failed: ${asked.url()}`))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.setDefaultTimeout(20_000)
  await page.goto(origin + path)
  await page.locator('.opblock').first().waitFor()
  return { page, addresses, complaints }
}

function endpointOf(page: Page, path: string): Locator {
  return page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) })
}

/** Opens the form of an endpoint. */
async function unfold(page: Page, path: string): Promise<Locator> {
  const block = endpointOf(page, path)
  await block.locator('.opblock-summary-control').click()
  await block.getByRole('button', { name: 'Try it out' }).click()
  return block
}

interface Shown {
  readonly status: string
  readonly body: unknown
}

/** Sends the call and reads the answer off the page. */
async function execute(block: Locator): Promise<Shown> {
  await block.getByRole('button', { name: 'Execute' }).click()
  const answer = block.locator('.live-responses-table .response')
  await answer.waitFor()
  const status = await answer.locator('.response-col_status').innerText()
  const body: unknown = JSON.parse(await answer.locator('.highlight-code code, pre.microlight').first().innerText())
  return { status: status.trim(), body }
}

/** The picture of the README: the form of an endpoint, from its head to the body of the answer. */
async function takeCall(page: Page, block: Locator): Promise<void> {
  const from = await block.boundingBox()
  const to = await block.getByText('Response headers').boundingBox()
  if (from === null || to === null) throw new Error('the form is not on the page')
  const scrolled = await page.evaluate('scrollY')
  const clip = { x: from.x, y: from.y + Number(scrolled), width: from.width, height: to.y - from.y }
  await page.screenshot({ path: join(pictures, 'call.png'), fullPage: true, clip })
}

function originOf({ port }: { readonly port: number }): string {
  return `http://127.0.0.1:${port}`
}

describe('the page in a browser', () => {
  test('shows every endpoint, with a title and in English [S-docs.page S-what.5]', async (t) => {
    const seen = await open(t, originOf(lanes))
    if (seen === undefined) return
    const { page, complaints } = seen
    const paths = await page.locator('.opblock').evaluateAll((blocks) =>
      blocks.map((block) => {
        const part = (name: string): string => block.querySelector(`.opblock-summary-${name}`)?.textContent ?? ''
        return `${part('method')} ${part('path')}`
      }),
    )
    deepStrictEqual(paths, [
      'GET /business/companies',
      'POST /business/reports',
      'POST /population/faulty',
      'POST /population/person',
      'POST /xroad/allowedMethods',
      'POST /xroad/listMethods',
    ])
    strictEqual(await page.title(), 'xroad-proxy')
    strictEqual(await page.locator('html').getAttribute('lang'), 'en')
    await page.screenshot({ path: join(pictures, 'list.png') })
    await page.getByRole('button', { name: 'Schemas' }).click()
    await page.getByText('upstream_soap_fault').first().waitFor()
    await page.getByPlaceholder('Filter').fill('population')
    await endpointOf(page, '/xroad/listMethods').waitFor({ state: 'detached' })
    strictEqual(await page.locator('.opblock').count(), 2)
    deepStrictEqual(complaints, [])
  })

  test('a SOAP call: the params are offered, the answer is shown, nobody else is asked [S-docs.page S-docs.own]', async (t) => {
    const seen = await open(t, originOf(lanes))
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    const block = await unfold(page, '/population/person')
    const form = block.locator('textarea')
    deepStrictEqual(Object.keys(JSON.parse(await form.inputValue()) as object), ['personalCode', 'givenName'])
    await form.fill('{\n  "personalCode": "60001019906",\n  "givenName": "Mari-Liis"\n}')
    const { status, body } = await execute(block)
    strictEqual(status, '200')
    const { body: answer } = JSON.parse((await lanes.call('/population/person', { body: {} })).text) as {
      body: unknown
    }
    deepStrictEqual((body as { body: unknown }).body, answer)
    await block.screenshot({ path: join(pictures, 'soap.png') })
    await takeCall(page, block)
    await block.getByRole('tab', { name: 'Schema' }).first().click()
    const saved = page.waitForEvent('download')
    await block.getByText('Download').click()
    deepStrictEqual(JSON.parse(readFileSync(await (await saved).path(), 'utf8')), body)
    await page.waitForLoadState('networkidle')
    deepStrictEqual(addresses.map((address) => address.replace(originOf(lanes), '')).toSorted(), [
      '/api',
      '/docs',
      '/docs-start.js',
      '/docs.css',
      '/docs.js',
      '/population/person',
    ])
    deepStrictEqual(complaints, [])
  })

  test('REST calls: query, message id and body go along as they are [S-docs.page]', async (t) => {
    const seen = await open(t, originOf(lanes))
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    const companies = await unfold(page, '/business/companies')
    await companies.getByPlaceholder('name').fill('Näidis & Co')
    await companies.getByPlaceholder('X-Road-Id').fill('from-the-page')
    strictEqual((await execute(companies)).status, '200')
    match(addresses.at(-1) ?? '', /\/business\/companies\?name=N%C3%A4idis%20%26%20Co$/)
    ok(lanes.log.some(({ endpoint, id }) => endpoint === 'business/companies' && id === 'from-the-page'))

    const reports = await unfold(page, '/business/reports')
    const [query, body] = await reports.locator('textarea').all()
    deepStrictEqual([await query?.inputValue(), await body?.inputValue()], ['{}', '{}'])
    const sent = page.waitForRequest(/reports/)
    strictEqual((await execute(reports)).status, '200')
    strictEqual((await sent).postData(), '{}')
    ok(addresses.at(-1)?.endsWith('/business/reports'))
    deepStrictEqual(complaints, [])
  })

  test('an error is shown with its status and its words [S-docs.page]', async (t) => {
    const seen = await open(t, originOf(lanes))
    if (seen === undefined) return
    const { page } = seen
    const block = await unfold(page, '/population/faulty')
    const { status, body } = await execute(block)
    const { error, message } = body as { error: string; message: string }
    deepStrictEqual([status.split('\n')[0], error], ['502', 'upstream_soap_fault'])
    match(message, /Server\.Paper/)
    await block.screenshot({ path: join(pictures, 'error.png') })
  })

  test('a call can be made with the keyboard alone [S-docs.page]', async (t) => {
    const seen = await open(t, originOf(lanes))
    if (seen === undefined) return
    const { page, complaints } = seen
    const block = endpointOf(page, '/xroad/listMethods')
    const summary = block.locator('.opblock-summary-control')
    strictEqual(await summary.getAttribute('aria-expanded'), 'false')
    await tabTo(page, summary)
    await page.keyboard.press('Enter')
    strictEqual(await summary.getAttribute('aria-expanded'), 'true')
    for (const name of ['Try it out', 'Execute']) {
      await tabTo(page, block.getByRole('button', { name }))
      await page.keyboard.press('Enter')
    }
    await block.locator('.live-responses-table .response').waitFor()
    deepStrictEqual(complaints, [])
  })

  test('works below a path that a proxy puts before it [S-docs.prefix]', async (t) => {
    const proxy = await startPrefixProxy('/gate/x-road', lanes.port)
    t.after(() => proxy.close())
    const origin = originOf(proxy.address() as AddressInfo)
    const seen = await open(t, origin, '/gate/x-road/docs')
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    strictEqual((await execute(await unfold(page, '/population/person'))).status, '200')
    ok(addresses.includes(`${origin}/gate/x-road/population/person`))
    deepStrictEqual(
      addresses.filter((address) => !address.startsWith(`${origin}/gate/x-road/`)),
      [],
    )
    deepStrictEqual(complaints, [])
  })
})

async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not lead to ${String(wanted)}`)
}

/** Takes the prefix off and passes on; anything else is 404. */
async function startPrefixProxy(prefix: string, port: number): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    if (!url.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end()
      return
    }
    const onward = request({ host: '127.0.0.1', port, path: url.slice(prefix.length), method, headers, agent: false })
    onward.once('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
