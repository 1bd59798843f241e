/**
 * What the manual shows and the service says: the tables of a page as rows, and every refusal to start brought about on
 * purpose, under the reason that stands in the manual. Messages come out with the paths that the manual has.
 */
import { ok, throws } from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, newFolder } from '@services/testing'
import { issueClient, makeAuthority, toDer, toPkcs12 } from '@services/testing/certificates'
import { loadConfig } from '../../src/boot/config/config.ts'
import { loadEndpoints } from '../../src/boot/dsl/endpoints.ts'
import { createClientContext } from '../../src/boot/tls/keystore.ts'
import { StartupFailure } from '../../src/errors.ts'

/** Reason in configuration.md -> the message of the configuration. */
const configRefusals: Readonly<Record<string, () => string>> = {
  'the file that is named does not exist': () => refusalOfConfig('', { flag: 'proxi.yaml' }),
  'the file is not YAML': () => refusalOfConfig('port: [\n'),
  'a field of the wrong type or out of bounds': () => refusalOfConfig('port: 80800'),
  'a protocol version that does not exist': () => refusalOfConfig('xroad_protocol_version: 5.0'),
  'an address of the Security Server without https': () =>
    refusalOfConfig('security_server: {url: "http://ss:8080", keystore_path: key.p12}'),
  'a required field is missing': () => refusalOfConfig('security_server: {url: "https://ss:8443"}'),
  'the password of the keystore is not set': () =>
    refusalOfConfig('security_server: {url: "https://ss:8443", keystore_path: key.p12}'),
  'the key of the audit file is not set': () => refusalOfConfig('audit: {file: audit.jsonl, hash_key_env: AUDIT_KEY}'),
}

const target = (fields: string): string => `kind: rest\nmethod: GET\ntarget: {${fields}}\n`
const whole = 'member_class: GOV, member_code: "1", subsystem_code: s, service_code: c'
const soap = (fields: string): string => `method: POST\n${fields}\n`

/** Reason in configuration.md -> the message of the DSL files. */
const dslRefusals: Readonly<Record<string, () => string>> = {
  '`dsl_path` is not a directory': () =>
    refusalOf(() => loadEndpoints(join(newFolder({ DSL: '' }), 'DSL'))).replace(/path .*\)/, 'path DSL (/app/DSL)'),
  'a DSL file is not YAML': () => refusalOfFiles({ 'crm/find.yml': 'method: [\n' }),
  'a DSL file is not UTF-8': () => refusalOfFiles({ 'crm/find.yml': Buffer.from([0x61, 0xff]) }),
  'an unknown kind': () => refusalOfFiles({ 'crm/find.yml': 'kind: graphql\n' }),
  'a required field of a DSL file is missing': () => refusalOfFiles({ 'crm/find.yml': soap('params: []') }),
  'a field of `target` is missing': () =>
    refusalOfFiles({ 'crm/find.yml': target('member_class: GOV, member_code: "1", subsystem_code: s') }),
  'an unknown method': () => refusalOfFiles({ 'crm/find.yml': 'method: FETCH\nenvelope: <e/>\n' }),
  'something in `params` that is not a text': () =>
    refusalOfFiles({ 'crm/find.yml': soap('params: [code, 7]\nenvelope: <e/>') }),
  'a template that is not Handlebars': () =>
    refusalOfFiles({ 'crm/find.yml': soap('envelope: |\n  <e>\n    {{#if code}}<c/>\n  </e>') }),
  'an address in `service` that is not a URL': () =>
    refusalOfFiles({ 'crm/find.yml': soap('service: service.example.org/soap\nenvelope: <e/>') }),
  'a `target.path` with `..`': () => refusalOfFiles({ 'crm/find.yml': target(`${whole}, path: /v1/../admin`) }),
  'a client that `clients` does not have': () =>
    refusalOfFiles({ 'crm/find.yml': soap('client: taks\nenvelope: <e/>') }, ['land', 'tax']),
  'two files for one endpoint': () =>
    refusalOfFiles({
      'crm/find.yaml': soap('envelope: <e/>'),
      'old/crm/find.yml': soap('envelope: <e/>'),
    }),
}

const password = 'S3cret'

