/** What is told of names that no field has, most of all where a required field is missing for them. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { loadConfig } from '../../../src/boot/config/config.ts'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { readSidecar, SidecarError } from '../../../src/boot/ingest/sidecar.ts'
import { StartupFailure } from '../../../src/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'unknown-field-'))
after(() => rmSync(folder, { recursive: true }))

function refusalOf(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    ok(error instanceof StartupFailure || error instanceof SidecarError, String(error))
    return error.message
  }
  throw new Error('it was not refused')
}

function refusedConfig(text: string): string {
  writeFileSync(join(folder, 'proxy.yaml'), text)
  return refusalOf(() => loadConfig({ flag: undefined, env: { PROXY_KEYSTORE_PASSWORD: 'x' }, cwd: folder }))
}

const refusedDsl = (text: string): string =>
  refusalOf(() => readDsl(text, { file: 'DSL/g/s.yml', group: 'g', service: 's' }))
const refusedSidecar = (text: string): string => refusalOf(() => readSidecar(Buffer.from(text), 'api.meta.yaml'))

/** `5: a.b -> c`: where the unknown name stands and what is told of it. */
function hints(message: string): string[] {
  return message
    .split('; ')
    .join(' ')
    .split(/(?=(?:\.\/proxy\.yaml|DSL\/g\/s\.yml|api\.meta\.yaml):\d+: )/)
    .flatMap((each) => {
      const [, line, field, meant, place] =
        /:(\d+): (\S+): unknown field.* (?:did you mean (\S+)\?|it belongs (.*?))\s*$/.exec(each) ?? []
      return line === undefined ? [] : [`${line}: ${field} -> ${meant ?? place}`]
    })
}

