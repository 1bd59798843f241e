/**
 * `wsdl add` from files and addresses, as its users meet it: what it writes, what it refuses, and that it leaves
 * nothing behind.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual, throws } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Ended, type Files, newFolder, writeFiles } from '@services/testing'
import { loadEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { ingestWsdls } from '../../../src/boot/ingest/ingest.ts'
import { readSidecar } from '../../../src/boot/ingest/sidecar.ts'
import { readVendored } from '../../../src/wsdl/schema/vendored.ts'
import { install } from '../../../src/wsdl-command/add/install.ts'
import { readOwner, readProvider, readServiceAddress } from '../../../src/wsdl-command/add/service-address.ts'
import { writeSidecar } from '../../../src/wsdl-command/add/sidecar-text.ts'
import { runCommand } from '../../support/commands.ts'
import { spawnProxy } from '../../support/process.ts'
import { openSite, type Page, type PageSite } from '../../support/upstreams/page-site.ts'
import { demo, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const config = { 'proxy.yaml': 'wsdl_watch_dir: wsdl\nclient_data: {member_class: GOV, member_code: "70000000"}\n' }
const provider = ['--provider', 'GOV/70000310/Arireg']

async function addIn(folder: string, ...args: readonly string[]): Promise<Ended> {
  return runCommand({ args: ['wsdl', 'add', ...args], cwd: folder })
}

/** A folder with a configuration, and the command in it. */
function project(files: Files): { folder: string; add: (...args: readonly string[]) => Promise<Ended> } {
  const folder = newFolder({ ...config, ...files })
  return { folder, add: (...args) => addIn(folder, ...args) }
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => statSync(join(folder, name)).isFile()).toSorted()
}

const schema = (inside: string): string =>
  `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">${inside}</x:schema>`
const include = (location: string): string => `<x:include schemaLocation="${location}"/>`
const far = '<x:complexType name="Far"><x:sequence><x:element name="far" type="x:string"/></x:sequence></x:complexType>'
const including = (location: string): string => wsdlOf(['find'], { schema: include(location), type: 't:Far' })

/** What the next start makes of a folder: group, service and the envelope of each endpoint. */
function started(folder: string): readonly { path: string; envelope: string }[] {
  const dslPath = join(folder, 'DSL')
  const options = { dir: join(folder, 'wsdl'), dslPath, client: demo, allowHttp: false, hostAllowlist: [], write: true }
  deepStrictEqual(ingestWsdls(options).warnings, [])
  return loadEndpoints(dslPath).endpoints.map((endpoint) => {
    ok(endpoint.kind === 'soap')
    const generated = { uuid: 'u', instance: 'ee-test', client: '<c/>', protocol_version: '4.0' }
    return { path: `/${endpoint.group}/${endpoint.service}`, envelope: endpoint.envelope.render({}, generated) }
  })
}

test('a file: WSDL and sidecar in the folder of the subsystem, an explanation, endpoints, the way back [P1.3]', async () => {
  const { folder, add } = project({ 'in/api.wsdl': wsdlOf(['find', 'add']) })
  const { code, stdout, stderr } = await add('in/api.wsdl', ...provider)
  deepStrictEqual([code, stderr], [0, ''])
  deepStrictEqual(stdout.split('\n'), [
    'added     wsdl/arireg/api.wsdl',
    'added     wsdl/arireg/api.meta.yaml',
    '',
    'wsdl/arireg/api.wsdl: 2 of 2 operations generated',
    '  generated  find  line 13  through the Security Server',
    '  generated  add   line 14  through the Security Server',
    '',
    '1 WSDL files: 2 of 2 operations generated',
    '',
    'From the next start or reload on:',
    '  POST /arireg/find',
    '  POST /arireg/add',
    'To take it back: rm -r wsdl/arireg',
    '',
  ])
  const { sidecar, warnings } = readSidecar(readFileSync(join(folder, 'wsdl/arireg/api.meta.yaml')), 'api.meta.yaml')
  deepStrictEqual(warnings, [])
  deepStrictEqual(sidecar.provider, {
    memberClass: 'GOV',
    memberCode: '70000310',
    subsystemCode: 'Arireg',
    xroadInstance: '',
  })
  const endpoints = started(folder)
  deepStrictEqual(
    endpoints.map(({ path }) => path),
    ['/arireg/add', '/arireg/find'],
  )
  match(endpoints[0]?.envelope ?? '', /<id:memberCode>70000310<\/id:memberCode>\s*<id:subsystemCode>Arireg</)
})

