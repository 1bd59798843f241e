/** `wsdl explain` as its users meet it, and what `doctor` says of WSDL files. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Ended, newFolder } from '@services/testing'
import { readFlags } from '../../../src/boot/flags.ts'
import type { Finding } from '../../../src/doctor/finding.ts'
import { runCommand } from '../../support/commands.ts'
import { spawnProxy } from '../../support/process.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const choice =
  '<x:complexType name="C"><x:choice maxOccurs="2"><x:element name="a" type="x:string"/><x:element name="b"/></x:choice></x:complexType>'
const include = '<x:include schemaLocation="https://far.example.com/types.xsd"/>'
const mixed = wsdlOf(['find', 'add'], { schema: include + choice, address: 'https://far.example.com/soap' }).replace(
  '<x:element name="add" type="t:T"/>',
  '<x:element name="add" type="t:C"/>',
)
const files = {
  'wsdl/crm/api.wsdl': mixed,
  'wsdl/crm/api.meta.yaml': 'member_class: GOV\nmember_code: "70000000"\n',
  'wsdl/hr/people/1.wsdl': wsdlOf(['find'], { address: 'https://far.example.com/soap' }),
  'wsdl/bad/api.wsdl': '<broken',
}

function explain(folder: string, ...args: readonly string[]): Promise<Ended> {
  return runCommand({ args: ['wsdl', 'explain', ...args], cwd: folder })
}

test('a folder: a table for each WSDL, operation by operation, with the includes that are missing [D5.10]', async () => {
  const run = spawnProxy({ args: ['wsdl', 'explain', 'wsdl'], cwd: newFolder(files) })
  const { code, stdout, stderr } = await run.ended
  deepStrictEqual([code, stderr], [1, ''])
  const [bad = '', crm = '', hr = '', sum = ''] = stdout.split('\n\n')
  match(bad, /^wsdl\/bad\/api\.wsdl: nothing is generated\n {2}wsdl\/bad\/api\.wsdl:1: not well-formed/)
  deepStrictEqual(
    crm.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | ')),
    [
      'wsdl/crm/api.wsdl: 1 of 2 operations generated',
      ' | generated | find | line 13 | through the Security Server',
      ' | skipped | add | line 14 | has an xsd:choice in its request that may come several times: in add',
      ' | missing | https://far.example.com/types.xsd | line 3 | not beside the WSDL (in crm/api.wsdl)',
    ],
  )
  match(hr, /generated {2}find {2}line \d+ {2}directly to its address/)
  match(
    sum,
    /^3 WSDL files, 1 of them without any operation to read: 2 of 3 operations generated; skipped: 1 choice; .*wsdl vendor PATH\n$/,
  )
})

test('explain tells of one file as JSON [D5.10]', async () => {
  const folder = newFolder(files)
  const { code, stdout } = await explain(folder, 'wsdl/crm/api.wsdl', '--format', 'json')
  strictEqual(code, 0)
  deepStrictEqual(JSON.parse(stdout), [
    {
      file: 'wsdl/crm/api.wsdl',
      problem: '',
      operations: [
        {
          name: 'find',
          file: 'wsdl/crm/api.wsdl',
          line: 13,
          outcome: 'generated',
          reason: '',
          words: '',
          lane: 'security_server',
        },
        {
          name: 'add',
          file: 'wsdl/crm/api.wsdl',
          line: 14,
          outcome: 'skipped',
          reason: 'choice',
          words: 'has an xsd:choice in its request that may come several times: in add',
          lane: '',
        },
      ],
      missing: [
        { file: 'api.wsdl', line: 3, location: 'https://far.example.com/types.xsd', problem: 'not beside the WSDL' },
      ],
      warnings: [],
    },
  ])
  ok(!existsSync(join(folder, 'DSL')))
})

test('the configuration counts: identity and guard, and no password is asked for [S-wsdl.5 S-wsdl.6]', async () => {
  const config = {
    client_data: { member_class: 'GOV', member_code: '70000001' },
    wsdl: { upstream_host_allowlist: ['other.example.com'] },
    security_server: { url: 'https://ss.example.com', keystore_path: 'none.p12' },
  }
  const folder = newFolder({ ...files, 'proxy.yaml': JSON.stringify(config), 'broken.yaml': 'port: [' })
  const { stdout } = await explain(folder, 'wsdl')
  match(stdout, /crm\/api\.wsdl: its sidecar is for somebody else: member_code is "70000000" here/)
  match(stdout, /"https:\/\/far\.example\.com\/soap" has a host that wsdl\.upstream_host_allowlist does not list/)
  match((await explain(folder, 'wsdl', '--config', 'broken.yaml')).stderr, /^xroad-proxy: broken\.yaml:1:\d+: /)
})

test('a path that is none is one line and exit code 1; an empty folder is none of these [D1.1]', async () => {
  const folder = newFolder({ 'empty/x.txt': '' })
  const nowhere = await explain(folder, 'nowhere')
  deepStrictEqual([nowhere.code, nowhere.stdout, nowhere.stderr], [1, '', 'xroad-proxy: nowhere does not exist\n'])
  const address = await explain(folder, 'https://example.org/a?wsdl')
  deepStrictEqual([address.code, address.stdout], [1, ''])
  match(address.stderr, /is an address, expected a file or a folder; xroad-proxy wsdl add fetches it\n$/)
  const empty = await explain(folder, 'empty')
  deepStrictEqual([empty.code, empty.stdout], [0, '0 WSDL files: 0 of 0 operations generated\n'])
})

test('no name in a WSDL reaches the terminal as something else than text [D1.8]', async () => {
  const evil = wsdlOf(['find', 'NAME']).replaceAll('NAME', 'a&#x9b;31m&#x202e;b')
  const { stdout } = await explain(newFolder({ 'api.wsdl': evil }), 'api.wsdl')
  match(stdout, /has a name that is not a safe file name/)
  doesNotMatch(stdout, /[\u009b\u202e]/)
})

test('doctor tells the same, and writes nothing [D5.10 S-doctor.weak-wsdl-skipped S-doctor.info-wsdl-generated]', async () => {
  const own = { 'DSL/own/find.yml': 'method: POST\nenvelope: <e/>\n', 'wsdl/own/api.wsdl': wsdlOf(['find']) }
  const folder = newFolder({ ...files, ...own, 'proxy.yaml': '{"wsdl_watch_dir": "wsdl", "dsl_path": "DSL"}' })
  const { stdout } = await spawnProxy({ args: ['doctor', '--format', 'json'], cwd: folder }).ended
  const findings = JSON.parse(stdout) as Finding[]
  const skipped = findings.filter(({ code }) => code === 'weak-wsdl-skipped')
  deepStrictEqual(
    skipped.map(({ field }) => field),
    ['wsdl/bad/api.wsdl', 'wsdl/crm/api.wsdl'],
  )
  match(skipped[1]?.headline ?? '', /: wsdl\/crm\/api\.wsdl:\d+: operation add has an xsd:choice in its request/)
  match(findings.find(({ code }) => code === 'info-wsdl-generated')?.headline ?? '', /2 of 4/)
  ok(!existsSync(join(folder, 'DSL/crm')))
})

test('the commands read their flags [D1.1]', () => {
  const vendor = {
    action: 'wsdl vendor',
    path: 'a',
    allowHosts: [],
    privateHosts: [],
    allowHttp: false,
    maxBytes: 4_194_304,
  }
  const taken: readonly (readonly [string, object])[] = [
    ['wsdl explain a', { action: 'wsdl explain', path: 'a', tableFormat: 'text' }],
    ['wsdl explain --format json a -c b', { action: 'wsdl explain', path: 'a', tableFormat: 'json', config: 'b' }],
    ['wsdl vendor a', vendor],
    [
      'wsdl vendor a --allow-host X.org --allow-host b --max-bytes 5',
      { ...vendor, allowHosts: ['x.org', 'b'], maxBytes: 5 },
    ],
    ['wsdl vendor a --allow-http --allow-private-address h', { ...vendor, allowHttp: true, privateHosts: ['h'] }],
  ]
  for (const [line, action] of taken) deepStrictEqual(readFlags(line.split(' ')), action, line)
  const refused: readonly (readonly [string, RegExp])[] = [
    ['wsdl', /unknown command "wsdl"/],
    ['wsdl explian a', /unknown command "wsdl explian"; did you mean wsdl explain\?/],
    ['wsdl explain', /needs the path/],
    ['wsdl vendor', /needs the path/],
    ['wsdl explain a b', /"b" is too much: one path at most/],
    ['wsdl explain a --format xml', /expected text or json/],
    ['wsdl explain a --allow-http', /--allow-http belongs to the command wsdl vendor/],
    ['wsdl vendor a --config b', /--config belongs to the command serve, health, doctor, wsdl explain/],
    ['wsdl vendor a --max-bytes 0', /--max-bytes: found "0"/],
    ['wsdl vendor a --max-bytes 1e9', /--max-bytes: found "1e9"/],
    ['serve --allow-host x', /--allow-host belongs to the command wsdl vendor/],
  ]
  for (const [line, message] of refused) {
    const action = readFlags(line.split(' '))
    ok(action.action === 'refuse', line)
    match(action.text, message)
  }
})
