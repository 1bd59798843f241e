/**
 * For tests of services: the page in a real browser, as a person comes to it, and a reverse proxy in front of it. A
 * browser comes in, pages of a service go out, with what the browser has asked for and what it has complained of.
 */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { TestContext } from 'node:test'
import type { NoBrowser } from '@services/testing/browser'
import type { Browser, Page } from 'playwright-core'

/** A text that would be seen to run if it were markup. */
export const attack = `<img src=x onerror="document.title='hacked'"></span><script>document.title='hacked'</script>"'&amp;`

export interface SeenPage {
  readonly page: Page
  /** What the browser asked for. */
  readonly addresses: string[]
  /** Errors and warnings of the console, exceptions, requests that failed. */
  readonly complaints: string[]
}

export interface Look {
  /** Scheme, host and port. */
  readonly origin: string
  readonly path?: string
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
}

/** Opens the page and waits for its list of endpoints. Skips the test where there is no browser. */
export async function openPage(
  t: TestContext,
  browser: Browser | NoBrowser,
  { origin, path = '/docs', width = 1200, height = 900, dark = false }: Look,
): Promise<SeenPage | undefined> {
  if ('reason' in browser) {
    t.skip(browser.reason)
    return undefined
  }
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light' })
  t.after(() => page.close())
  const addresses: string[] = []
  const complaints: string[] = []
  page.on('request', (asked) => addresses.push(asked.url()))
  page.on('requestfailed', (asked) => complaints.push(`failed: ${asked.url()}`))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  // How long is waited for what never comes.
  page.setDefaultTimeout(60_000)
  await page.goto(origin + path)
  await page.locator('#list a').first().waitFor({ state: 'attached' })
  return { page, addresses, complaints }
}

/** Sends what is typed in, and waits for the answer. */
export async function sendCall(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.answer').waitFor()
}

/** A reverse proxy on the loopback: takes the prefix off and passes on to the port; anything else is 404. */
export async function startPrefixProxy(prefix: string, port: number): Promise<Server> {
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
