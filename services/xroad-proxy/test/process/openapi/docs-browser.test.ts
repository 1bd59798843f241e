/**
 * `/docs` in a real browser, in front of the mock Security Server and behind a reverse proxy with a path prefix: what
 * it shows, as whom calls go out, what a call gives in each kind of answer, and that the browser asks nobody else for
 * anything. What the page can do with any description is tried with sqlapi and in packages/docs-page.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { docsPaths } from '@services/docs-page'
import { type Files, newFolder } from '@services/testing'
import { attack, type Look, openPage, type SeenPage, sendCall, startPrefixProxy } from '@services/docs-page/testing'
import { type NoBrowser, openBrowser } from '@services/testing/browser'
import type { Browser, Page } from 'playwright-core'
import { type Lanes, sharedPki, startLanes } from '../../support/lanes.ts'
import { largeWsdl } from '../../support/wsdl/large-wsdl.ts'
import { soapFile } from '../../support/soap-service.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const example = join(import.meta.dirname, '../../../../../examples/xroad-proxy')
/** Where to keep the pictures; otherwise they go with the test. */
const keptPictures = process.env['DOCS_PICTURES']
const pictures = keptPictures ?? mkdtempSync(join(tmpdir(), 'xroad-proxy-pictures-'))

const target = { member_class: 'GOV', member_code: '70000002', subsystem_code: 'business', service_code: 'echo' }

function restFile(service: string, fields: object = {}): string {
  return JSON.stringify({ kind: 'rest', method: 'GET', target: { ...target, service_code: service }, ...fields })
}

const ownFiles: Files = {
  'odd/xml.yml': restFile('note'),
  'odd/bytes.yml': restFile('bytes'),
  'odd/empty.yml': restFile('mock.status.204'),
  'odd/moved.yml': restFile('mock.status.302'),
  'odd/echo.yml': restFile('echo', { method: 'POST', title: 'Saadab kõik tagasi', description: 'For trying.' }),
  'odd/find.yml': restFile('find', { method: 'PROPFIND' }),
  'odd/head.yml': restFile('note', { method: 'HEAD' }),
  'odd/picture.yml': restFile('picture'),
  'odd/attack.yml': JSON.stringify({
    title: attack,
    description: attack,
    method: 'POST',
    params: [attack.replaceAll(/[{}]/g, ''), '__proto__'],
    envelope:
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{{generate.user_id}}</e:Body></e:Envelope>',
  }),
  "odd/it's <b>100% {ä}.yml": restFile('note'),
}
const ownAnswers: Files = {
  'note.xml': '<note><to>Mari</to><empty/></note>',
  'bytes.bin': Buffer.from([0, 1, 2, 255]),
}

let browser: Browser | NoBrowser
let lanes: Lanes

before(async () => {
  browser = await openBrowser()
  const dsl = filesBelow('DSL')
  const faulty = String(dsl['population/person.yml']).replace('>person<', '>mock.fault.Server.Paper<')
  lanes = await startLanes({
    dsl: { ...dsl, ...ownFiles, 'population/faulty.yml': faulty },
    answers: { ...filesBelow('answers'), ...ownAnswers },
  })
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

function open(t: TestContext, look: Partial<Look> = {}): Promise<SeenPage | undefined> {
  return openPage(t, browser, { origin: originOf(lanes), ...look })
}

function originOf({ port }: { readonly port: number }): string {
  return `http://127.0.0.1:${port}`
}

async function statusOf(page: Page): Promise<string> {
  return page.locator('.status').innerText()
}

/** The text of the answer below one of its tabs. */
async function shownIn(page: Page, tab: string): Promise<string> {
  await page.getByRole('tab', { name: tab, exact: true }).click()
  return page.getByRole('tabpanel', { name: tab, exact: true }).innerText()
}

async function shownJson(page: Page): Promise<unknown> {
  await page.getByRole('tab', { name: 'JSON', exact: true }).click()
  return JSON.parse(await page.locator('.json pre').innerText())
}

async function headersShown(page: Page): Promise<Record<string, string>> {
  await page.getByRole('tab', { name: 'Headers', exact: true }).click()
  const rows = page.getByRole('region', { name: 'Headers' }).locator('tr')
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => Array.from<{ textContent: string }, string>(row.children, (cell) => cell.textContent)),
  )
  return Object.fromEntries(texts.map(([name = '', value = '']) => [name, value]))
}

