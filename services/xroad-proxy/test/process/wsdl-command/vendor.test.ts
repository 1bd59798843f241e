/** `wsdl vendor` against a server that a test plays: what is fetched, listed, compared and refused. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Files, newFolder } from '@services/testing'
import { type DownloadRules, openDownloader } from '../../../src/wsdl-command/download.ts'
import { findWsdls } from '../../../src/wsdl-command/paths.ts'
import { vendor, type VendorStep } from '../../../src/wsdl-command/vendor.ts'
import { readVendored } from '../../../src/wsdl/schema/vendored.ts'
import { spawnProxy } from '../../support/process.ts'
import { openSite, type Page, type PageSite } from '../../support/upstreams/page-site.ts'
import { drop, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

let site: PageSite

before(async () => {
  site = await openSite()
})
after(() => site.close())
beforeEach(() => {
  site.pages = {}
  site.asked = []
})

const rules: DownloadRules = { allowHosts: [], privateHosts: ['127.0.0.1'], allowHttp: true, maxBytes: 100_000 }

const schema = (inside: string) =>
  `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">${inside}</x:schema>`
const include = (location: string) => `<x:include schemaLocation="${location}"/>`
const far = '<x:complexType name="Far"><x:sequence><x:element name="far" type="x:string"/></x:sequence></x:complexType>'

function wsdl(...locations: readonly string[]): string {
  return wsdlOf(['find'], { schema: locations.map(include).join(''), type: 't:Far' })
}

async function run(folder: string, more: Partial<DownloadRules> = {}): Promise<readonly VendorStep[]> {
  const downloader = openDownloader({ ...rules, ...more })
  try {
    const steps: VendorStep[] = []
    for (const found of findWsdls(folder)) steps.push(...(await vendor(found, downloader)))
    return steps
  } finally {
    await downloader.close()
  }
}

const outcomes = (steps: readonly VendorStep[]) => steps.map(({ outcome }) => outcome)
const words = (steps: readonly VendorStep[]) => steps.map(({ subject, detail }) => `${subject} ${detail}`).join('\n')

test('what a killed run has left beside the WSDL is removed by the next one, and nothing else is [X30]', async () => {
  site.pages = { '/s/one.xsd': schema(far) }
  const folder = newFolder({ 'a/api.wsdl': wsdl(`${site.base}/s/one.xsd`) })
  const plant = (content: string | Buffer): string => {
    const name = `.${randomUUID()}.tmp`
    writeFileSync(join(folder, 'a', name), content)
    return name
  }
  const left = [
    '',
    Buffer.alloc(4096),
    '<?xml version="1.0"?><x:sch',
    '{\n  "files": [',
    Buffer.from('\ufeff<a/>', 'utf16le'),
  ]
  for (const content of left) plant(content)
  const kept = [plant('what I still have to do here\n'), '.notes.tmp']
  writeFileSync(join(folder, 'a/.notes.tmp'), '')
  deepStrictEqual(outcomes(await run(folder)), ['fetched'])
  const expected = [...kept, 'api.vendor.json', 'api.wsdl', 'one.xsd']
  deepStrictEqual(readdirSync(join(folder, 'a')).toSorted(), expected.toSorted())
})

test('schemas are fetched once, with what they name, listed with their digests, and then used by the service [D5.1]', async () => {
  site.pages = {
    '/s/one.xsd': schema(include('parts/two.xsd')),
    '/s/parts/two.xsd': schema(include('../one.xsd') + far),
  }
  const dropped = drop({
    'wsdl/a/api.wsdl': wsdl(`${site.base}/s/one.xsd`),
    'wsdl/a/api.meta.yaml': 'member_class: GOV\nmember_code: 1\n',
  })
  strictEqual(dropped.endpoints().length, 0)
  const folder = join(dropped.folder, 'wsdl')
  deepStrictEqual(outcomes(await run(folder)), ['fetched', 'fetched'])
  deepStrictEqual(readdirSync(join(folder, 'a')).toSorted(), [
    'api.meta.yaml',
    'api.vendor.json',
    'api.wsdl',
    'one.xsd',
    'two.xsd',
  ])
  const list = readFileSync(join(folder, 'a/api.vendor.json'), 'utf8')
  deepStrictEqual(readVendored(list), [
    { url: `${site.base}/s/one.xsd`, file: 'one.xsd', sha256: digest(site.pages['/s/one.xsd']) },
    { url: `${site.base}/s/parts/two.xsd`, file: 'two.xsd', sha256: digest(site.pages['/s/parts/two.xsd']) },
  ])
  deepStrictEqual(dropped.again().warnings, [])
  strictEqual(dropped.endpoints().length, 1)

  site.asked = []
  deepStrictEqual(outcomes(await run(folder)), ['unchanged', 'unchanged'])
  deepStrictEqual(site.asked, [])
  strictEqual(readFileSync(join(folder, 'a/api.vendor.json'), 'utf8'), list)
})

function digest(page: Page = ''): string {
  ok(typeof page === 'string')
  return createHash('sha256').update(page).digest('hex')
}

describe('later runs [D5.1]', () => {
  async function fetched(): Promise<string> {
    site.pages['/one.xsd'] = schema(far)
    const folder = newFolder({ 'api.wsdl': wsdl(`${site.base}/one.xsd`) })
    deepStrictEqual(outcomes(await run(folder)), ['fetched'])
    return folder
  }

  test('a file that was changed here is told and left alone', async () => {
    const folder = await fetched()
    writeFileSync(join(folder, 'one.xsd'), schema(`${far} `))
    const steps = await run(folder)
    deepStrictEqual(outcomes(steps), ['failed'])
    match(words(steps), /has been changed since/)
    strictEqual(readFileSync(join(folder, 'one.xsd'), 'utf8'), schema(`${far} `))
  })

  test('a missing file is fetched again, and only as it was', async () => {
    const folder = await fetched()
    rmSync(join(folder, 'one.xsd'))
    deepStrictEqual(outcomes(await run(folder)), ['fetched'])
    rmSync(join(folder, 'one.xsd'))
    site.pages['/one.xsd'] = schema(`${far}<!-- other -->`)
    const steps = await run(folder)
    match(words(steps), /has changed since it was listed in api\.vendor\.json/)
    ok(!existsSync(join(folder, 'one.xsd')))
  })

  test('a list that cannot be read stops the WSDL', async () => {
    const folder = await fetched()
    writeFileSync(join(folder, 'api.vendor.json'), '{}')
    match(words(await run(folder)), /has a list api\.vendor\.json that cannot be read/)
  })
})

describe('what is refused; nothing is written then [D5.1]', () => {
  const refused: Readonly<
    Record<string, readonly [page: Page | undefined, more: Partial<DownloadRules>, message: RegExp]>
  > = {
    'not found': [undefined, {}, /answers with HTTP 404; check the address, [^;]*$/],
    'a redirect': [
      (response) => response.writeHead(302, { location: '/x.xsd' }).end(),
      {},
      /HTTP 302, a redirect, which is not followed/,
    ],
    'an error page': ['<html/>', {}, /is neither a WSDL nor a schema/],
    'no XML': ['hello', {}, /cannot be used: line 1: is not XML/],
    'a DOCTYPE': [`<!DOCTYPE a>${schema(far)}`, {}, /DOCTYPE/],
    'too large': [schema(far), { maxBytes: 20 }, /larger than 20 bytes/],
    'an answer that breaks off': [
      (response) => response.writeHead(200, { 'content-length': 500 }).write('<', () => response.destroy()),
      {},
      /cannot be fetched: /,
    ],
    loopback: [schema(far), { privateHosts: [] }, /is a loopback address/],
    'loopback, although on the list': [
      schema(far),
      { privateHosts: [], allowHosts: ['127.0.0.1'] },
      /is a loopback address/,
    ],
    'plain http': [schema(far), { allowHttp: false }, /is plain http; --allow-http allows it/],
  }
  for (const [name, [page, more, message]] of Object.entries(refused)) {
    test(name, async () => {
      if (page !== undefined) site.pages['/one.xsd'] = page
      const folder = newFolder({ 'api.wsdl': wsdl(`${site.base}/one.xsd`) })
      const steps = await run(folder, more)
      deepStrictEqual(outcomes(steps), ['failed'])
      match(words(steps), message)
      deepStrictEqual(readdirSync(folder), ['api.wsdl'])
    })
  }

  const addresses: Readonly<Record<string, RegExp>> = {
    'https://10.0.0.1/a.xsd': /is a private address/,
    'https://localhost/a.xsd': /of this network only/,
    'https://intranet/a.xsd': /stands for a Security Server or has a host of this network only/,
    'https://joe:pw@far.example.com/a.xsd': /has a user name or a password/,
    'https://[::ffff:127.0.0.1]/a.xsd': /./,
    'ftp://far.example.com/a.xsd': /does not begin with https|begins neither/,
  }
  for (const [address, message] of Object.entries(addresses)) {
    test(address, async () => {
      const steps = await run(newFolder({ 'api.wsdl': wsdl(address) }))
      deepStrictEqual(outcomes(steps), ['failed'])
      match(words(steps), message)
      deepStrictEqual(site.asked, [])
    })
  }

  test('a host that is not named', async () => {
    const steps = await run(newFolder({ 'api.wsdl': wsdl('https://far.example.com/a.xsd') }), {
      allowHosts: ['other.example.com'],
    })
    match(words(steps), /--allow-host does not name/)
  })

  test('one file in the place of a link is not written through it', async () => {
    site.pages['/one.xsd'] = schema(far)
    const folder = newFolder({ 'a/api.wsdl': wsdl(`${site.base}/one.xsd`), secret: 'mine' })
    symlinkSync('../secret', join(folder, 'a/one.xsd'))
    match(words(await run(folder)), /reached through a symbolic link/)
    strictEqual(readFileSync(join(folder, 'secret'), 'utf8'), 'mine')
  })
})

test('files that name each other end, and one trouble does not keep the others from being fetched [D5.1]', async () => {
  site.pages = { '/a.xsd': schema(include('b.xsd') + include('none.xsd')), '/b.xsd': schema(include('a.xsd') + far) }
  const folder = newFolder({ 'api.wsdl': wsdl(`${site.base}/a.xsd#x`) })
  deepStrictEqual(outcomes(await run(folder)).toSorted(), ['failed', 'fetched', 'fetched'])
  deepStrictEqual(site.asked.toSorted(), ['/a.xsd', '/b.xsd', '/none.xsd'])
})

test('names that would clash, or are none, get a digest of their address [D5.1]', async () => {
  for (const path of [
    '/x/a.xsd',
    '/y/a.xsd',
    '/s?xsd=1',
    '/s?xsd=2',
    '/',
    '/..%2f..%2fevil',
    '/.hidden',
    '/other.wsdl',
    '/api.yml',
  ]) {
    site.pages[path] = schema('')
  }
  const locations = Object.keys(site.pages).map((path) => `${site.base}${path.replace('&', '&amp;')}`)
  const folder = newFolder({ 'api.wsdl': wsdl(...locations) })
  deepStrictEqual(new Set(outcomes(await run(folder))), new Set(['fetched']))
  const names = readdirSync(folder).filter((name) => name !== 'api.wsdl' && name !== 'api.vendor.json')
  strictEqual(names.length, 9)
  for (const name of names) match(name, /^[A-Za-z0-9_][A-Za-z0-9._-]*\.xsd$/)
  deepStrictEqual(
    outcomes(await run(folder)),
    Array.from({ length: 9 }, () => 'unchanged'),
  )
})

test('two WSDLs of one folder share a file of one address and keep those of different ones apart [D5.1]', async () => {
  site.pages = { '/v1/types.xsd': schema(far), '/v2/types.xsd': schema(`${far}<!-- 2 -->`) }
  const folder = newFolder({
    '1.wsdl': wsdl(`${site.base}/v1/types.xsd`),
    '2.wsdl': wsdl(`${site.base}/v2/types.xsd`),
    '3.wsdl': wsdl(`${site.base}/v1/types.xsd`),
  })
  deepStrictEqual(outcomes(await run(folder)), ['fetched', 'fetched', 'present'])
  strictEqual(readdirSync(folder).filter((name) => name.endsWith('.xsd')).length, 2)
})

test('schemas beside the WSDL are followed, framework schemas are not fetched [D5.1]', async () => {
  site.pages['/two.xsd'] = schema(far)
  const xroad = `<x:import namespace="http://x-road.eu/xsd/xroad.xsd" schemaLocation="${site.base}/xroad.xsd"/>`
  const files: Files = {
    'api.wsdl': wsdlOf(['find'], { schema: xroad + include('near.xsd') + include('../up.xsd') }),
    'near.xsd': schema(include(`${site.base}/two.xsd`)),
  }
  const steps = await run(newFolder(files))
  deepStrictEqual(outcomes(steps), ['failed', 'fetched'])
  match(
    words(steps),
    /\.\.\/up\.xsd named in .*api\.wsdl, leads out of the folder of the owner, where the service does not follow$/m,
  )
  deepStrictEqual(site.asked, ['/two.xsd'])
})

test('the command: a line for each file, exit code 1 when one failed, no address without its flag [D1.1]', async () => {
  site.pages['/one.xsd'] = schema(far)
  const folder = newFolder({ 'api.wsdl': wsdl(`${site.base}/one.xsd`) })
  const vendorWith = (...flags: readonly string[]) =>
    spawnProxy({ args: ['wsdl', 'vendor', folder, ...flags], cwd: folder }).ended
  const without = await vendorWith()
  strictEqual(without.code, 1)
  match(without.stdout, /^failed {4}http:.*is plain http/)
  const blocked = await vendorWith('--allow-http')
  match(blocked.stdout, /is a loopback address/)
  deepStrictEqual(site.asked, [])
  const { code, stdout, stderr } = await vendorWith('--allow-http', '--allow-private-address', '127.0.0.1')
  deepStrictEqual([code, stderr], [0, ''])
  match(stdout, /^fetched {3}.*one\.xsd .*\(\d+ bytes\)\n1 WSDL files: 1 schema files fetched, 0 failed\n$/)
  const nowhere = await spawnProxy({ args: ['wsdl', 'vendor', 'nowhere'], cwd: folder }).ended
  deepStrictEqual([nowhere.code, nowhere.stdout, nowhere.stderr], [1, '', 'xroad-proxy: nowhere does not exist\n'])
})