describe('a required field is missing and an unknown one stands there [X27]', () => {
  const rest = (target: string) => `kind: rest\nmethod: GET\ntarget:\n${target}`
  const cases: readonly [string, (text: string) => string, string, RegExp, string[]][] = [
    [
      'half of a name',
      refusedConfig,
      'security_server:\n  url: https://a\n  keystore: a.p12\n',
      /^\.\/proxy\.yaml:1: security_server\.keystore_path: missing, expected the path of a PKCS12 file; /,
      ['3: security_server.keystore -> keystore_path'],
    ],
    [
      'half of a name, beside a field that has it too',
      refusedConfig,
      'security_server:\n  url: https://a\n  path: a.p12\n  trust_ca_path: b.pem\n',
      /keystore_path: missing/,
      ['3: security_server.path -> keystore_path'],
    ],
    [
      'several of both',
      refusedConfig,
      'security_server:\n  uri: https://a\n  keystore: a.p12\n  keystorePasswordEnv: A\nports: 1\n',
      /url: missing.*keystore_path: missing/,
      [
        '2: security_server.uri -> url',
        '3: security_server.keystore -> keystore_path',
        '4: security_server.keystorePasswordEnv -> keystore_password_env',
        '5: ports -> port',
      ],
    ],
    [
      'a line that is not indented',
      refusedConfig,
      'security_server:\n  url: https://a\nkeystore_path: a.p12\n',
      /security_server\.keystore_path: missing/,
      ['3: keystore_path -> below security_server'],
    ],
    [
      'lines that are indented too far',
      refusedConfig,
      'security_server:\n  url: https://a\n  dsl_path: DSL\n  member_code: "1"\n',
      /security_server\.keystore_path: missing/,
      [
        '3: security_server.dsl_path -> at the top of the file, not indented',
        '4: security_server.member_code -> below client_data',
      ],
    ],
    [
      'a field that is left empty',
      refusedConfig,
      'security_server:\n  url: https://a\n  keystore_path:\n  keystore: a.p12\n',
      /keystore_path: left empty/,
      ['4: security_server.keystore -> keystore_path'],
    ],
    [
      'a field that is wrong in another way',
      refusedConfig,
      'port: many\nlimits:\n  max_request: 5\n',
      /^\.\/proxy\.yaml:1: port: found "many"/,
      ['3: limits.max_request -> max_request_bytes'],
    ],
    ['a SOAP file', refusedDsl, 'method: POST\nenvelop: <a/>\n', /envelope: missing/, ['2: envelop -> envelope']],
    [
      'a SOAP file with two of both',
      refusedDsl,
      'methods: POST\nenvelope_template: <a/>\n',
      /method: missing.*envelope: missing/,
      ['1: methods -> method', '2: envelope_template -> envelope'],
    ],
    ['a REST file', refusedDsl, 'kind: rest\nmethod: GET\ntarge:\n  a: 1\n', /target: missing/, ['3: targe -> target']],
    [
      'a REST target',
      refusedDsl,
      rest('  class: GOV\n  code: "1"\n  subsystem: a\n  service: b\n'),
      /target\.member_class: missing.*member_code: missing.*subsystem_code: missing.*service_code: missing/,
      ['4: target.class -> member_class', '6: target.subsystem -> subsystem_code', '7: target.service -> service_code'],
    ],
    [
      'a REST target that is not indented',
      refusedDsl,
      `${rest('  member_class: GOV\n  member_code: "1"\n  subsystem_code: a\n')}service_code: b\n`,
      /target\.service_code: missing/,
      ['7: service_code -> below target'],
    ],
    [
      'the kind itself',
      refusedDsl,
      'knd: rest\nmethod: GET\ntarget:\n  member_class: GOV\n',
      /:3: target: a file with a target and no envelope needs the line kind: rest/,
      ['1: knd -> kind'],
    ],
    [
      'the target of a file that says no kind',
      refusedDsl,
      'method: GET\ntargets:\n  member_class: GOV\n',
      /:2: targets: a file with a target and no envelope needs the line kind: rest/,
      ['2: targets -> target'],
    ],
    [
      'a sidecar',
      refusedSidecar,
      'memberclass: GOV\nresponse: typed\nservice_uri: https://a\n',
      /; api\.meta\.yaml:2: response: found "typed", expected plain or schema; /,
      ['1: memberclass -> member_class', '3: service_uri -> service_url'],
    ],
  ]
  for (const [title, refused, text, problem, expected] of cases) {
    test(title, () => {
      const message = refused(text)
      match(message, problem)
      deepStrictEqual(hints(message), expected)
      ok(!/[\r\n]/.test(message), 'one line')
    })
  }

  test('a name that is like none comes with those that are known', () => {
    match(
      refusedConfig('security_server:\n  url: https://a\n  zzz: 1\n'),
      /keystore_path: missing.*:3: security_server\.zzz: unknown field, has no effect; the known fields are url, keystore_path,/,
    )
  })

  test('any slip in a required name leads to it', () => {
    const fields = ['url', 'keystore_path'] as const
    const good = { url: 'https://a', keystore_path: 'a.p12' }
    const slip = fc.constantFrom<(name: string) => string>(
      (name) => name.toUpperCase(),
      (name) => name.replaceAll('_', '-'),
      (name) => name.replaceAll('_', ''),
      (name) => `${name}s`,
      (name) => name.slice(0, -1),
      (name) => `${name}_of_server`,
      (name) => `my_${name}`,
    )
    fc.assert(
      fc.property(fc.constantFrom(...fields), slip, (field, misspell) => {
        const name = misspell(field)
        fc.pre(name !== field && name.length > 2)
        const lines = fields.map((each) => `  ${each === field ? name : each}: ${good[each]}`)
        const message = refusedConfig(`security_server:\n${lines.join('\n')}\n`)
        deepStrictEqual(
          hints(message).map((each) => each.replace(/^\d+: /, '')),
          [`security_server.${name} -> ${field}`],
        )
      }),
    )
  })

  test('of very many problems the first fifty are told', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `field${index}: 1`)
    const message = refusedConfig(`port: many\n${lines.join('\n')}\n`)
    strictEqual(message.split(': unknown field').length - 1, 49)
    match(message, /; and 451 more$/)
  })
})