test('what it says takes it back does so, also beside other files [P1.3]', async () => {
  const { folder, add } = project({ "it's/a b.wsdl": wsdlOf(['one']), 'two.wsdl': wsdlOf(['two']) })
  await add('two.wsdl', ...provider)
  const before = filesIn(folder)
  const { stdout } = await add("it's/a b.wsdl", ...provider)
  strictEqual(filesIn(folder).length, before.length + 2)
  const [, undo = ''] = /^To take it back: (.*)$/m.exec(stdout) ?? []
  const ended = await spawnProxy({ command: ['sh', '-c', undo], args: [], cwd: folder }).ended
  deepStrictEqual([ended.code, ended.stderr], [0, ''])
  deepStrictEqual(filesIn(folder), before)
})

test('the instance, the owner and the version of the command line [P1.3 P1.4]', async () => {
  const { folder, add } = project({ 'api.wsdl': wsdlOf(['find']) })
  const v1 = await add(
    'api.wsdl',
    '--provider',
    'EE/GOV/70000310/arireg',
    '--owner',
    'arireg/v1',
    '--service-version',
    'v1',
  )
  const v2 = await add(
    'api.wsdl',
    '--provider',
    'ee-test/GOV/70000310/arireg',
    '--owner',
    'arireg/v2',
    '--service-version',
    'v2',
  )
  deepStrictEqual([v1.code, v2.code, v1.stderr, v2.stderr], [0, 0, '', ''])
  match(v2.stdout, /POST \/arireg\/v2-find/)
  const endpoints = started(folder)
  deepStrictEqual(
    endpoints.map(({ path, envelope }) => [
      path,
      /serviceVersion>(\w+)/.exec(envelope)?.[1],
      /service [^]*?xRoadInstance>([\w-]+)/.exec(envelope)?.[1],
    ]),
    [
      ['/arireg/v1-find', 'v1', 'EE'],
      ['/arireg/v2-find', 'v2', 'ee-test'],
    ],
  )
  // Our own instance stays open, so that the folder may move to another one.
  doesNotMatch(readFileSync(join(folder, 'wsdl/arireg/v2/api.meta.yaml'), 'utf8'), /instance/)
})

