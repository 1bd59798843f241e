/**
 * The site of the manuals: which pages it has, that their links lead somewhere, and, where its generator is installed,
 * the site itself in a real browser. `npm run site` installs the generator; nothing else does.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page as Tab } from 'playwright-core'
import { newFolder, until } from '@services/testing'
import { openBrowser } from '@services/testing/browser'
import { problemsOfBuilt } from './site/built.ts'
import { checkLinks } from './site/links.ts'
import { headingsOf, linksOf, toAnchor } from './site/markdown.ts'
import { addressOfFile, pageInCode, readSite } from './site/pages.ts'
import { serve, type Served } from './site/serve.ts'

/** For what takes a second where nothing else runs. */
const patienceMs = 300_000
const root = resolve(import.meta.dirname, '..')
const site = readSite(root)

describe('pages', () => {
  test('every manual, changelog and page about the code is one, each at an address of its own [O5.4]', () => {
    const wanted = globSync(
      ['*.md', 'deploy/*.md', 'docs/*.md', 'packages/*/*.md', 'services/*/*.md', 'services/*/{docs,bench}/*.md'],
      { cwd: root },
    ).map((file) => file.replaceAll('\\', '/'))
    const files = site.pages.map(({ file }) => file)
    deepStrictEqual(
      wanted.filter((file) => !files.includes(file)),
      [],
    )
    strictEqual(new Set(site.pages.map(({ place }) => place)).size, files.length)
    deepStrictEqual(
      site.left.filter((file) => !/^\.github\/|\/test\//.test(file)),
      [],
    )
  })

  test('every page stands once in the navigation, those of a service in the order of its README [O5.4]', () => {
    const listed = Object.values(site.groups).flatMap((groups) => groups.flatMap(({ pages }) => pages))
    deepStrictEqual(
      listed.map(({ file }) => file).toSorted(),
      site.pages.map(({ file }) => file),
    )
    for (const service of ['sqlapi', 'xroad-proxy']) {
      const groups = site.groups[`/${service}/`] ?? []
      ok(groups.length >= 4, groups.map(({ text }) => text).join())
      ok(groups.every(({ pages }) => pages.length > 0))
    }
  })

  test('a page that is named in backquotes is found from the root and from its service [O5.4]', () => {
    const named = (from: string, code: string): string | undefined => pageInCode(site, from, code)?.file
    strictEqual(named('services/sqlapi/README.md', 'bench/README.md'), 'services/sqlapi/bench/README.md')
    strictEqual(named('services/sqlapi/docs/operations.md', 'deploy/README.md'), 'deploy/README.md')
    strictEqual(named('services/sqlapi/README.md', 'CONTRIBUTING.md'), 'CONTRIBUTING.md')
    for (const other of ['README.md', 'operations.md', 'sqlapi.yaml', 'docs/nothing.md', '../README.md']) {
      strictEqual(named('services/sqlapi/README.md', other), undefined, other)
    }
  })
})

describe('links', () => {
  test('all of the pages lead somewhere, with their anchors [O5.4]', () => {
    const { problems, count } = checkLinks(root, site)
    deepStrictEqual(problems, [])
    ok(count > 300)
  })

  test('anchors are those that GitHub makes [O5.4]', () => {
    for (const [heading, anchor] of [
      ['Who may call', 'who-may-call'],
      ['What 2.5 is: a test', 'what-25-is-a-test'],
      ['1.  Two  spaces', '1--two--spaces'],
      ['`wsdl add`', 'wsdl-add'],
      ['snake_case and dash-es', 'snake_case-and-dash-es'],
      ['A [link](x.md) *here*', 'a-link-here'],
      ['Õppetoetus & co', 'õppetoetus--co'],
      ['"quoted", (round) <angle>?', 'quoted-round-angle'],
    ] as const) {
      deepStrictEqual(
        headingsOf(`## ${heading}\n`).map((found) => found.anchor),
        [anchor],
      )
      strictEqual(toAnchor(anchor), anchor, 'an anchor stays what it is')
    }
    deepStrictEqual(
      headingsOf('# A\n## A\n### A ##\n```\n# no heading\n```\n    # code\n#no\n').map(({ anchor }) => anchor),
      ['a', 'a-1', 'a-2'],
    )
  })

  test('what stands in code is not a link, everything else is one [O5.4]', () => {
    const text = [
      '[a](a.md) `[b](b.md)` ``[c](`c.md`)`` [d](d.md "title") [e](<e.md>)',
      '```',
      '[f](f.md)',
      '```',
      '![g](g.svg) <img width="3" src="h.png"> <a href="i.md#x">i</a>',
      '[j]: j.md',
    ].join('\n')
    deepStrictEqual(
      linksOf(text).map(({ target, line }) => `${line} ${target}`),
      ['1 a.md', '1 d.md', '1 e.md', '5 g.svg', '5 h.png', '5 i.md#x', '6 j.md'],
    )
  })

  test('each kind of a link that leads nowhere is told with file and line [O5.4]', () => {
    const folder = newFolder({
      'README.md': '# Home\n\n[fine](docs/a.md#b) [fine](#home) [file](x.txt) [folder](docs/) ![](p.svg)\n',
      'docs/a.md': [
        '# A',
        '## B',
        '[gone](gone.md)',
        '[gone](#gone)',
        '[gone](../README.md#gone)',
        '[out](../../out.md)',
        '![gone](gone.png)',
        '[no page](../.hidden.md)',
        '[no heading](../x.txt#x)',
        '[elsewhere](https://nowhere.invalid/x#y) [mail](mailto:a@b.example)',
      ].join('\n'),
      '.hidden.md': '# Hidden\n',
      'x.txt': 'x',
      'p.svg': '<svg/>',
      'services/sqlapi/README.md': '# sqlapi\n',
      'services/xroad-proxy/README.md': '# xroad-proxy\n',
    })
    const { problems, files } = checkLinks(folder, readSite(folder))
    deepStrictEqual(
      problems.map((problem) => problem.split(': ').slice(0, 2).join(' ')),
      [
        'docs/a.md:3 gone.md',
        'docs/a.md:4 #gone',
        'docs/a.md:5 ../README.md#gone',
        'docs/a.md:6 ../../out.md',
        'docs/a.md:7 gone.png',
        'docs/a.md:8 ../.hidden.md',
        'docs/a.md:9 ../x.txt#x',
      ],
    )
    deepStrictEqual(files, ['docs', 'x.txt'])
  })

  test('of what was built each dead link, anchor and picture is told, and what others would be asked for [O5.4]', () => {
    const folder = newFolder({
      'index.html': [
        '<h1 id="top">x</h1> <a href="/s/a.html">page</a> <a href="/s/a.html#b&amp;c">anchor</a> <a href="#top">here</a>',
        '<a href="https://example.org/">elsewhere</a> <img src="./p.png"> <a href="/s/">home</a>',
      ].join('\n'),
      'a.html': [
        '<h2 id="b&amp;c">b</h2><a href="/s/gone.html">x</a><a href="#gone">x</a><a href="/a.html">x</a>',
        '<img src="/s/gone.png"><script src="https://cdn.example.org/x.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.org/x.css">',
      ].join('\n'),
      'p.png': '',
    })
    const problems = problemsOfBuilt(folder, '/s/').toSorted()
    deepStrictEqual(
      problems.map((problem) => problem.replace(/^a\.html: /, '')),
      [
        '#gone: no such anchor',
        '/a.html: no such file',
        '/s/gone.html: no such file',
        '/s/gone.png: no such file',
        '<link rel="stylesheet" href="//fonts.example.org/x.css">: fetched from another host',
        '<script src="https://cdn.example.org/x.js">: fetched from another host',
      ].toSorted(),
    )
  })
})

const generator = join(root, 'tools/site/node_modules/.install-stamp')
const withoutGenerator = existsSync(generator)
  ? false
  : 'the generator of the site is not installed; `npm run site` does it'

describe('the site, at a path of its own', { skip: withoutGenerator }, () => {
  const base = '/manuals/'
  const folder = newFolder()
  let served: Served
  let browser: Browser | undefined
  let reason = ''
  let tab: Tab
  /** What the browser says, and what it asks others for. */
  const complaints: string[] = []

  before(async () => {
    const program = join(root, 'tools/site/build.ts')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--base', base, '--out', folder], {
      cwd: root,
      encoding: 'utf8',
    })
    strictEqual(status, 0, stdout + stderr)
    served = await serve(folder, base)
    const opened = await openBrowser()
    if ('reason' in opened) {
      reason = opened.reason
      return
    }
    browser = opened
    tab = await opened.newPage({ viewport: { width: 1400, height: 900 } })
    tab.setDefaultTimeout(patienceMs)
    tab.on('pageerror', ({ message }) => complaints.push(message))
    tab.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    tab.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(served.url) && !url.startsWith('data:')) complaints.push(url)
    })
  })
  after(async () => {
    await browser?.close()
    await served.close()
  })

  /** Loads a page anew and waits until its scripts run. */
  async function open(page: string): Promise<void> {
    await tab.goto(served.url + page)
    await tab.waitForFunction(`document.querySelector('#app')?.__vue_app__ !== undefined`)
  }

  async function keepPicture(name: string): Promise<void> {
    const { DOCS_PICTURES: pictures } = process.env
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    writeFileSync(join(pictures, `site-${name}.png`), await tab.screenshot())
  }

  test('has every page, the files that they link, and links that lead somewhere [O5.4]', async () => {
    for (const { place } of site.pages) ok(existsSync(join(folder, place.replace(/md$/, 'html'))), place)
    for (const file of checkLinks(root, site).files) ok(existsSync(join(folder, addressOfFile(file))), file)
    deepStrictEqual(problemsOfBuilt(folder, base), [])
    strictEqual((await fetch(`${served.url}sqlapi/`)).status, 200)
    strictEqual((await fetch(`${served.url}nothing`)).status, 404)
  })

  test('is walked through by its lists, with the pictures of the pages [O5.4]', async (t) => {
    if (browser === undefined) return t.skip(reason)
    await open('')
    await keepPicture('home')
    await tab.locator('.VPNavBarMenu').getByText('xroad-proxy').click()
    await tab.waitForURL('**/xroad-proxy/')
    await tab.locator('.VPSidebar').getByText('SOAP services').click()
    await tab.waitForURL('**/xroad-proxy/soap.html')
    await tab.locator('.VPDocAsideOutline').getByText('Templates').click()
    await tab.waitForURL('**/soap.html#templates')
    strictEqual(await tab.title(), 'SOAP services | xroad-proxy')
    for (const page of ['', 'sqlapi/bench.html', 'xroad-proxy/bench.html']) {
      await open(page)
      const shown =
        'Array.from(document.querySelectorAll("main img"), ({ naturalWidth, complete }) => complete && naturalWidth > 99)'
      await until(async () => {
        const pictures = (await tab.evaluate(shown)) as boolean[]
        return pictures.length > 0 && pictures.every(Boolean)
      }, `the pictures of /${page}`)
    }
    return undefined
  })

  test('is searched without asking anybody else [O5.4]', async (t) => {
    if (browser === undefined) return t.skip(reason)
    await open('')
    await tab.locator('.VPNavBarSearch button').first().click()
    await tab.locator('.VPLocalSearchBox input').fill('max_inflight_bytes')
    await tab.locator('.VPLocalSearchBox .result').first().waitFor()
    await keepPicture('search')
    const titles = await tab.locator('.VPLocalSearchBox .result .title').allTextContents()
    ok(titles.includes('xroad-proxy: Configuration'), titles.join())
    await tab.locator('.VPLocalSearchBox .result').first().click()
    await tab.waitForURL('**/xroad-proxy/*')
    return undefined
  })

  test('is dark for those who like it so [O5.4]', async (t) => {
    if (browser === undefined) return t.skip(reason)
    await tab.emulateMedia({ colorScheme: 'light' })
    await open('sqlapi/bench.html')
    const ground = (): Promise<unknown> => tab.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await tab.emulateMedia({ colorScheme: 'dark' })
    await until(async () => (await ground()) !== light, 'another ground')
    await keepPicture('dark')
    await tab.emulateMedia({ colorScheme: 'light' })
    return undefined
  })

  test('fits a phone: tables scroll, pages do not [O5.4]', async (t) => {
    if (browser === undefined) return t.skip(reason)
    await tab.setViewportSize({ width: 360, height: 740 })
    const widest = [
      'deploy',
      'guarantees',
      'sqlapi/configuration',
      'sqlapi/bench',
      'xroad-proxy/configuration',
      'xroad-proxy/soap',
    ]
    for (const page of widest) {
      await open(`${page}.html`)
      strictEqual(await tab.evaluate('document.documentElement.scrollWidth'), 360, page)
    }
    await keepPicture('phone')
    return undefined
  })

  test('its pages say nothing to the console, and fetch from nobody else [O5.4]', (t) => {
    if (browser === undefined) return t.skip(reason)
    deepStrictEqual(complaints, [])
    return undefined
  })
})