describe('the page in a browser', () => {
  test('shows every endpoint, with its title, and searches path and title [S-docs.page S-what.5 P6.1]', async (t) => {
    const seen = await open(t)
    if (seen === undefined) return
    const { page, complaints } = seen
    const rows = await page.locator('#list li').allInnerTexts()
    deepStrictEqual(
      rows.map((row) => row.split('\n').slice(0, 2).join(' ')).filter((row) => !row.includes('/odd/')),
      [
        'GET /business/companies',
        'GET /business/company/{registryCode}',
        'PATCH /business/company/{registryCode}',
        'POST /business/reports',
        'POST /population/faulty',
        'POST /population/person',
        'POST /xroad/allowedMethods',
        'POST /xroad/listMethods',
      ],
    )
    ok(rows.includes('PROPFIND\n/odd/find'))
    strictEqual(await page.title(), 'xroad-proxy')
    strictEqual(await page.locator('html').getAttribute('lang'), 'en')
    await page.screenshot({ path: join(pictures, 'list.png') })
    await page.getByRole('searchbox').fill('KÕIK tagasi')
    deepStrictEqual(await page.locator('#list li:not([hidden])').allInnerTexts(), [
      'POST\n/odd/echo\nSaadab kõik tagasi',
    ])
    await page.getByRole('searchbox').fill('koik')
    strictEqual(await page.locator('#list li:not([hidden])').count(), 1)
    deepStrictEqual(complaints, [])
  })

  test('a SOAP call: the params are offered, the answer is shown, nobody else is asked [S-docs.page S-docs.own]', async (t) => {
    const seen = await open(t, { path: '/docs#population_person' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    // Nothing but what this envelope takes, and no word that says nothing.
    deepStrictEqual(await page.locator('form label').allInnerTexts(), ['personalCode', 'givenName', 'X-Road-Id'])
    strictEqual(await page.locator('.description, .chips').count(), 0)
    await page.getByLabel('personalCode', { exact: true }).fill('60001019906')
    const asked = page.waitForRequest(/population/)
    await sendCall(page)
    strictEqual((await asked).postData(), '{"personalCode": 60001019906}')
    strictEqual(await statusOf(page), '200 OK')
    const { text } = await lanes.call('/population/person', { method: 'POST', body: {} })
    const { body } = JSON.parse(text) as { body: object }
    match((await page.locator('.table caption').allInnerTexts()).join(), /^body › /)
    deepStrictEqual(((await shownJson(page)) as { body: object }).body, body)
    ok('x-road-id' in (await headersShown(page)))
    await page.waitForLoadState('networkidle')
    deepStrictEqual(
      new Set(addresses.map((address) => address.replace(originOf(lanes), ''))),
      new Set(['/api', '/population/person', ...docsPaths]),
    )
    deepStrictEqual(complaints, [])
  })

  test('REST calls: query, message id and body go along as they are [S-docs.page]', async (t) => {
    const seen = await open(t, { path: '/docs#business_companies' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    await page.getByLabel('name', { exact: true }).fill('Näidis & Co')
    await page.getByLabel('X-Road-Id', { exact: true }).fill('from-the-page')
    await sendCall(page)
    strictEqual(await statusOf(page), '200 OK')
    const headers = page.locator('details', { hasText: 'Headers of the answer' })
    await headers.locator('summary').click()
    match(await headers.innerText(), /X-Road-Request-Hash\s+Hash of the request\./)
    match(addresses.at(-1) ?? '', /\/business\/companies\?name=N%C3%A4idis%20%26%20Co$/)
    ok(lanes.log.some(({ endpoint, id }) => endpoint === 'business/companies' && id === 'from-the-page'))

    await page.goto(`${originOf(lanes)}/docs#odd_echo`)
    await page.getByText('Saadab kõik tagasi').last().waitFor()
    match(await page.locator('.description').innerText(), /^For trying\.\n/)
    await page.getByLabel('query', { exact: true }).fill('a=1&2\nflag')
    await page.getByLabel('X-Road-UserId', { exact: true }).fill('EE30303039914')
    await sendCall(page)
    const json = (await shownJson(page)) as { query: string; body: string; headers: string[][] }
    deepStrictEqual([json.query, json.body], ['a=1%262&flag', '{}'])
    deepStrictEqual(json.headers.find(([name]) => name?.toLowerCase() === 'x-road-userid')?.[1], 'EE30303039914')
    deepStrictEqual(complaints, [])
  })

  test('a body of any type, typed in or out of a file [P6.1]', async (t) => {
    const seen = await open(t, { path: '/docs#odd_echo' })
    if (seen === undefined) return
    const { page, complaints } = seen
    await page.getByLabel('Body as', { exact: true }).selectOption('another type')
    await page.getByLabel('Content-Type').fill('application/xml')
    await page.getByLabel('Body', { exact: true }).fill('<a>ü</a>')
    await sendCall(page)
    const typed = (await shownJson(page)) as { body: string; headers: string[][] }
    deepStrictEqual(
      [typed.body, typed.headers.find(([name]) => name?.toLowerCase() === 'content-type')?.[1]],
      ['<a>ü</a>', 'application/xml'],
    )
    match(
      (await page.locator('.curl code').textContent()) ?? '',
      /-H 'Content-Type: application\/xml' --data-raw '<a>ü<\/a>'$/,
    )
    await page
      .getByLabel('or a file')
      .setInputFiles({ name: 'x.txt', mimeType: 'text/csv', buffer: Buffer.from('1;2') })
    strictEqual(await page.getByLabel('Content-Type').inputValue(), 'text/csv')
    const answered = page.waitForResponse(/odd\/echo/)
    await page.getByRole('button', { name: 'Send' }).click()
    strictEqual(((await (await answered).json()) as { body: string }).body, '1;2')
    deepStrictEqual(complaints, [])
  })

  test('answers of each kind: XML laid out, bytes to be saved, pictures, none [P6.1]', async (t) => {
    const seen = await open(t, { path: '/docs#odd_xml' })
    if (seen === undefined) return
    const { page, complaints } = seen
    await sendCall(page)
    strictEqual((await shownIn(page, 'XML')).split('Save')[1]?.trim(), '<note>\n  <to>Mari</to>\n  <empty/>\n</note>')
    await page.goto(`${originOf(lanes)}/docs#odd_bytes`)
    await sendCall(page)
    match(await shownIn(page, 'File'), /^application\/octet-stream, not shown here\./)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save' }).click()
    const download = await saved
    strictEqual(download.suggestedFilename(), 'bytes.bin')
    deepStrictEqual([...readFileSync(await download.path())], [0, 1, 2, 255])
    await page.goto(`${originOf(lanes)}/docs#odd_empty`)
    await sendCall(page)
    deepStrictEqual([await statusOf(page), await shownIn(page, 'Body')], ['204 No Content', 'No content.'])
    await page.goto(`${originOf(lanes)}/docs#odd_moved`)
    await sendCall(page)
    match(await page.locator('.answer').innerText(), /^A redirect\./)
    await page.goto(`${originOf(lanes)}/docs#odd_head`)
    await sendCall(page)
    strictEqual(await shownIn(page, 'Body'), 'No content.')
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await page.route('**/odd/picture', (route) =>
      route.fulfill({ contentType: 'image/png', body: Buffer.from(dot, 'base64') }),
    )
    await page.goto(`${originOf(lanes)}/docs#odd_picture`)
    await sendCall(page)
    await page.waitForFunction("document.querySelector('.picture img')?.naturalWidth === 1")
    deepStrictEqual(complaints, [])
  })

  test('a method that OpenAPI has no place for can be sent [P6.1]', async (t) => {
    const seen = await open(t, { path: '/docs#odd_find' })
    if (seen === undefined) return
    const { page } = seen
    const asked = page.waitForRequest(/odd\/find/)
    await sendCall(page)
    strictEqual((await asked).method(), 'PROPFIND')
    // A Security Server knows fewer methods, and says so.
    ok((await page.locator('.problem, .json pre').count()) > 0)
  })

  test('an error is shown with its status and its words, and how it may fail is folded away [S-docs.page P6.1]', async (t) => {
    const seen = await open(t, { path: '/docs#population_faulty' })
    if (seen === undefined) return
    const { page } = seen
    const errors = page.locator('details', { hasText: 'How it may fail' })
    strictEqual(await errors.getAttribute('open'), null)
    strictEqual(await page.getByText('upstream_soap_fault').isVisible(), false)
    await sendCall(page)
    strictEqual((await statusOf(page)).slice(0, 3), '502')
    match(await page.locator('.problem').innerText(), /^upstream_soap_fault\s[^]*Server\.Paper/)
    await errors.locator('summary').click()
    match(
      await errors.innerText(),
      /502[^]*upstream_soap_fault The answer was a SOAP fault\.\s+with code, string, source, detail/,
    )
    await page.screenshot({ path: join(pictures, 'error.png') })
  })

  test('what DSL files say is text, never markup [P6.1]', async (t) => {
    const seen = await open(t, { path: '/docs#odd_attack' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    for (const place of ['.summary', '.description', '#list small', 'form label']) {
      ok(
        (await page.locator(place).allTextContents()).some((text) => text.includes("document.title='hacked'")),
        place,
      )
    }
    await page.getByLabel('__proto__', { exact: true }).fill('x')
    const asked = page.waitForRequest(/odd\/attack/)
    await sendCall(page)
    match((await asked).postData() ?? '', /"__proto__": "x"/)
    await page.goto(`${originOf(lanes)}/docs#odd_it_s_b_100_%C3%A4_`)
    await page.locator('h1').waitFor()
    match(await page.locator('h1').innerText(), /it's <b>100% \{ä\}/)
    await sendCall(page)
    strictEqual(await statusOf(page), '200 OK')
    strictEqual(await page.locator('main img, main script, #list img, main b').count(), 0)
    strictEqual(await page.title(), 'xroad-proxy')
    ok(addresses.every((address) => !address.endsWith('/x')))
    // Its answer is no SOAP.
    deepStrictEqual(
      complaints.filter((text) => !text.includes('502')),
      [],
    )
  })

  test('a call can be made with the keyboard alone [S-docs.page]', async (t) => {
    const seen = await open(t)
    if (seen === undefined) return
    const { page, complaints } = seen
    await page.keyboard.press('/')
    await page.keyboard.type('listMethods')
    await page.keyboard.press('Enter')
    await page.locator('article').waitFor()
    await page.waitForFunction("document.activeElement.closest('form') !== null")
    await page.keyboard.press('Enter')
    await page.locator('.answer').waitFor()
    strictEqual(await statusOf(page), '200 OK')
    for (let presses = 0; presses < 30; presses += 1) {
      if (await page.evaluate("document.activeElement.getAttribute('role') === 'tab'")) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('ArrowRight')
    strictEqual(await page.evaluate('document.activeElement.textContent'), 'JSON')
    ok(await page.locator('.json pre').isVisible())
    deepStrictEqual(complaints, [])
  })

  test('works below a path that a proxy puts before it [S-docs.prefix]', async (t) => {
    const proxy = await startPrefixProxy('/gate/x-road', lanes.port)
    t.after(() => proxy.close())
    const origin = originOf(proxy.address() as AddressInfo)
    const seen = await open(t, { origin, path: '/gate/x-road/docs#population_person' })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    await sendCall(page)
    strictEqual(await statusOf(page), '200 OK')
    ok(addresses.includes(`${origin}/gate/x-road/population/person`))
    deepStrictEqual(
      addresses.filter((address) => !address.startsWith(`${origin}/gate/x-road/`)),
      [],
    )
    deepStrictEqual(complaints, [])
  })
})

describe('as whom calls go out [P6.1]', () => {
  test('instance and client stand beside the list, and a test instance has no banner', async (t) => {
    const seen = await open(t)
    if (seen === undefined) return
    const { page } = seen
    strictEqual(await page.locator('nav .about').innerText(), 'Instance\nee-test\nClient\nGOV/70000000/demo')
    strictEqual(await page.locator('.banner').count(), 0)
  })

  test('of production a banner says that calls are real, on a phone and in the dark as well', async (t) => {
    const config = { xroad_instance: 'EE', docs: { show_upstream: true } }
    const real = await startLanes({ dsl: filesBelow('DSL'), config })
    t.after(() => real.close())
    for (const look of [{}, { dark: true }, { width: 390, height: 844 }]) {
      const seen = await open(t, { ...look, origin: originOf(real) })
      if (seen === undefined) return
      const { page, complaints } = seen
      const banner = page.getByRole('note')
      strictEqual(await banner.innerText(), 'Calls from this page are real: EE is not a test instance.')
      match(await page.locator('nav .about').innerText(), /Security Server\n127\.0\.0\.1:\d+$/)
      await page.locator('#list a', { hasText: '/population/person' }).click()
      await page.locator('article').waitFor()
      ok(await banner.isVisible())
      strictEqual(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
      deepStrictEqual(complaints, [])
    }
  })
})

/** The example, with an attachment in place of a name. */
const attachedFile = String(filesBelow('DSL')['population/person.yml'])
  .replace('params: [personalCode, givenName]', 'params: [personalCode, scan]')
  .replace('<pop:name given="{{xml_attr givenName}}"/>', '<pop:scan href="{{swa_ref scan}}"/>')

describe('endpoints of other kinds [P6.1]', () => {
  let other: Lanes

  before(async () => {
    const { keystore } = sharedPki().files
    const tax = { member_class: 'GOV', member_code: '70000349', subsystem_code: 'tax', keystore_path: keystore }
    other = await startLanes({
      dsl: {
        'g/default.yml': restFile('echo'),
        'g/tax.yml': restFile('echo', { client: 'tax' }),
        'g/direct.yml': soapFile('https://service.example.org/soap'),
        'g/attached.yml': attachedFile,
        'g/checked.yml': JSON.stringify({
          method: 'POST',
          validate_requests: 'refuse',
          params: {
            code: { type: 'string', required: true, pattern: '\\d{11}', description: 'Eleven digits.' },
            year: { type: 'integer' },
            state: { type: 'string', enum: ['new', 'old'] },
          },
          envelope: '<q>{{code}}{{year}}{{state}}</q>',
        }),
        'g/people.yml': restFile('echo', {
          method: undefined,
          methods: ['GET', 'PUT'],
          target: { ...target, path: '/{id}/{rest+}' },
        }),
      },
      config: { clients: { tax } },
    })
  })

  after(() => other.close())

  test('where clients differ each endpoint says its own, and a direct call none', async (t) => {
    const origin = originOf(other)
    const seen = await open(t, { origin })
    if (seen === undefined) return
    const { page } = seen
    match(await page.locator('nav .about').innerText(), /Client\ndiffers, see each endpoint$/)
    for (const [id, facts] of [
      ['g_default', ['Client\nGOV/70000000/demo']],
      ['g_tax', ['Client\nGOV/70000349/tax']],
      ['g_direct', []],
    ] as const) {
      await page.goto(`${origin}/docs#${id}`)
      await page.locator('article').waitFor()
      deepStrictEqual(await page.locator('article .about').allInnerTexts(), facts)
    }
  })

  test('declared params have their types, and what a check says of one stands beside its field', async (t) => {
    const seen = await open(t, { origin: originOf(other), path: '/docs#g_checked' })
    if (seen === undefined) return
    const { page } = seen
    const facts = await page.locator('form .type').allInnerTexts()
    match(facts[0] ?? '', /^text, like \\d\{11\}$/)
    match(facts[1] ?? '', /^integer, optional$/)
    deepStrictEqual(await page.getByLabel('state', { exact: true }).locator('option').allInnerTexts(), [
      'left out',
      'new',
      'old',
    ])
    await page.getByLabel('state', { exact: true }).selectOption('old')
    match((await page.locator('.curl code').textContent()) ?? '', /"state": "old"/)
    await page.getByLabel('state', { exact: true }).selectOption('left out')
    doesNotMatch((await page.locator('.curl code').textContent()) ?? '', /state/)
    await page.getByLabel('code', { exact: true }).fill('1')
    await page.getByLabel('year', { exact: true }).fill('x')
    await sendCall(page)
    strictEqual((await statusOf(page)).slice(0, 3), '400')
    match(await page.locator('.problem').innerText(), /^invalid_request[^]*code[^]*year/)
    strictEqual(await page.locator('.mistake:visible').count(), 2)
    strictEqual(await page.getByLabel('code', { exact: true }).getAttribute('aria-invalid'), '')
    await page.screenshot({ path: join(pictures, 'refused.png') })
  })

  test('parts of the path are fields, those that are missing are told', async (t) => {
    const seen = await open(t, { origin: originOf(other), path: '/docs' })
    if (seen === undefined) return
    const { page } = seen
    await page.locator('#list a', { hasText: 'PUT' }).click()
    await page.locator('article').waitFor()
    strictEqual(await page.locator('.curl').isVisible(), false)
    await page.getByRole('button', { name: 'Send' }).click()
    strictEqual(await page.locator('.mistake:visible').innerText(), 'The path needs a value.')
    await page.getByLabel('id', { exact: true }).fill('a/b')
    await page.getByLabel('rest', { exact: true }).fill('c/d e')
    await sendCall(page)
    const { method, path } = (await shownJson(page)) as { method: string; path: string }
    deepStrictEqual([method, path.split('/echo')[1]], ['PUT', '/a%2Fb/c/d%20e'])
  })

  test('an attachment is a file of a form, or base64 that a file fills in', async (t) => {
    const seen = await open(t, { origin: originOf(other), path: '/docs#g_attached' })
    if (seen === undefined) return
    const { page } = seen
    const file = { name: 'scan "1".pdf', mimeType: 'application/pdf', buffer: Buffer.from([1, 2, 255]) }
    await page.locator('.entry input[type=file]').setInputFiles(file)
    await page.waitForFunction("document.querySelector('.entry input[type=text]:not(.unused)')?.value === 'AQL/'")
    await page.getByLabel('personalCode', { exact: true }).fill('2026')
    const asJson = page.waitForRequest(/attached/)
    await sendCall(page)
    strictEqual((await asJson).postData(), '{"personalCode": 2026, "scan": "AQL/"}')
    strictEqual((await statusOf(page)).slice(0, 3), '200')
    await page.getByLabel('Body as', { exact: true }).selectOption('multipart/form-data')
    await page.getByLabel('scan', { exact: true }).setInputFiles(file)
    await page.getByLabel('personalCode', { exact: true }).fill('2026')
    match(
      (await page.locator('.curl code').textContent()) ?? '',
      /--form-string 'personalCode=2026' -F 'scan=@"scan \\"1\\"\.pdf";type=application\/pdf'$/,
    )
    const asParts = page.waitForRequest(/attached/)
    const answered = page.waitForResponse(/attached/)
    await page.getByRole('button', { name: 'Send' }).click()
    match((await (await asParts).allHeaders())['content-type'] ?? '', /^multipart\/form-data; boundary=/)
    // A file before a text would be refused; the mock sends back what it was sent.
    strictEqual((await answered).status(), 200, await (await answered).text())
  })
})

/** Documentation that XML reads as the attack. */
const escaped = attack.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** A request of a code, or of a first and a last name. */
const choice = `<x:complexType name="One"><x:choice><x:element name="code" type="x:string"/>
  <x:sequence><x:element name="first" type="x:string"/><x:element name="last" type="x:string"/></x:sequence></x:choice></x:complexType>`

test('a choice of a WSDL: the form asks which, and sends that and nothing else [P6.1]', async (t) => {
  const folder = newFolder({
    'register/api.wsdl': wsdlOf(['find'], { schema: choice, type: 't:One' }).replace(
      '<wsdl:operation name="find"><wsdl:input m',
      `<wsdl:operation name="find"><wsdl:documentation>${escaped}</wsdl:documentation><wsdl:input m`,
    ),
    'register/api.meta.yaml': 'member_class: GOV\nmember_code: "70000000"\nsubsystem_code: demo\n',
  })
  const chosen = await startLanes({ dsl: {}, config: { wsdl_watch_dir: folder } })
  t.after(() => chosen.close())
  const seen = await open(t, { origin: originOf(chosen) })
  if (seen === undefined) return
  const { page, complaints } = seen
  await page.locator('#list a').first().click()
  await page.locator('article').waitFor()
  const labels = (): Promise<string[]> => page.locator('form label:visible').allInnerTexts()
  strictEqual(await page.locator('.description').textContent(), attack)
  const headers = ['X-Road-Id', 'X-Road-UserId', 'X-Road-Issue']
  deepStrictEqual(await labels(), ['One of', 'code', ...headers])
  await page.getByLabel('One of').selectOption('first, last')
  deepStrictEqual(await labels(), ['One of', 'first', 'last', ...headers])
  await page.getByLabel('first', { exact: true }).fill('Mari')
  await page.getByLabel('last', { exact: true }).fill('Männik')
  const asked = page.waitForRequest((request) => request.method() === 'POST')
  await sendCall(page)
  strictEqual((await asked).postData(), '{"first": "Mari", "last": "Männik"}')
  // From JSON the form finds the branch again.
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  await page.getByLabel('Body as JSON').fill('{"code": "1"}')
  await page.getByRole('button', { name: 'Edit as fields' }).click()
  deepStrictEqual(await labels(), ['One of', 'code', ...headers])
  deepStrictEqual(
    complaints.filter((text) => !/50\d/.test(text)),
    [],
  )
})

test('a fragment that cannot be decoded shows the list [F10]', async (t) => {
  const seen = await open(t, { path: '/docs#%' })
  if (seen === undefined) return
  const { page, complaints } = seen
  await page.locator('#list a').first().waitFor({ state: 'attached' })
  deepStrictEqual(complaints, [])
})

test('every text can be read in light and dark: contrast of 4.5 at least [P6.1]', async (t) => {
  const seen = await open(t)
  if (seen === undefined) return
  const { page } = seen
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const path of ['/docs#population_faulty', '/docs#odd_echo', '/docs#population_person']) {
      // From elsewhere, so that the page is loaded and not only told of another hash.
      await page.goto('about:blank')
      await page.goto(originOf(lanes) + path)
      await page.locator('#list a').first().waitFor({ state: 'attached' })
      await sendCall(page)
      await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
      deepStrictEqual(await page.evaluate(faintTexts), [], `${path} ${colorScheme}`)
    }
  }
})

/** In the browser: texts of the page whose colour is too near to what is behind them (WCAG 2.2, 1.4.3). */
const faintTexts = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const read = (color, under) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = under
    canvas.fillRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }
  const toColor = (rgb) => 'rgb(' + rgb.join(' ') + ')'
  const behind = (element) => {
    const all = []
    for (let at = element; at !== null; at = at.parentElement) all.unshift(getComputedStyle(at).backgroundColor)
    return all.reduce((under, color) => toColor(read(color, under)), 'white')
  }
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const found = new Set()
  for (const element of document.querySelectorAll('body *')) {
    const text = Array.from(element.childNodes, (node) => (node.nodeType === 3 ? node.data.trim() : '')).join('')
    if (text === '' || !element.checkVisibility() || element.closest('.skip, .unseen') !== null) continue
    const under = behind(element)
    const [a, b] = [luminance(read(getComputedStyle(element).color, under)), luminance(read('transparent', under))]
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) found.add(element.tagName + '.' + element.className + ' ' + contrast.toFixed(2) + ' ' + text.slice(0, 20))
  }
  return [...found]
})()`

describe('hundreds of operations [P6.2]', () => {
  const count = 540
  let large: Lanes

  before(async () => {
    const folder = newFolder({
      'register/api.wsdl': largeWsdl(count),
      'register/api.meta.yaml': 'member_class: GOV\nmember_code: "70000000"\nsubsystem_code: demo\n',
    })
    large = await startLanes({ dsl: {}, config: { wsdl_watch_dir: folder } })
  })

  after(() => large.close())

  // Milliseconds are for `npm run bench:docs`: here is what they come from.
  test('a few elements for each in the list; an operation is read when it is opened, and asks for nothing', async (t) => {
    const seen = await open(t, { origin: originOf(large) })
    if (seen === undefined) return
    const { page, addresses, complaints } = seen
    strictEqual(await page.locator('#list a').count(), count)
    const elements = (): Promise<number> => page.evaluate<number>("document.querySelectorAll('*').length")
    const before = await elements()
    ok(before < 8 * count + 200, `${before} elements`)
    const asked = addresses.length
    for (const index of [0, 300, count - 1]) {
      await page.locator('#list a').nth(index).click()
      await page.locator('article').waitFor()
      const own = await page.locator('article *').count()
      ok(own < 300, `${own} elements of an operation`)
    }
    strictEqual(addresses.length, asked)
    // A graph of types that hold each other unfolds as far as somebody looks.
    await page.locator('summary', { hasText: 'What the request holds' }).click()
    ok((await page.locator('article *').count()) < 1500)
    await page.getByRole('searchbox').fill('operation539')
    strictEqual(await page.locator('#list li:not([hidden])').count(), 1)
    deepStrictEqual(complaints, [])
  })
})

test('the picture of the README', async (t) => {
  const shown = await startLanes({ dsl: filesBelow('DSL'), answers: filesBelow('answers') })
  t.after(() => shown.close())
  const seen = await open(t, { origin: originOf(shown), path: '/docs#population_person', width: 1100, height: 790 })
  if (seen === undefined) return
  const { page } = seen
  await page.getByLabel('personalCode', { exact: true }).fill('60001019906')
  await sendCall(page)
  // The port differs with each start.
  await page.evaluate(
    "document.querySelector('.curl code').textContent = document.querySelector('.curl code').textContent.replace(/:\\d+/, ':8080')",
  )
  await page.evaluate("document.querySelector('.status').nextSibling.textContent = '21 ms'")
  await page.screenshot({ path: join(pictures, 'call.png') })
})