describe('what it includes [P1.3]', () => {
  test('files beside and below come along, under their names, and no others', async () => {
    const { folder, add } = project({
      'in/api.wsdl': including('parts/a.xsd'),
      'in/parts/a.xsd': schema(include('b.xsd') + include('../c.xsd')),
      'in/parts/b.xsd': schema(far),
      'in/c.xsd': schema(''),
      'in/other.xsd': schema(''),
      'in/api.meta.yaml': 'member_class: COM\n',
    })
    strictEqual((await add('in/api.wsdl', ...provider)).stderr, '')
    deepStrictEqual(filesIn(join(folder, 'wsdl')), [
      'arireg/api.meta.yaml',
      'arireg/api.wsdl',
      'arireg/c.xsd',
      'arireg/parts/a.xsd',
      'arireg/parts/b.xsd',
    ])
    strictEqual(started(folder).length, 1)
  })

  test('files in the folder of the owner come along for a WSDL in that of a subsystem [G10]', async () => {
    const { folder, add } = project({
      'in/api/api.wsdl': including('../lib/a.xsd'),
      'in/lib/a.xsd': schema(include('deep/b.xsd')),
      'in/lib/deep/b.xsd': schema(include('../../lib/c.xsd')),
      'in/lib/c.xsd': schema(far),
    })
    strictEqual((await add('in/api/api.wsdl', ...provider, '--owner', 'arireg/v2')).stderr, '')
    deepStrictEqual(filesIn(join(folder, 'wsdl/arireg')), [
      'lib/a.xsd',
      'lib/c.xsd',
      'lib/deep/b.xsd',
      'v2/api.meta.yaml',
      'v2/api.wsdl',
    ])
    match(started(folder)[0]?.envelope ?? '', /<far>/)
  })

  test('nothing outside the folder of the owner comes along, by whatever way [G10]', async () => {
    for (const location of ['../../up.xsd', '../lib/../../up.xsd', '../../in/lib/c.xsd']) {
      const { folder, add } = project({
        'in/api/api.wsdl': including(location),
        'in/lib/c.xsd': schema(far),
        'up.xsd': schema(far),
      })
      const { code, stderr } = await add('in/api/api.wsdl', ...provider, '--owner', 'arireg/v2')
      strictEqual(code, 1)
      match(stderr, /leads out of the folder of the owner/)
      ok(!existsSync(join(folder, 'wsdl')), location)
    }
  })

  test('an imported WSDL gets a sidecar too, so that its own address is never called', async () => {
    const imports = '<wsdl:import namespace="urn:t" location="inner.wsdl"/>'
    const outer = `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" targetNamespace="urn:o">${imports}</wsdl:definitions>`
    const inner = wsdlOf(['find'], { address: 'https://far.example.com/soap' })
    const { folder, add } = project({ 'in/outer.wsdl': outer, 'in/inner.wsdl': inner })
    const { stderr, stdout } = await add('in/outer.wsdl', ...provider)
    strictEqual(stderr, '')
    deepStrictEqual(filesIn(join(folder, 'wsdl/arireg')), [
      'inner.meta.yaml',
      'inner.wsdl',
      'outer.meta.yaml',
      'outer.wsdl',
    ])
    match(stdout, /find .* through the Security Server/)
    doesNotMatch(stdout, /directly/)
  })

  test('one that cannot be had refuses all, and leaves nothing', async () => {
    const missing: Readonly<Record<string, RegExp>> = {
      'none.xsd': /none\.xsd named in wsdl\/arireg\/api\.wsdl, does not exist/,
      '../up.xsd':
        /\.\.\/up\.xsd named in .* leads out of the folder of the owner, .* in <owner>\/<subsystem>\/ may name/,
      '/etc/passwd': /\/etc\/passwd named in/,
      'link.xsd': /reached through a symbolic link/,
      'folder.xsd': /folder\.xsd named in .*is not a regular file/,
      'text.xsd': /text\.xsd cannot be used: line 1: is not XML/,
      'http://far.example.com/a.xsd': /is plain http; --allow-http allows it/,
      'https://10.0.0.1/a.xsd': /is a private address/,
      'file:///etc/passwd': /file:\/\/\/etc\/passwd/,
    }
    for (const [location, message] of Object.entries(missing)) {
      const { folder, add } = project({
        'in/api.wsdl': including(location),
        'up.xsd': schema(far),
        'in/text.xsd': 'hello',
      })
      symlinkSync('../up.xsd', join(folder, 'in/link.xsd'))
      mkdirSync(join(folder, 'in/folder.xsd'))
      const { code, stdout, stderr } = await add('in/api.wsdl', ...provider)
      deepStrictEqual([code, stdout], [1, ''], location)
      match(stderr, message)
      match(stderr, /^xroad-proxy: [^\n]*; nothing was added\n$/)
      ok(!existsSync(join(folder, 'wsdl')), location)
    }
  })
})