/** Reason in security-server.md -> the message of the keystore. */
const keystoreRefusals: Readonly<Record<string, () => string>> = {
  'no such file': () => refusalOfKeystore(undefined),
  'a folder': () => refusalOfKeystore('folder'),
  'an empty file': () => refusalOfKeystore(Buffer.alloc(0)),
  'a wrong password': () => refusalOfKeystore(identity(), 'other'),
  'a password with a line break at its end': () => refusalOfKeystore(identity(), `${password}\n`),
  'an old cipher': () => refusalOfKeystore(fixture('rc2-40.p12'), 'fixture'),
  JKS: () => refusalOfKeystore(fixture('client.jks')),
  PEM: () => refusalOfKeystore(Buffer.from(issued().certificate)),
  'a certificate (DER)': () => refusalOfKeystore(toDer(issued().certificate)),
  'base64 text': () => refusalOfKeystore(Buffer.from(identity().toString('base64'))),
  'no private key inside': () => refusalOfKeystore(toPkcs12(undefined, [issued().certificate], password)),
  'cut off': () => refusalOfKeystore(identity().subarray(0, 900)),
  'some other file': () => refusalOfKeystore(Buffer.from('not a keystore at all')),
}

const trustRefusals: Readonly<Record<string, () => string>> = {
  'no such file': () => refusalOfTrust(undefined),
  'an empty file': () => refusalOfTrust(''),
  DER: () => refusalOfTrust(toDer(issued().certificate)),
  PKCS12: () => refusalOfTrust(identity()),
  'a private key': () => refusalOfTrust(issued().key),
  'a certificate that is cut off': () => refusalOfTrust(issued().certificate.slice(0, 400)),
  'a certificate that is damaged': () => refusalOfTrust(issued().certificate.replace('MII', 'MIX')),
}

export const refusals = { config: configRefusals, dsl: dslRefusals, keystore: keystoreRefusals, trust: trustRefusals }

let client: { readonly key: string; readonly certificate: string } | undefined

function issued() {
  client ??= issueClient(makeAuthority())
  return client
}

function identity(): Buffer {
  return toPkcs12(issued().key, [issued().certificate], password)
}

function fixture(name: string): Buffer {
  return Buffer.from(readFileSync(join(import.meta.dirname, '../fixtures', `${name}.base64`), 'latin1'), 'base64')
}

function refusalOfConfig(yaml: string | undefined, { flag }: { flag?: string } = {}): string {
  const cwd = newFolder(yaml === undefined ? {} : { 'proxy.yaml': `${yaml}\n` })
  return refusalOf(() => loadConfig({ flag, env: {}, cwd })).replaceAll(cwd, '/app')
}

function refusalOfFiles(files: Files, clients?: readonly string[]): string {
  const folder = newFolder(files)
  return refusalOf(() => loadEndpoints(folder, clients)).replaceAll(folder, 'DSL')
}

function refusalOfKeystore(content: Buffer | 'folder' | undefined, given: string = password): string {
  const folder = newFolder()
  const keystorePath = join(folder, 'key.p12')
  if (content === 'folder') mkdirSync(keystorePath)
  else if (content !== undefined) writeFileSync(keystorePath, content)
  const settings = { keystorePath, keystorePasswordEnv: 'PROXY_KEYSTORE_PASSWORD' }
  return refusalOf(() => createClientContext(settings, { PROXY_KEYSTORE_PASSWORD: given })).replaceAll(`${folder}/`, '')
}

function refusalOfTrust(content: string | Buffer | undefined): string {
  const folder = newFolder({ 'key.p12': identity() })
  const trustCaPath = join(folder, 'ca.pem')
  if (content !== undefined) writeFileSync(trustCaPath, content)
  const settings = {
    keystorePath: join(folder, 'key.p12'),
    keystorePasswordEnv: 'PROXY_KEYSTORE_PASSWORD',
    trustCaPath,
  }
  const env = { PROXY_KEYSTORE_PASSWORD: password }
  return refusalOf(() => createClientContext(settings, env)).replaceAll(`${folder}/`, '')
}

/** `code: message` of the StartupFailure. */
function refusalOf(start: () => unknown): string {
  let found = ''
  throws(start, (error: Error) => {
    ok(error instanceof StartupFailure, error.message)
    found = `${error.code}: ${error.message}`
    return true
  })
  return found
}

/** Codes of causes.ts as its tables have them -> the message for each. */
export function causesOf(source: string, describe: (error: unknown) => { message: string }): Map<string, string> {
  const keysOf = (name: string): string[] => {
    const [, body = ''] = new RegExp(`^const ${name}: .* = \\{\\n([\\s\\S]*?)\\n\\}`, 'm').exec(source) ?? []
    return Array.from(body.matchAll(/^ {2}([A-Z]\w+):/gm), ([, key = '']) => key)
  }
  const codes = keysOf('causes').map((code): [string, string] => [code, describe({ code, name: code }).message])
  const alerts = keysOf('alerts').map((alert): [string, string] => {
    return [`TLS alert ${alert}`, describe({ code: `ERR_SSL_TLSV1_ALERT_${alert}` }).message]
  })
  return new Map([...codes, ...alerts])
}