describe('from an address [P1.3]', () => {
  let site: PageSite
  before(async () => {
    site = await openSite()
  })
  after(() => site.close())
  beforeEach(() => {
    site.pages = {}
  })
  const open = ['--allow-http', '--allow-private-address', '127.0.0.1']

  test('the WSDL and what it names, relative to where it came from', async () => {
    site.pages = {
      '/x/Service.svc?wsdl': including('parts/a.xsd'),
      '/x/parts/a.xsd': schema(include('../b.xsd')),
      '/x/b.xsd': schema(far),
    }
    const { folder, add } = project({})
    const { code, stderr, stdout } = await add(`${site.base}/x/Service.svc?wsdl#frag`, ...provider, ...open)
    deepStrictEqual([code, stderr], [0, ''])
    match(stdout, /^added {5}wsdl\/arireg\/Service\.svc\.wsdl {2}from http:.*\?wsdl$/m)
    deepStrictEqual(filesIn(join(folder, 'wsdl/arireg')), [
      'Service.svc.meta.yaml',
      'Service.svc.vendor.json',
      'Service.svc.wsdl',
      'a.xsd',
      'b.xsd',
    ])
    const list = readVendored(readFileSync(join(folder, 'wsdl/arireg/Service.svc.vendor.json'), 'utf8'))
    deepStrictEqual(
      list?.map(({ url, file }) => [url.slice(site.base.length), file]),
      [
        ['/x/Service.svc?wsdl', 'Service.svc.wsdl'],
        ['/x/b.xsd', 'b.xsd'],
        ['/x/parts/a.xsd', 'a.xsd'],
      ],
    )
    const digest = createHash('sha256')
      .update(site.pages['/x/b.xsd'] as string)
      .digest('hex')
    strictEqual(list?.find(({ file }) => file === 'b.xsd')?.sha256, digest)
    strictEqual(started(folder).length, 1)
    // A later look finds all of it as it was.
    const vendor = await spawnProxy({ args: ['wsdl', 'vendor', 'wsdl', ...open], cwd: folder }).ended
    match(vendor.stdout, /0 schema files fetched, 0 failed/)
  })

  test('a file has the name that its address has', async () => {
    const names: Readonly<Record<string, string>> = {
      '/': 'arireg.wsdl',
      '/?wsdl': 'arireg.wsdl',
      '/a.wsdl': 'a.wsdl',
      '/a.xml': 'a.wsdl',
      '/..%2f..%2fevil': '2f.._2fevil.wsdl',
      '/.hidden.wsdl': 'hidden.wsdl',
      '/%C3%B5.wsdl': 'C3_B5.wsdl',
    }
    for (const [path, name] of Object.entries(names)) {
      site.pages[path] = wsdlOf(['find'])
      const { folder, add } = project({})
      const { stderr } = await add(`${site.base}${path}`, ...provider, ...open)
      strictEqual(stderr, '', path)
      deepStrictEqual(
        filesIn(join(folder, 'wsdl/arireg')).filter((each) => each.endsWith('.wsdl')),
        [name]
          .map((each) => (each.startsWith('2f') ? `_${each}` : each))
          .map((each) => (each.startsWith('C3') ? `_${each}` : each)),
        path,
      )
    }
  })

  test('whoever ends it half-way finds nothing', async () => {
    site.pages = { '/a.wsdl': including('a.xsd') }
    const asked = new Promise<void>((resolve) => (site.pages['/a.xsd'] = () => resolve()))
    const { folder } = project({})
    const args = ['wsdl', 'add', `${site.base}/a.wsdl`, ...provider, ...open]
    const run = spawnProxy({ args, cwd: folder })
    await asked
    run.kill('SIGINT')
    const { code } = await run.ended
    ok(code !== 0)
    deepStrictEqual(filesIn(folder), ['proxy.yaml'])
    ok(!existsSync(join(folder, 'wsdl')))
  })

  test('a tree of schemas without an end has one', async () => {
    // Each names two new ones.
    const grow = (response: ServerResponse, path: string): void => {
      response.end(schema(include(`${path}0.xsd`) + include(`${path}1.xsd`)))
    }
    site.pages = new Proxy<Record<string, Page>>(
      { '/a.wsdl': including('s.xsd') },
      {
        get: (known, name: string) =>
          known[name] ?? ((response: ServerResponse) => grow(response, name.slice(1).replace('.xsd', '').slice(-200))),
      },
    )
    const { folder, add } = project({})
    const { code, stderr } = await add(`${site.base}/a.wsdl`, ...provider, ...open)
    strictEqual(code, 1)
    match(stderr, /is one of more than 500 files/)
    ok(!existsSync(join(folder, 'wsdl')))
  })

  test('the guard, what is not found, what is not a WSDL, what is too large', async () => {
    site.pages = { '/page': '<html/>', '/text': 'hello', '/a.wsdl': wsdlOf(['find']), '/xsd': schema(far) }
    site.pages['/far'] = (response) => response.writeHead(302, { location: '/a.wsdl' }).end()
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [[`${site.base}/a.wsdl`], /is plain http; --allow-http allows it/],
      [[`${site.base}/a.wsdl`, '--allow-http'], /is a loopback address/],
      [['https://localhost/a.wsdl'], /of this network only/],
      [['https://joe:pw@far.example.com/a.wsdl'], /has a user name or a password/],
      [['ftp://far.example.com/a.wsdl'], /does not begin with https:\/\//],
      [['file:///etc/passwd'], /does not begin with https:\/\//],
      [['https://far.example.com/a.wsdl', '--allow-host', 'other.example.com'], /--allow-host does not name/],
      [[`${site.base}/none`, ...open], /answers with HTTP 404/],
      [[`${site.base}/far`, ...open], /HTTP 302, a redirect, which is not followed/],
      [[`${site.base}/page`, ...open], /:1: is not a WSDL: its first element is html/],
      [[`${site.base}/text`, ...open], /:1: is not XML/],
      [[`${site.base}/xsd`, ...open], /is not a WSDL: its first element is schema/],
      [
        [`${site.base}/a.wsdl`, ...open, '--max-bytes', '50'],
        /larger than 50 bytes; --max-bytes allows more; nothing was added/,
      ],
    ]
    for (const [args, message] of refused) {
      const { folder, add } = project({})
      const { code, stdout, stderr } = await add(...args, ...provider)
      deepStrictEqual([code, stdout], [1, ''], args.join(' '))
      match(stderr, message)
      doesNotMatch(stderr, /pw@/)
      ok(!existsSync(join(folder, 'wsdl')), args.join(' '))
    }
  })
})

describe('what is refused; nothing is left behind [P1.3]', () => {
  const files = {
    'api.wsdl': wsdlOf(['find']),
    'text.wsdl': 'hello',
    'empty.wsdl': '',
    'schema.wsdl': schema(far),
    'none.wsdl': wsdlOf([]),
    'two.wsdl':
      '<d:description xmlns:d="http://www.w3.org/ns/wsdl" targetNamespace="urn:t"><d:interface name="i"><d:operation name="find"/></d:interface></d:description>',
    'folder/x': '',
  }
  const refused: Readonly<Record<string, readonly [args: readonly string[], code: number, message: RegExp]>> = {
    'a file that is not there': [
      ['nope.wsdl', ...provider],
      1,
      /^xroad-proxy: nope\.wsdl does not exist; nothing was added\n$/,
    ],
    'a folder': [['folder', ...provider], 1, /folder is a folder; name one WSDL file/],
    text: [['text.wsdl', ...provider], 1, /text\.wsdl:1: is not XML/],
    'an empty file': [['empty.wsdl', ...provider], 1, /empty\.wsdl:1: /],
    'a schema': [['schema.wsdl', ...provider], 1, /schema\.wsdl:1: is not a WSDL: its first element is schema/],
    'no operation': [['none.wsdl', ...provider], 1, /none of its 0 operations can be called/],
    'WSDL 2.0': [['two.wsdl', ...provider], 1, /two\.wsdl is WSDL 2\.0; only WSDL 1\.1 is read/],
    'no provider': [['api.wsdl'], 2, /--provider says whose service it is, and is needed/],
    'a provider of two parts': [
      ['api.wsdl', '--provider', 'GOV/1'],
      2,
      /--provider: found "GOV\/1", expected \[INSTANCE\/\]CLASS/,
    ],
    'a provider of five parts': [['api.wsdl', '--provider', 'a/b/c/d/e'], 2, /--provider: found/],
    'a provider with an empty part': [['api.wsdl', '--provider', 'GOV//x'], 2, /--provider: found "GOV\/\/x"/],
    'an owner that leads out': [
      ['api.wsdl', ...provider, '--owner', '../x'],
      2,
      /--owner: found "\.\.\/x", expected letters/,
    ],
    'an absolute owner': [['api.wsdl', ...provider, '--owner', '/tmp'], 2, /--owner: found/],
    'an owner of three names': [['api.wsdl', ...provider, '--owner', 'a/b/c'], 2, /--owner: found/],
    'a subsystem that is no folder': [
      ['api.wsdl', '--provider', 'GOV/1/My Sub'],
      1,
      /the subsystem "My Sub" cannot be the name of a folder.*--owner NAME; nothing was added/,
    ],
    'nothing to add': [[], 2, /needs a WSDL file or its address, or --from-security-server/],
    both: [['api.wsdl', '--from-security-server', 'GOV/1/x'], 2, /takes a WSDL or --from-security-server, not both/],
    'a provider twice': [['--from-security-server', 'GOV/1/x', ...provider], 2, /leave out --provider/],
    'a version twice': [['--from-security-server', 'GOV/1/x', '--service-version', 'v1'], 2, /follows the service/],
    'a version that is empty': [
      ['api.wsdl', ...provider, '--service-version', ''],
      2,
      /--service-version needs a value; for calls without a version write service_version: "" into the sidecar/,
    ],
    'no configuration': [['api.wsdl', ...provider, '--config', 'none.yaml'], 1, /none\.yaml/],
    'a client that nobody knows': [
      ['api.wsdl', ...provider, '--client', 'x'],
      2,
      /--client: found "x", but the configuration has no clients/,
    ],
    'no security_server': [['--from-security-server', 'GOV/1/x'], 1, /has no security_server to ask/],
  }
  for (const [name, [args, code, message]] of Object.entries(refused)) {
    test(name, async () => {
      const { folder, add } = project(files)
      const ended = await add(...args)
      deepStrictEqual([ended.code, ended.stdout], [code, ''])
      match(ended.stderr, message)
      match(ended.stderr, code === 2 ? /^xroad-proxy: [^\n]+\nTry: xroad-proxy --help\n$/ : /^xroad-proxy: [^\n]+\n$/)
      ok(!existsSync(join(folder, 'wsdl')))
    })
  }

  test('a configuration without wsdl_watch_dir, or none at all', async () => {
    for (const more of [{ 'proxy.yaml': 'port: 8080\n' }, {}]) {
      const folder = newFolder({ 'api.wsdl': files['api.wsdl'], ...more })
      const { code, stderr } = await addIn(folder, 'api.wsdl', ...provider)
      strictEqual(code, 1)
      match(
        stderr,
        /has no wsdl_watch_dir, the folder that WSDLs go to; write wsdl_watch_dir: \.\/wsdl; nothing was added/,
      )
    }
  })

  test('names in a message reach the terminal as text', async () => {
    const { add } = project({})
    const { stderr } = await add('a\u001B[31m\u202Eb', ...provider)
    ok(!stderr.includes('\u001B') && !stderr.includes('\u202E'), stderr)
  })
})

describe('what is there already [P1.3]', () => {
  const one = { 'in/api.wsdl': including('t.xsd'), 'in/t.xsd': schema(far) }

  test('a WSDL is refused without --force, and replaced with it', async () => {
    const { folder, add } = project(one)
    await add('in/api.wsdl', ...provider)
    const again = await add('in/api.wsdl', ...provider)
    strictEqual(again.code, 1)
    match(
      again.stderr,
      /wsdl\/arireg\/api\.wsdl, wsdl\/arireg\/api\.meta\.yaml are there already; --force replaces .*--owner arireg\/NAME/,
    )
    writeFileSync(join(folder, 'in/api.wsdl'), wsdlOf(['other']))
    const forced = await add('in/api.wsdl', ...provider, '--force', '--service-version', 'v3')
    deepStrictEqual([forced.code, forced.stderr], [0, ''])
    match(forced.stdout, /^replaced {2}wsdl\/arireg\/api\.wsdl\n/)
    match(forced.stdout, /To take it back: bring back the files that were replaced/)
    match(readFileSync(join(folder, 'wsdl/arireg/api.meta.yaml'), 'utf8'), /service_version: "v3"/)
  })

  test('a sidecar that somebody wrote is not lost', async () => {
    const own = 'service_url: https://far.example.com\n'
    const { folder, add } = project({ ...one, 'wsdl/arireg/api.meta.yaml': own })
    match((await add('in/api.wsdl', ...provider)).stderr, /wsdl\/arireg\/api\.meta\.yaml is there already/)
    deepStrictEqual(filesIn(join(folder, 'wsdl')), ['arireg/api.meta.yaml'])
    strictEqual(readFileSync(join(folder, 'wsdl/arireg/api.meta.yaml'), 'utf8'), own)
  })

  test('a schema with the same content is shared, one with another content is refused', async () => {
    const b = including('t.xsd').replaceAll('"find"', '"seek"').replaceAll('t:find', 't:seek')
    const { folder, add } = project({ ...one, 'in/b.wsdl': b, 'c/c.wsdl': b, 'c/t.xsd': schema(`${far}<!-- -->`) })
    await add('in/api.wsdl', ...provider)
    const shared = await add('in/b.wsdl', ...provider)
    match(shared.stdout, /^unchanged wsdl\/arireg\/t\.xsd$/m)
    match(shared.stdout, /To take it back: rm wsdl\/arireg\/b\.wsdl wsdl\/arireg\/b\.meta\.yaml\n/)
    const other = await add('c/c.wsdl', ...provider, '--owner', 'arireg')
    match(other.stderr, /has the operation seek already|t\.xsd is there already/)
    strictEqual(readFileSync(join(folder, 'wsdl/arireg/t.xsd'), 'utf8'), schema(far))
  })

  test('an operation of another WSDL of the folder would get no endpoint', async () => {
    const { add } = project({ 'a.wsdl': wsdlOf(['find', 'x']), 'b.wsdl': wsdlOf(['y', 'find']) })
    await add('a.wsdl', ...provider)
    const { code, stderr } = await add('b.wsdl', ...provider)
    strictEqual(code, 1)
    match(
      stderr,
      /wsdl\/arireg\/a\.wsdl has the operation find already; --owner arireg\/NAME puts this WSDL into a folder of its own/,
    )
    strictEqual((await add('b.wsdl', ...provider, '--owner', 'arireg/b')).code, 0)
    strictEqual((await add('b.wsdl', ...provider, '--force')).code, 0)
  })

  test('a WSDL that stands there already gets its sidecar', async () => {
    const { folder, add } = project({ 'wsdl/arireg/api.wsdl': including('t.xsd'), 'wsdl/arireg/t.xsd': schema(far) })
    const { code, stdout, stderr } = await add('wsdl/arireg/api.wsdl', ...provider)
    deepStrictEqual([code, stderr], [0, ''])
    match(stdout, /^unchanged wsdl\/arireg\/api\.wsdl$/m)
    match(stdout, /To take it back: rm wsdl\/arireg\/api\.meta\.yaml\n/)
    strictEqual(started(folder).length, 1)
  })

  test('links in the place of folders and files are not followed', async () => {
    const { folder, add } = project({ 'api.wsdl': wsdlOf(['find']), 'away/x': '', secret: 'mine' })
    mkdirSync(join(folder, 'wsdl'))
    symlinkSync('../away', join(folder, 'wsdl/arireg'))
    match((await add('api.wsdl', ...provider)).stderr, /reached through a symbolic link/)
    deepStrictEqual(filesIn(join(folder, 'away')), ['x'])
    mkdirSync(join(folder, 'wsdl/b'))
    symlinkSync('../../secret', join(folder, 'wsdl/b/api.wsdl'))
    match((await add('api.wsdl', ...provider, '--owner', 'b', '--force')).stderr, /reached through a symbolic link/)
    strictEqual(readFileSync(join(folder, 'secret'), 'utf8'), 'mine')
  })

  test('a folder that is a file is told', async () => {
    const { add } = project({ 'api.wsdl': wsdlOf(['find']), 'wsdl/arireg': 'file' })
    match((await add('api.wsdl', ...provider)).stderr, /wsdl\/arireg\/api\.meta\.yaml cannot be written \(ENOTDIR\)/)
  })
})

describe('all or nothing [P1.3]', () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text)

  test('what fails half-way is undone, files that were replaced come back', () => {
    const root = newFolder({ 'a/old.xsd': 'old', 'a/z': 'a file in the place of a folder' })
    const files = [
      { file: 'a/old.xsd', content: bytes('new'), isShared: true },
      { file: 'b/c/new.xsd', content: bytes('new'), isShared: true },
      { file: 'a/z/api.wsdl', content: bytes('wsdl'), isShared: false },
    ]
    let message = ''
    try {
      install(root, files, { force: true })
    } catch (error) {
      ;({ message } = error as Error)
    }
    match(message, /a\/z\/api\.wsdl cannot be written/)
    deepStrictEqual(filesIn(root), ['a/old.xsd', 'a/z'])
    ok(!existsSync(join(root, 'b')))
    strictEqual(readFileSync(join(root, 'a/old.xsd'), 'utf8'), 'old')
  })

  test('a caller may take all of it back, and what others have put there stays', () => {
    const root = join(newFolder(), 'wsdl')
    const installed = install(root, [{ file: 'a/b/x.wsdl', content: bytes('x'), isShared: false }], {
      force: false,
    })
    deepStrictEqual(installed.newFolders, [root, join(root, 'a'), join(root, 'a/b')])
    writeFiles(root, { 'a/mine': '' })
    installed.undo()
    deepStrictEqual(filesIn(root), ['a/mine'])
    ok(!existsSync(join(root, 'a/b')))
  })

  test('the WSDL comes last, after its sidecar', () => {
    const root = newFolder({ 'a/api.meta.yaml/x': 'in the way' })
    const files = ['a/api.wsdl', 'a/api.meta.yaml', 'a/t.xsd'].map((file) => ({
      file,
      content: bytes(file),
      isShared: false,
    }))
    let isThrown = false
    try {
      install(root, files, { force: true })
    } catch {
      isThrown = true
    }
    ok(isThrown)
    deepStrictEqual(filesIn(root), ['a/api.meta.yaml/x'])
  })

  test(
    'a directory that may not be written to',
    { skip: process.getuid?.() === 0 && 'root may write everywhere' },
    async () => {
      const { folder, add } = project({ 'api.wsdl': wsdlOf(['find']), 'wsdl/x/y': '' })
      chmodSync(join(folder, 'wsdl'), 0o555)
      match((await add('api.wsdl', ...provider)).stderr, /cannot be written \(EACCES\); nothing was added/)
    },
  )
})

describe('names on the command line [P1.3]', () => {
  const own = { ...demo, memberClass: 'MKM' }
  const identity = (instance: string, memberClass: string, memberCode: string, subsystemCode: string) => ({
    instance,
    memberClass,
    memberCode,
    subsystemCode,
  })

  test('an instance in front of a provider', () => {
    deepStrictEqual(readProvider('GOV/1/x', own), identity('ee-test', 'GOV', '1', 'x'))
    deepStrictEqual(readProvider(' EE/GOV/1/Õ x ', own), identity('EE', 'GOV', '1', 'Õ x'))
  })

  const addresses: Readonly<Record<string, readonly [object, string | undefined, string | undefined]>> = {
    'GOV/1/x': [identity('ee-test', 'GOV', '1', 'x'), undefined, undefined],
    'GOV/1/x/find': [identity('ee-test', 'GOV', '1', 'x'), 'find', undefined],
    'GOV/1/x/find/v1': [identity('ee-test', 'GOV', '1', 'x'), 'find', 'v1'],
    'ee-test/GOV/1/x': [identity('ee-test', 'GOV', '1', 'x'), undefined, undefined],
    'ee-test/odd/1/x/find': [identity('ee-test', 'odd', '1', 'x'), 'find', undefined],
    'EE/GOV/1/x': [identity('EE', 'GOV', '1', 'x'), undefined, undefined],
    'EE/MKM/1/x/find': [identity('EE', 'MKM', '1', 'x'), 'find', undefined],
    'MKM/GOV/1/x': [identity('ee-test', 'MKM', 'GOV', '1'), 'x', undefined],
    'a/b/c/d/e/f': [identity('a', 'b', 'c', 'd'), 'e', 'f'],
  }
  for (const [text, [provider, service, version]] of Object.entries(addresses)) {
    test(text, () => deepStrictEqual(readServiceAddress(text, own), { provider, service, version }))
  }

  for (const text of [
    '',
    'a',
    'a/b',
    'a/b/c/d/e/f/g',
    'a//c',
    'a/b/',
    'a/../c',
    'a/b\u0000/c',
    'a/b/c\n',
    'a\\b/c/d',
    `a/b/${'x'.repeat(300)}`,
  ]) {
    test(`${JSON.stringify(text.slice(0, 20))} is none`, () => {
      let message = ''
      try {
        // What a shell cannot type is trimmed, and what cannot be a name is refused.
        const { provider } = readServiceAddress(text, own)
        message = provider.subsystemCode === 'c' ? 'trimmed' : 'taken'
      } catch (error) {
        ;({ message } = error as Error)
      }
      match(message, text === 'a/b/c\n' ? /^trimmed$/ : /^--from-security-server: found/)
    })
  }

  test('a member without a subsystem is told, with an instance in front too', () => {
    for (const text of ['EE/GOV/70000310', 'ee-test/odd/1', 'x/MKM/1']) {
      throws(() => readServiceAddress(text, own), /^AddProblem: --from-security-server: found /, text)
      throws(
        () => readProvider(text, own),
        /^AddProblem: --provider: found .*expected \[INSTANCE\/\]CLASS\/CODE\/SUBSYSTEM/,
        text,
      )
    }
  })

  test('the owner is the subsystem in small letters', () => {
    deepStrictEqual(readOwner(undefined, identity('', '', '', 'ÄriReg.2')), 'ärireg.2')
    deepStrictEqual(readOwner('Own', identity('', '', '', 'x')), 'Own')
  })

  test('whatever a provider is called, the sidecar says the same', () => {
    for (const text of ['a"b', "it's", 'a: b #c', '- x', '0123', 'null', '{{x}}', '\\']) {
      const provider = identity('EE', text, text, text)
      const written = writeSidecar({
        provider,
        client: text,
        ownInstance: 'x',
        serviceVersion: text,
        serviceVersions: { [text]: text },
      })
      const { sidecar, warnings } = readSidecar(Buffer.from(written), 'x')
      deepStrictEqual(warnings, [])
      deepStrictEqual(sidecar.provider, {
        memberClass: text,
        memberCode: text,
        subsystemCode: text,
        xroadInstance: 'EE',
      })
      deepStrictEqual([sidecar.serviceVersion, sidecar.serviceVersions[text]], [text, text])
    }
  })
})
