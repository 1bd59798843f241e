/** Every code of the doctor on its trigger, and its silence on the nearest neighbour. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { configSchema } from '../../../src/boot/config/schema.ts'
import { certificateCodes, checks, exitCodeOf, runChecks } from '../../../src/doctor/checks.ts'
import type { Finding, Severity } from '../../../src/doctor/finding.ts'
import type { ProbeFacts } from '../../../src/doctor/probe/probe.ts'
import { toJson, toText } from '../../../src/doctor/report.ts'
import {
  codesOf,
  examine,
  gather,
  inDays,
  keystore,
  password,
  restFile,
  server,
  serverCertificate,
  type Situation,
  soapFile,
  trust,
} from '../../support/doctor.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

interface Case {
  /** The code in brackets, as rules.ts has it. */
  readonly rule: string
  readonly field?: string | RegExp
  readonly fires: readonly Situation[]
  readonly silent: readonly Situation[]
}

const client = { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' }
const limited = (limits: object): Situation => ({ config: { limits } })
const rest = (changes: Readonly<Record<string, string>>): Situation => ({
  config: { security_server: server },
  dsl: { 'g/s.yml': Object.entries(changes).reduce((text, [from, to]) => text.replace(from, to), restFile) },
})
const naming = 'method: POST\nenvelope: <e>{{{generate.client}}}</e>\n'
const soapThrough = 'method: POST\nenvelope: <e/>\n'

const trusting = (pem: string): Situation => ({
  config: { security_server: { ...server, trust_ca_path: '@/server.pem' } },
  files: { 'server.pem': pem },
})

const asked: ProbeFacts = {
  connectionProblem: undefined,
  connection: 'TLSv1.3',
  clientsProblem: undefined,
  clients: [{ instance: 'ee-test', memberClass: 'GOV', memberCode: '70000000', subsystemCode: 'demo' }],
  silentProviders: [],
  endpoints: [],
}
const verdict = (
  given: ProbeFacts['endpoints'][number]['verdict'],
  more: Partial<ProbeFacts['endpoints'][number]> = {},
): Situation => ({
  probe: {
    ...asked,
    endpoints: [{ path: '/g/s', file: 'g/s.yml', provider: 'a/b', verdict: given, reason: 'so', ...more }],
  },
})
const tax = { member_class: 'GOV', member_code: '70000349', subsystem_code: 'tax', keystore_path: '@/client.p12' }
const taxFile = `client: tax\n${restFile}`
const sidecar = 'provider: {member_class: GOV, member_code: "70000001", subsystem_code: registry}\n'
const dropped = (files: Readonly<Record<string, string>>): Situation => ({
  config: { wsdl_watch_dir: '@/wsdl' },
  files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`wsdl/${name}`, text])),
})
const skipped = { file: 'a.wsdl', operation: 'op', outcome: 'skipped', reason: 'has an xsd:choice' } as const

const describedFile = restFile.replace('method: GET', 'openapi: s.openapi.yaml')
const description = `openapi: 3.1.0
info: {title: t, version: "1"}
paths:
  /a: {get: {responses: {"200": {description: x}}}, put: {responses: {"200": {description: x}}}}
`

const cases: readonly Case[] = [
  {
    rule: '[S-doctor.fatal-config-load]',
    fires: [
      { config: { port: 70_000 } },
      { config: 'a: [' },
      { config: null, flag: 'nowhere.yaml' },
      { config: { security_server: { url: server.url } } },
      { config: { security_server: 'text' } },
      { config: { limits: { max_request_bytes: 'many' }, wsdl: { upstream_host_allowlist: ['a', 7, ['x']] } } },
      { config: null, env: { PROXY_CONFIG: '/nowhere/proxy.yaml' } },
    ],
    silent: [
      { config: { port: 65_535 } },
      { config: null },
      { config: { xroad_protocol_version: '5' } },
      { config: { security_server: { ...server, url: 'http://server.example.org' } } },
    ],
  },
  {
    rule: '[S-doctor.fatal-config-xroad-protocol-invalid]',
    field: 'xroad_protocol_version',
    fires: [
      { config: { xroad_protocol_version: '4.2' } },
      { config: 'xroad_protocol_version: 4' },
      { config: { xroad_protocol_version: '' } },
      { config: { xroad_protocol_version: '4.0 ', port: 'wrong as well' } },
    ],
    silent: [
      { config: 'xroad_protocol_version: 4.0' },
      { config: { xroad_protocol_version: '4.1' } },
      { config: null },
      { config: { port: 'wrong' } },
    ],
  },
  {
    rule: '[S-doctor.info-config-xroad-protocol-ok]',
    field: 'xroad_protocol_version',
    fires: [{ config: { xroad_protocol_version: '4.1' } }, { config: null }, { config: { port: 'wrong' } }],
    silent: [{ config: { xroad_protocol_version: '4.2' } }, { config: 'a: [' }],
  },
  {
    rule: '[S-doctor.info-config-source]',
    fires: [{}, { config: { port: 'wrong' } }],
    silent: [{ config: null }],
  },
  { rule: '[S-doctor.info-config-defaults]', fires: [{ config: null }], silent: [{ config: '' }] },
  {
    rule: '[S-doctor.info-config-instance] [G9]',
    field: 'xroad_instance',
    fires: [{ config: { security_server: server } }],
    silent: [{ config: { security_server: server, xroad_instance: 'EE' } }, { config: null }, {}],
  },
  {
    rule: '[S-doctor.weak-config-unknown-field]',
    field: 'limits.max_request_byte',
    fires: [limited({ max_request_byte: 1 })],
    silent: [limited({ max_request_bytes: 1 })],
  },
  {
    rule: '[S-doctor.fatal-client-data-placeholder-member_code]',
    field: 'client_data.member_code',
    fires: [
      { config: { client_data: { ...client, member_code: '<registry code>' } } },
      { config: { client_data: { ...client, member_code: '7000>' } } },
      { config: { client_data: { ...client, member_code: '<' }, xroad_protocol_version: '9' } },
    ],
    silent: [
      { config: { client_data: { ...client, member_code: '(registry code)' } } },
      { config: { client_data: { ...client, subsystem_code: '<s>' } } },
    ],
  },
  {
    rule: '[S-doctor.fatal-client-data-placeholder-subsystem_code]',
    field: 'client_data.subsystem_code',
    fires: [{ config: { client_data: { ...client, subsystem_code: '<your subsystem>' } } }],
    silent: [{ config: { client_data: { ...client, subsystem_code: 'your subsystem', member_code: '<c>' } } }],
  },
  {
    rule: '[S-doctor.fatal-config-placeholder]',
    field: /^(?:xroad_instance|client_data\.member_class|security_server\.url)$/,
    fires: [
      { config: { xroad_instance: '<instance>' } },
      { config: { client_data: { ...client, member_class: '<GOV or COM>' } } },
      { config: { security_server: { ...server, url: 'https://<host>:5500' } } },
    ],
    silent: [{}, { config: { client_data: { ...client, member_code: '<c>' } } }],
  },
  {
    rule: '[S-doctor.weak-client-data-empty]',
    field: 'client_data',
    fires: [
      { config: { client_data: {} } },
      { config: { client_data: { member_class: '', member_code: '', subsystem_code: '' } } },
      { config: null },
    ],
    silent: [
      { config: { client_data: { member_class: 'GOV' } } },
      { config: { client_data: { subsystem_code: 's' } } },
    ],
  },
  {
    rule: '[S-doctor.info-client-data-incomplete]',
    field: 'client_data',
    fires: [{ config: { client_data: { subsystem_code: 's' } } }, { config: { client_data: { member_class: 'GOV' } } }],
    silent: [
      { config: { client_data: {} } },
      { config: { client_data: { member_class: 'GOV', member_code: '7' } } },
      { config: { client_data: { member_class: ['x'], member_code: '7' } } },
    ],
  },
  {
    rule: '[S-doctor.weak-config-admin-port]',
    field: 'security_server.url',
    fires: [{ config: { security_server: { ...server, url: 'https://server.example.org:4000' } } }],
    silent: [
      { config: { security_server: { ...server, url: 'https://server.example.org:4001' } } },
      { config: { security_server: { ...server, url: 'https://server.example.org/4000' } } },
    ],
  },
  {
    rule: '[S-doctor.fatal-rest-ss-not-https]',
    field: 'security_server.url',
    fires: [
      { config: { security_server: { ...server, url: 'http://server.example.org' } } },
      { config: { security_server: { ...server, url: 'server.example.org:5500' } } },
      { config: { security_server: { ...server, url: '' } } },
      { config: { security_server: { ...server, url: 'http://server.example.org' } }, dsl: { 'g/s.yml': restFile } },
      { config: { security_server: { url: 'http://server.example.org' } } },
    ],
    silent: [
      { config: { security_server: server } },
      { config: { security_server: { ...server, url: 'HTTPS://server.example.org' } } },
      { config: { security_server: { keystore_path: 'x' } } },
      {},
    ],
  },
  {
    rule: '[S-doctor.info-rest-trust-ca-system]',
    field: 'security_server.trust_ca_path',
    fires: [{ config: { security_server: server } }],
    silent: [
      { config: { security_server: { ...server, trust_ca_path: '@/ca.pem' } }, files: { 'ca.pem': trust } },
      { config: {} },
    ],
  },
  {
    rule: '[S-doctor.weak-wsdl-allow-http]',
    field: 'wsdl.allow_http_upstream',
    fires: [{ config: { wsdl: { allow_http_upstream: true } } }],
    silent: [{ config: { wsdl: { allow_http_upstream: false } } }, {}],
  },
  {
    rule: '[S-doctor.weak-wsdl-allowlist-empty]',
    field: 'wsdl.upstream_host_allowlist',
    fires: [
      { config: { wsdl_watch_dir: '@/wsdl' } },
      { config: { wsdl_watch_dir: '@/wsdl', wsdl: { upstream_host_allowlist: [] } } },
    ],
    silent: [{}, { config: { wsdl_watch_dir: '@/wsdl', wsdl: { upstream_host_allowlist: ['a.example.org'] } } }],
  },
  {
    rule: '[S-doctor.info-wsdl-allowlist-pinned]',
    field: 'wsdl.upstream_host_allowlist',
    fires: [{ config: { wsdl_watch_dir: '@/wsdl', wsdl: { upstream_host_allowlist: ['a.example.org'] } } }],
    silent: [{ config: { wsdl_watch_dir: '@/wsdl', wsdl: { upstream_host_allowlist: [] } } }],
  },
  {
    rule: '[S-doctor.weak-error-expose-soap-fault-detail]',
    field: 'expose_soap_fault_detail',
    fires: [{ config: { expose_soap_fault_detail: true } }],
    silent: [{ config: { expose_soap_fault_detail: false } }, {}],
  },
  {
    rule: '[S-doctor.weak-limits-request-too-generous D6.2]',
    field: 'limits.max_request_bytes',
    fires: [limited({ max_request_bytes: 16_777_217 })],
    silent: [limited({ max_request_bytes: 16_777_216 }), {}],
  },
  {
    rule: '[S-doctor.weak-limits-response-too-generous D6.2]',
    field: 'limits.max_response_bytes',
    fires: [limited({ max_response_bytes: 134_217_729 })],
    silent: [limited({ max_response_bytes: 134_217_728 }), {}],
  },
  {
    rule: '[S-doctor.weak-limits-timeout-too-long]',
    field: 'limits.request_timeout_secs',
    fires: [limited({ request_timeout_secs: 301 })],
    silent: [limited({ request_timeout_secs: 300 }), {}],
  },
  {
    rule: '[S-doctor.info-limits-summary]',
    field: 'limits',
    fires: [{}, { config: null }],
    silent: [limited({ request_timeout_secs: 0 }), { config: 'a: [' }],
  },
  {
    rule: '[S-doctor.weak-paths-dsl-missing]',
    field: 'dsl_path',
    fires: [{ dsl: null }, { dsl: null, ...dropped({ 'crm/api.wsdl': wsdlOf(['find']) }) }],
    silent: [{}, { dsl: { 'a/b.yml': 'broken' } }],
  },
  {
    rule: '[S-doctor.weak-paths-wsdl-watch-missing]',
    field: 'wsdl_watch_dir',
    fires: [{ config: { wsdl_watch_dir: '@/wsdl' } }],
    silent: [{ config: { wsdl_watch_dir: '@/wsdl' }, files: { 'wsdl/a/b.wsdl': '' } }, {}],
  },

  {
    rule: '[S-doctor.fatal-keystore-env-missing]',
    field: 'security_server.keystore_password_env',
    fires: [
      { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: undefined } },
      { config: { security_server: { ...server, keystore_password_env: 'OTHER' } } },
      { config: { security_server: {} }, env: { PROXY_KEYSTORE_PASSWORD: undefined } },
      {
        config: { security_server: { ...server, url: 'http://server.example.org' } },
        env: { PROXY_KEYSTORE_PASSWORD: undefined },
      },
    ],
    silent: [
      { config: { security_server: server } },
      { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: '' } },
      { env: { PROXY_KEYSTORE_PASSWORD: undefined } },
      { config: { security_server: { ...server, keystore_password_env: 'not a name' } } },
      { config: { security_server: 'text' }, env: { PROXY_KEYSTORE_PASSWORD: undefined } },
    ],
  },
  {
    rule: '[S-doctor.fatal-keystore-env-empty]',
    field: 'security_server.keystore_password_env',
    fires: [{ config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: '' } }],
    silent: [
      { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: ' ' } },
      { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: undefined } },
      { env: { PROXY_KEYSTORE_PASSWORD: '' } },
    ],
  },
  {
    rule: '[S-doctor.info-keystore-env-present]',
    field: 'security_server.keystore_password_env',
    fires: [{ config: { security_server: server } }],
    silent: [{}, { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: '' } }],
  },
  {
    rule: '[S-doctor.fatal-keystore-password-file-unreadable]',
    field: 'security_server.keystore_password_file',
    fires: [
      { config: { security_server: { ...server, keystore_password_file: '@/none' } } },
      { config: { security_server: { ...server, keystore_password_file: '@/empty' } }, files: { empty: '\n' } },
      { config: { security_server: { ...server, keystore_password_file: '@/two' } }, files: { two: 'a\nb' } },
    ],
    silent: [
      { config: { security_server: server } },
      { config: { security_server: { ...server, keystore_password_file: '@/word' } }, files: { word: 'wrong' } },
    ],
  },
  {
    rule: '[S-doctor.info-keystore-password-file-present]',
    field: 'security_server.keystore_password_file',
    fires: [
      {
        config: { security_server: { ...server, keystore_password_file: '@/word' } },
        files: { word: 'x\n' },
        env: { PROXY_KEYSTORE_PASSWORD: undefined },
      },
    ],
    silent: [
      { config: { security_server: server } },
      { config: { security_server: { ...server, keystore_password_file: '@/none' } } },
    ],
  },
  {
    rule: '[S-doctor.fatal-keystore-file-missing]',
    field: 'security_server.keystore_path',
    fires: [
      { config: { security_server: { ...server, keystore_path: '@/nowhere.p12' } } },
      { config: { security_server: { ...server, keystore_path: '@/client.p12/inside' } } },
      {
        config: { security_server: { ...server, keystore_path: '@/nowhere.p12' } },
        env: { PROXY_KEYSTORE_PASSWORD: '' },
      },
    ],
    silent: [{ config: { security_server: server } }, {}, { config: { security_server: { url: server.url } } }],
  },
  {
    rule: '[S-doctor.fatal-keystore-unreadable]',
    field: 'security_server.keystore_path',
    fires: [
      { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: 'wrong' }, dsl: { 'g/s.yml': restFile } },
      { config: { security_server: server }, files: { 'client.p12': 'text' }, dsl: { 'g/s.yml': soapThrough } },
      { config: { security_server: { ...server, keystore_path: '@/DSL' } }, dsl: { 'g/s.yml': restFile } },
    ],
    silent: [
      { config: { security_server: server }, dsl: { 'g/s.yml': restFile } },
      { config: { security_server: server }, files: { 'client.p12': 'text' } },
    ],
  },
  {
    rule: '[S-doctor.weak-keystore-unreadable]',
    field: 'security_server.keystore_path',
    fires: [{ config: { security_server: server }, files: { 'client.p12': 'text' } }],
    silent: [
      { config: { security_server: server } },
      { config: { security_server: server }, files: { 'client.p12': 'text' }, dsl: { 'g/s.yml': restFile } },
    ],
  },
  {
    rule: '[S-doctor.fatal-trust-ca-unreadable]',
    field: 'security_server.trust_ca_path',
    fires: [
      {
        config: { security_server: { ...server, trust_ca_path: '@/ca.pem' } },
        files: { 'ca.pem': 'no certificate' },
        dsl: { 'g/s.yml': restFile },
      },
    ],
    silent: [
      { config: { security_server: { ...server, trust_ca_path: '@/ca.pem' } }, files: { 'ca.pem': trust } },
      { config: { security_server: { ...server, trust_ca_path: '@/ca.pem' } }, files: { 'ca.pem': '' } },
    ],
  },
  {
    rule: '[S-doctor.weak-trust-ca-unreadable]',
    field: 'security_server.trust_ca_path',
    fires: [{ config: { security_server: { ...server, trust_ca_path: '@/ca.pem' } }, files: { 'ca.pem': '' } }],
    silent: [{ config: { security_server: { ...server, trust_ca_path: '@/ca.pem' } }, files: { 'ca.pem': trust } }],
  },
  {
    rule: '[S-doctor.weak-keystore-open-to-others]',
    field: 'security_server.keystore_path',
    fires: [
      { config: { security_server: server }, keystoreMode: 0o644 },
      { config: { security_server: server }, keystoreMode: 0o604 },
      { config: { security_server: server }, keystoreMode: 0o644, env: { PROXY_KEYSTORE_PASSWORD: 'wrong' } },
    ],
    silent: [
      { config: { security_server: server }, keystoreMode: 0o600 },
      { config: { security_server: server }, keystoreMode: 0o640 },
      { keystoreMode: 0o644 },
      { config: { security_server: { ...server, keystore_path: '@/nowhere.p12' } } },
    ],
  },
  {
    rule: '[S-doctor.fatal-keystore-expired]',
    field: 'security_server.keystore_path',
    fires: [{ config: { security_server: server }, files: { 'client.p12': keystore({ notAfter: inDays(0, -1) }) } }],
    silent: [{ config: { security_server: server }, files: { 'client.p12': keystore({ notAfter: inDays(0) }) } }],
  },
  {
    rule: '[S-doctor.weak-keystore-not-yet-valid]',
    field: 'security_server.keystore_path',
    fires: [{ config: { security_server: server }, files: { 'client.p12': keystore({ notBefore: inDays(0, 1) }) } }],
    silent: [{ config: { security_server: server }, files: { 'client.p12': keystore({ notBefore: inDays(0) }) } }],
  },
  {
    rule: '[S-doctor.weak-keystore-expiring]',
    field: 'security_server.keystore_path',
    fires: [
      { config: { security_server: server }, files: { 'client.p12': keystore({ notAfter: inDays(30) }) } },
      { config: { security_server: server }, files: { 'client.p12': keystore({ notAfter: inDays(0) }) } },
    ],
    silent: [
      { config: { security_server: server }, files: { 'client.p12': keystore({ notAfter: inDays(30, 1) }) } },
      { config: { security_server: server }, files: { 'client.p12': keystore({ notAfter: inDays(0, -1) }) } },
    ],
  },
  {
    rule: '[S-doctor.fatal-trust-ca-expired]',
    field: 'security_server.trust_ca_path',
    fires: [trusting(serverCertificate({ notAfter: inDays(0, -1) }))],
    silent: [
      trusting(serverCertificate({ notAfter: inDays(0) })),
      trusting(serverCertificate({ notAfter: inDays(0, -1) }) + serverCertificate()),
    ],
  },
  {
    rule: '[S-doctor.weak-trust-ca-expired]',
    field: 'security_server.trust_ca_path',
    fires: [trusting(serverCertificate({ notAfter: inDays(0, -1) }) + serverCertificate())],
    silent: [trusting(serverCertificate()), trusting(serverCertificate({ notAfter: inDays(0, -1) }))],
  },
  {
    rule: '[S-doctor.weak-trust-ca-expiring]',
    field: 'security_server.trust_ca_path',
    fires: [
      trusting(serverCertificate({ notAfter: inDays(30) })),
      trusting(serverCertificate({ notAfter: inDays(1) }) + serverCertificate()),
    ],
    silent: [
      trusting(serverCertificate({ notAfter: inDays(30, 1) })),
      trusting(serverCertificate({ notAfter: inDays(0, -1) })),
    ],
  },
  {
    rule: '[S-doctor.info-keystore-identity]',
    field: 'security_server.keystore_path',
    fires: [{ config: { security_server: server } }],
    silent: [{}, { config: { security_server: server }, env: { PROXY_KEYSTORE_PASSWORD: 'wrong' } }],
  },

  {
    rule: '[S-doctor.weak-client-no-security-server P7]',
    field: 'clients',
    fires: [{ config: { clients: { tax } } }],
    silent: [{ config: { clients: { tax }, security_server: server } }, { config: { clients: {} } }],
  },
  {
    rule: '[S-doctor.weak-client-unused P7]',
    field: 'clients.tax',
    fires: [{ config: { clients: { tax }, security_server: server } }],
    silent: [
      { config: { clients: { tax }, security_server: server }, dsl: { 'g/s.yml': taxFile } },
      { config: { clients: { tax }, security_server: server }, dsl: { 'g/s.yml': 'broken' } },
      { config: { clients: { tax }, security_server: server }, wsdl: [skipped] },
    ],
  },
  {
    rule: '[S-doctor.weak-client-repeated P7]',
    field: /^clients\.(?:tax|land)$/,
    fires: [
      { config: { clients: { tax: { ...tax, ...client } }, security_server: server } },
      { config: { clients: { tax, land: tax }, security_server: server } },
    ],
    silent: [{ config: { clients: { tax, land: { ...tax, subsystem_code: 'land' } }, security_server: server } }],
  },
  {
    rule: '[S-doctor.info-client-identity P7]',
    field: 'clients.tax',
    fires: [{ config: { clients: { tax }, security_server: server } }],
    silent: [{}, { config: { clients: { tax: { member_class: 'GOV' } } } }],
  },
  {
    rule: '[S-doctor.fatal-audit-file-unwritable P7]',
    field: 'audit.file',
    fires: [
      { config: { audit: { file: '@/none/audit.jsonl', required: true } } },
      { config: { audit: { file: '@/DSL', required: true } } },
    ],
    silent: [
      { config: { audit: { file: '@/audit.jsonl', required: true } } },
      { config: { audit: { file: '@/none/audit.jsonl' } } },
      { config: { audit: { required: true } } },
      {},
    ],
  },
  {
    rule: '[S-doctor.weak-audit-file-unwritable P7]',
    field: 'audit.file',
    fires: [{ config: { audit: { file: '@/none/audit.jsonl' } } }, { config: { audit: { file: '/dev/full' } } }],
    silent: [
      { config: { audit: { file: '@/audit.jsonl' } } },
      { config: { audit: { file: '@/none/audit.jsonl', required: true } } },
    ],
  },
  {
    rule: '[S-doctor.fatal-audit-key-missing P7]',
    field: 'audit.hash_key_env',
    fires: [
      { config: { audit: { file: '@/audit.jsonl', hash_key_env: 'AUDIT_KEY' } } },
      { config: { audit: { file: '@/audit.jsonl', hash_key_env: 'AUDIT_KEY' } }, env: { AUDIT_KEY: '' } },
    ],
    silent: [
      { config: { audit: { file: '@/audit.jsonl', hash_key_env: 'AUDIT_KEY' } }, env: { AUDIT_KEY: 'k' } },
      { config: { audit: { file: '@/audit.jsonl' } } },
    ],
  },
  {
    rule: '[S-doctor.weak-audit-key-short P7]',
    field: 'audit.hash_key_env',
    fires: [{ config: { audit: { file: '@/a', hash_key_env: 'AUDIT_KEY' } }, env: { AUDIT_KEY: '123456789012345' } }],
    silent: [
      { config: { audit: { file: '@/a', hash_key_env: 'AUDIT_KEY' } }, env: { AUDIT_KEY: '1234567890123456' } },
      { config: { audit: { file: '@/a', hash_key_env: 'AUDIT_KEY' } } },
      { config: { audit: { file: '@/a' } } },
    ],
  },
  {
    rule: '[S-doctor.info-audit-file P7]',
    field: 'audit.file',
    fires: [{ config: { audit: { file: '@/audit.jsonl' } } }],
    silent: [{ config: { audit: { file: '@/none/audit.jsonl' } } }, {}],
  },
  {
    rule: '[S-doctor.fatal-dsl-load]',
    field: /[/\\]DSL(?:$|[/\\]g[/\\]s\.yml$)/,
    fires: [
      { dsl: { 'g/s.yml': 'kind: [' } },
      { dsl: { 'g/s.yml': 'method: POST\n' } },
      { dsl: { 'g/s.yml': 'method: POST\nenvelope: "{{#if}}"\n' } },
      { dsl: null, files: { DSL: 'a file' } },
      { dsl: { 'g/s.yaml': soapFile, 'g/s.yml': soapFile } },
    ],
    silent: [{ dsl: { 'g/s.yml': soapFile, 'g/s.txt': '[' } }, { dsl: null }],
  },
  {
    rule: '[S-doctor.weak-dsl-warning]',
    field: 'dsl_path',
    fires: [{ dsl: { 'g/s.yml': `${soapFile}envelop: x\n` } }, { dsl: { 'g/s.yml': soapFile.replace('POST', 'GET') } }],
    silent: [{}, { dsl: null }],
  },
  {
    rule: '[S-doctor.info-dsl-notice] [G9]',
    field: /g\/s\.(?:yml|json|wsdl)$/,
    fires: [
      { dsl: { 'g/s.yml': `${soapFile}params: [unused]\n` } },
      { dsl: { 'g/t.yml': soapFile, 'g/s.json': '{}' } },
      { dsl: { 'g/t.yml': soapFile, 'g/s.wsdl': wsdlOf(['find']) } },
    ],
    silent: [{}, { dsl: null }, { dsl: { 'g/s.yml': soapFile } }],
  },
  {
    rule: '[S-doctor.fatal-client-data-needed]',
    field: 'client_data',
    fires: [
      { config: { client_data: {} }, dsl: { 'g/s.yml': restFile } },
      { config: { client_data: { ...client, member_class: '' } }, dsl: { 'g/s.yml': restFile } },
      { config: { client_data: { ...client, member_code: ' ' } }, dsl: { 'g/s.yml': naming } },
      { config: { client_data: { subsystem_code: 'demo' } }, dsl: { 'g/s.yml': naming } },
      { config: { client_data: {}, wsdl_watch_dir: '@/wsdl' }, files: { 'wsdl/crm/api.wsdl': wsdlOf(['find']) } },
    ],
    silent: [
      { config: { client_data: { ...client, subsystem_code: '' } }, dsl: { 'g/s.yml': restFile } },
      { config: { client_data: {} }, dsl: { 'g/s.yml': soapThrough } },
      {
        config: { client_data: {}, wsdl_watch_dir: '@/wsdl' },
        files: { 'wsdl/crm/api.wsdl': wsdlOf(['find'], { address: 'https://crm.example.com/soap' }) },
      },
      { config: { client_data: { ...client, member_code: [1] } }, dsl: { 'g/s.yml': restFile } },
    ],
  },
  {
    rule: '[S-doctor.weak-soap-envelope]',
    field: /g\/s\.yml$/,
    fires: [
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', 'Hello') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e><a>{{a}}</b></e>\nparams: [a]') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<soapenv:Envelope/>') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e>a & b</e>') } },
      { dsl: { 'g/s.yml': soapFile.replace(/service:.*\n/, '') } },
    ],
    silent: [
      { dsl: { 'g/s.yml': soapFile } },
      {
        dsl: {
          'g/s.yml': soapFile.replace(
            '<e/>',
            '<e xmlns:xroad="x" xmlns:id="i">{{{xml}}}{{{generate.client}}}</e>\nparams: [xml]',
          ),
        },
      },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e {{{attributes}}}/>\nparams: [attributes]') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '"<e>{{#if a}}<b/>{{else}}<c/>{{/if}}</e>"\nparams: [a]') } },
    ],
  },
  {
    rule: '[S-doctor.fatal-dsl-template]',
    field: /g\/s\.yml$/,
    fires: [
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e>{{personCode}}</e>') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e>{{generate.client}}</e>') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e>{{{generat.client}}}</e>') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e a="{{xml_atr b}}"/>\nparams: [b]') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '"<e>{{#if personCode}}<a/>{{/if}}</e>"') } },
    ],
    silent: [
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e>{{personCode}}</e>\nparams: [personCode]') } },
      { dsl: { 'g/s.yml': soapFile.replace('<e/>', '<e xmlns:xroad="x" xmlns:id="i">{{{generate.client}}}</e>') } },
    ],
  },
  {
    rule: '[S-doctor.weak-rest-description]',
    field: /g\/s\.openapi\.yaml$/,
    fires: [
      { dsl: { 'g/s.yml': describedFile, 'g/s.openapi.yaml': 'swagger: "2.0"\n' } },
      { dsl: { 'g/s.yml': describedFile, 'g/s.openapi.yaml': description.replace('get', 'trace') } },
    ],
    silent: [{ dsl: { 'g/s.yml': describedFile, 'g/s.openapi.yaml': description } }, { dsl: { 'g/s.yml': restFile } }],
  },
  {
    rule: '[S-doctor.fatal-rest-no-security-server]',
    field: 'security_server',
    fires: [{ dsl: { 'g/s.yml': restFile } }, { config: { security_server: null }, dsl: { 'g/s.yml': restFile } }],
    silent: [
      { dsl: { 'g/s.yml': soapFile } },
      { config: { security_server: server }, dsl: { 'g/s.yml': restFile } },
      { config: { security_server: { url: 'http://x' } }, dsl: { 'g/s.yml': restFile } },
    ],
  },
  {
    rule: '[S-doctor.weak-soap-no-security-server]',
    field: 'security_server',
    fires: [{ dsl: { 'g/s.yml': soapThrough } }],
    silent: [
      { dsl: { 'g/s.yml': soapFile } },
      { config: { security_server: server }, dsl: { 'g/s.yml': soapThrough } },
    ],
  },
  {
    rule: '[S-doctor.fatal-rest-target-fields-missing]',
    field: /s\.yml: target\.\w+(?:, target\.\w+)*$/,
    fires: [
      rest({ GOV: '""' }),
      rest({ '"70000001"': '""' }),
      rest({ registry: '""' }),
      rest({ companies: '""' }),
      rest({ companies: '" "' }),
      rest({ companies: '' }),
      rest({ ', service_code: companies': '' }),
      { dsl: { 'g/s.yml': describedFile.replace('registry', '""'), 'g/s.openapi.yaml': description } },
    ],
    silent: [
      rest({}),
      { dsl: { 'g/s.yml': 'kind: soap\ntarget: { member_class: "" }\nmethod: POST\nenvelope: <e/>\n' } },
    ],
  },
  {
    rule: '[S-doctor.weak-rest-identifier-charset]',
    field: /s\.yml: target\.\w+(?:, target\.\w+)*$/,
    fires: [rest({ GOV: 'G_V' }), rest({ registry: 'r/y' }), rest({ companies: 'äri' }), rest({ GOV: 'G V' })],
    silent: [rest({}), rest({ registry: `"Az09'()+,-.=?"` }), rest({ companies: '""' })],
  },
  {
    rule: '[S-doctor.info-rest-lane-ready]',
    field: 'security_server',
    fires: [rest({})],
    silent: [
      { config: { security_server: server } },
      { dsl: { 'g/s.yml': restFile } },
      rest({ companies: '""' }),
      { ...rest({}), env: { PROXY_KEYSTORE_PASSWORD: '' } },
      { ...rest({}), files: { 'client.p12': 'text' } },
    ],
  },
  {
    rule: '[S-doctor.info-validation-off]',
    field: 'validate_requests',
    fires: [
      { dsl: { 'g/s.yml': soapFile } },
      { config: { validate_requests: 'refuse' }, dsl: { 'g/s.yml': `${soapFile}validate_requests: off\n` } },
      ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => rest({ GET: method })),
      { dsl: { 'g/s.yml': restFile, 'g/t.yml': restFile.replace('method: GET', 'methods: [GET, PATCH]') } },
    ],
    silent: [
      rest({}),
      rest({ GET: 'HEAD' }),
      { config: { validate_requests: 'warn' }, dsl: { 'g/s.yml': soapFile } },
      { dsl: { 'g/s.yml': `${soapFile}validate_requests: refuse\n` } },
      { config: { validate_requests: 'refuse' }, dsl: { 'g/t.yml': restFile.replace('GET', 'POST') } },
    ],
  },
  {
    rule: '[S-doctor.weak-wsdl-skipped]',
    field: /(?:^|\/)a(?:pi)?\.wsdl$/,
    fires: [{ wsdl: [skipped] }, dropped({ 'crm/api.wsdl': 'text' }), dropped({ 'crm/api.wsdl': wsdlOf(['../x']) })],
    silent: [{ wsdl: [{ ...skipped, outcome: 'generated', reason: '' }] }, {}],
  },
  {
    rule: '[S-doctor.weak-wsdl-warning]',
    field: /\/wsdl\/(?:api\.wsdl|crm\/api(?:\.\w+)+)$/,
    fires: [
      dropped({ 'api.wsdl': wsdlOf(['find']) }),
      dropped({ 'crm/api.wsdl': wsdlOf(['find']) }),
      dropped({ 'crm/api.WSDL': wsdlOf(['find']) }),
      dropped({ 'crm/api.wsdl': wsdlOf(['find']), 'crm/api.meta.yaml': 'provder: {member_class: GOV}\n' }),
      dropped({ 'crm/api.wsdl': wsdlOf(['find']), 'crm/api.meta.yml': sidecar }),
      dropped({ 'crm/api.wsdl': wsdlOf(['find']), 'crm/api.meta.yaml': `${sidecar}service_versions: {fnd: v1}\n` }),
      dropped({ 'crm/api.wsdl': wsdlOf([]), 'crm/api.meta.yaml': sidecar }),
      dropped({ 'crm/api.meta.yaml': sidecar }),
    ],
    silent: [
      dropped({ 'crm/api.wsdl': wsdlOf(['find']), 'crm/api.meta.yaml': sidecar }),
      // These have findings of their own.
      dropped({ 'crm/api.wsdl': 'text' }),
      dropped({ 'crm/api.wsdl': wsdlOf(['find']), 'crm/api.meta.yaml': `${sidecar}service_code: other\n` }),
      dropped({ 'crm/api.wsdl': wsdlOf(['find']), 'crm/api.meta.yaml': 'member_code: "1"\n' }),
      { config: { wsdl_watch_dir: '@/wsdl' } },
      {},
    ],
  },
  {
    rule: '[S-doctor.weak-wsdl-service-code]',
    field: 'a.wsdl',
    fires: [{ wsdl: [{ ...skipped, outcome: 'generated', reason: '', mismatch: 'has the service code a and ..' }] }],
    silent: [{ wsdl: [{ ...skipped, outcome: 'generated', reason: '' }, skipped] }, {}],
  },
  {
    rule: '[S-doctor.info-wsdl-generated]',
    field: 'wsdl_watch_dir',
    fires: [{ wsdl: [{ ...skipped, outcome: 'generated', reason: '' }, skipped] }],
    silent: [{ wsdl: [skipped] }, {}],
  },

  { rule: '[S-doctor.weak-probe-impossible]', fires: [{ probe: 'impossible' }], silent: [{}, { probe: asked }] },
  {
    rule: '[S-doctor.fatal-probe-no-connection]',
    field: 'security_server.url',
    fires: [{ probe: { ...asked, connectionProblem: 'refused' } }],
    silent: [{ probe: asked }, { probe: 'impossible' }, {}],
  },
  {
    rule: '[S-doctor.info-probe-connected]',
    field: 'security_server.url',
    fires: [{ probe: asked }],
    silent: [{ probe: { ...asked, connectionProblem: 'refused' } }, { probe: 'impossible' }, {}],
  },
  {
    rule: '[S-doctor.weak-probe-no-clients]',
    field: 'security_server.url',
    fires: [{ probe: { ...asked, clients: [], clientsProblem: 'HTTP 500' } }],
    silent: [{ probe: { ...asked, clients: [] } }, {}],
  },
  {
    rule: '[S-doctor.info-probe-clients]',
    field: 'xroad_instance',
    fires: [{ probe: asked }, { probe: { ...asked, clients: [] } }],
    silent: [{ probe: { ...asked, clients: [], clientsProblem: 'HTTP 500' } }, {}],
  },
  {
    rule: '[S-doctor.fatal-probe-client-unknown]',
    field: 'client_data',
    fires: [
      { probe: asked, config: { client_data: { ...client, subsystem_code: 'demO' } } },
      { probe: asked, config: { xroad_instance: 'EE' } },
      { probe: asked, config: { client_data: { member_class: 'GOV', member_code: '70000000' } } },
    ],
    silent: [
      { probe: asked },
      { probe: { ...asked, clients: [] }, config: { xroad_instance: 'EE' } },
      { probe: { ...asked, connectionProblem: 'refused' }, config: { xroad_instance: 'EE' } },
    ],
  },
  {
    rule: '[S-doctor.weak-probe-provider-silent]',
    field: 'EE/GOV/1/s (rest)',
    fires: [{ probe: { ...asked, silentProviders: [{ provider: 'EE/GOV/1/s (rest)', problem: 'HTTP 500' }] } }],
    silent: [{ probe: asked }, {}],
  },
  {
    rule: '[S-doctor.weak-probe-provider-unknown]',
    field: 'a/b',
    fires: [verdict('not allowed', { lacking: 'provider' })],
    silent: [verdict('allowed'), verdict('not allowed'), verdict('not allowed', { lacking: 'version' }), {}],
  },
  {
    rule: '[S-doctor.weak-probe-version-unknown]',
    field: 'g/s.yml',
    fires: [verdict('not allowed', { lacking: 'version' })],
    silent: [verdict('unknown'), verdict('not allowed'), verdict('not allowed', { lacking: 'provider' }), {}],
  },
  {
    rule: '[S-doctor.weak-probe-not-allowed]',
    field: 'g/s.yml',
    fires: [verdict('not allowed')],
    silent: [verdict('allowed'), verdict('unknown'), verdict('not allowed', { lacking: 'version' }), {}],
  },
  {
    rule: '[S-doctor.info-probe-unknown]',
    field: 'g/s.yml',
    fires: [verdict('unknown')],
    silent: [verdict('allowed'), verdict('not allowed'), {}],
  },
  {
    rule: '[S-doctor.info-probe-allowed]',
    field: 'g/s.yml',
    fires: [verdict('allowed')],
    silent: [verdict('unknown'), verdict('not allowed'), {}],
  },
]

const codeOf = (rule: string): string => /\[S-doctor\.([\w-]+)[ \]]/.exec(rule)?.[1] ?? ''

test('every code has its case, and stands in the table of checks once [D6.1]', () => {
  const codes = checks.map(({ code }) => code)
  deepStrictEqual(codes.toSorted(), cases.map(({ rule }) => codeOf(rule)).toSorted())
  strictEqual(new Set(codes).size, codes.length)
})

test('an unknown provider or client is told with its file, and the one of the list that is nearly it [G9]', () => {
  const lacking = { lacking: 'provider', provider: 'ee-test/GOV/7000000/demo', path: '/g/s', file: 'g/s.yml' } as const
  const said = (situation: Situation, code: string): string | undefined =>
    examine(situation).find((finding) => finding.code === code)?.headline
  const provider = 'weak-probe-provider-unknown'
  strictEqual(
    said(verdict('not allowed', lacking), provider),
    'A provider is not registered: ee-test/GOV/7000000/demo, which /g/s would call (g/s.yml); did you mean ee-test/GOV/70000000/demo?',
  )
  const other = { ...lacking, provider: 'ee-test/GOV/80000009/crm' }
  match(String(said(verdict('not allowed', other), provider)), /would call \(g\/s\.yml\)$/)
  const unknown = 'fatal-probe-client-unknown'
  const config = { xroad_instance: 'EE' }
  match(String(said({ probe: asked, config }, unknown)), /: EE\/GOV\/70000000\/demo; did you mean ee-test\/GOV/)
  const misspelt = { client_data: { ...client, subsystem_code: 'demoo' } }
  match(String(said({ probe: asked, config: misspelt }, unknown)), /demoo; did you mean ee-test\/GOV\/\d+\/demo\?$/)
})

test('a code begins with its severity, and every row says all that there is to say', () => {
  for (const { code, severity, headline, rationale, recovery } of checks) {
    match(code, new RegExp(`^${severity.toLowerCase()}-[a-z][\\w-]+$`))
    ok(headline.length > 8 && rationale.length > 10, code)
    ok(recovery !== '' || severity === 'INFO', code)
  }
})

for (const { rule, field, fires, silent } of cases) {
  const code = codeOf(rule)
  describe(rule, () => {
    for (const [index, situation] of fires.entries()) {
      test(`fires ${index + 1}`, () => {
        const all = examine(situation)
        const found = all.filter((finding) => finding.code === code)
        strictEqual(found.length > 0, true, JSON.stringify(codesOf(all)))
        for (const finding of found) checkShape(finding, field)
      })
    }
    for (const [index, situation] of silent.entries()) {
      test(`is silent ${index + 1}`, () => {
        deepStrictEqual(
          examine(situation).filter((finding) => finding.code === code),
          [],
        )
      })
    }
  })
}

function checkShape(finding: Finding, field: string | RegExp | undefined): void {
  for (const text of Object.values(finding)) ok(!text.includes(password))
  ok(!finding.headline.includes('%'), finding.headline)
  if (typeof field === 'string') strictEqual(finding.field, field)
  else if (field !== undefined) match(finding.field, field)
}

test('the sound situation draws no complaint [D6.1]', () => {
  deepStrictEqual(
    codesOf(examine({ ...rest({}), files: {} })).filter((code) => !code.startsWith('info-')),
    [],
  )
})

test('a wrong field does not hide what is wrong with its neighbours [D6.1]', () => {
  const config = {
    port: 'x',
    xroad_protocol_version: '3.1',
    client_data: { member_class: ['no'], member_code: '<c>', subsystem_code: '<s>' },
    security_server: { url: 'http://x', keystore_path: '@/nowhere.p12', keystore_password_env: 'NOT_THERE' },
    limits: { max_request_bytes: 20_000_000, request_timeout_secs: 'long' },
    expose_soap_fault_detail: true,
  }
  const codes = codesOf(examine({ config, dsl: { 'a/b.yml': 'x: [', 'g/s.yml': restFile.replace('companies', '""') } }))
  deepStrictEqual(
    codes.filter((code) => !code.startsWith('info-')),
    [
      'fatal-config-load',
      'fatal-config-load',
      'fatal-config-load',
      'fatal-config-xroad-protocol-invalid',
      'fatal-client-data-placeholder-member_code',
      'fatal-client-data-placeholder-subsystem_code',
      'fatal-rest-ss-not-https',
      'fatal-keystore-env-missing',
      'fatal-keystore-file-missing',
      'fatal-dsl-load',
      'fatal-rest-target-fields-missing',
      'weak-error-expose-soap-fault-detail',
      'weak-limits-request-too-generous',
    ],
  )
})

test('a client that only operations of a description call as is needed [P3.3 P5.3 P7]', () => {
  const { keystores } = gather({
    config: { security_server: server, clients: { tax, other: tax } },
    dsl: { 'g/s.yml': `client: tax\n${describedFile}`, 'g/s.openapi.yaml': description },
  })
  deepStrictEqual(
    keystores.map(({ section, isNeeded }) => [section, isNeeded]),
    [
      ['security_server', false],
      ['clients.tax', true],
      ['clients.other', false],
    ],
  )
})

test('a password in the place of its variable is not shown', () => {
  const keystore = { ...server, keystore_password_env: 'hunter2' }
  const findings = examine({ config: { security_server: keystore } })
  const finding = findings.find(({ code }) => code.endsWith('env-missing'))
  match(finding?.headline ?? '', /^The environment variable … with the password/)
})

test('a configuration that nobody can read is one finding [D6.1]', () => {
  deepStrictEqual(codesOf(examine({ config: 'a: "' })), ['fatal-config-load'])
  const [finding] = examine({ config: 'a: b\na: c\n' })
  match(finding?.headline ?? '', /proxy\.yaml:2:\d+: "a" occurs twice/)
})

test('every broken file of the tree is a finding of its own, with its line [D6.1]', () => {
  const broken = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`g/s${index}.yml`, 'method: NOPE\n']))
  const found = examine({ dsl: { ...broken, 'g/good.yml': soapFile } }).filter(({ code }) => code === 'fatal-dsl-load')
  strictEqual(found.length, 25)
  for (const { field, headline } of found) match(headline, new RegExp(`${field.slice(-8)}:1: `))
})

describe('a section that lacks what it needs leaves the others as they are given [D6.1]', () => {
  interface Section {
    readonly required?: readonly string[]
  }
  const { properties } = configSchema() as { readonly properties: Readonly<Record<string, Section>> }
  const sections = Object.entries(properties)
  const demanding = sections.filter(([, { required = [] }]) => required.length > 0).map(([name]) => name)
  ok(demanding.includes('admin') && demanding.includes('security_server'), 'sections with required fields')
  for (const name of demanding) {
    for (const given of [{}, { bind: '?', file: '', url: 'x', keystore_path: '' }]) {
      test(`${name}: ${JSON.stringify(given)}`, () => {
        const { settings, problems } = gather({ config: { port: 1234, [name]: given } }).config
        strictEqual(settings.port, 1234)
        ok(problems.some(({ field }) => field.startsWith(`${name}.`)))
      })
    }
  }
})

const finding = (severity: Severity): Finding => ({
  severity,
  code: 'c',
  field: '',
  headline: '',
  rationale: '',
  recovery: '',
})

const exits: readonly [Severity[], 0 | 1, 0 | 1][] = [
  [[], 0, 0],
  [['INFO'], 0, 0],
  [['WEAK', 'INFO'], 0, 1],
  [['BREAK'], 1, 1],
  [['FATAL'], 1, 1],
  [['INFO', 'WEAK', 'FATAL'], 1, 1],
]
for (const [given, plain, strict] of exits) {
  test(`${given.join(', ') || 'nothing'} [S-doctor.exit D6.1]`, () => {
    strictEqual(exitCodeOf(given.map(finding), { strict: false }), plain)
    strictEqual(exitCodeOf(given.map(finding), { strict: true }), strict)
  })
}

test('a watch over certificates fails with every check of their days, and of files that hide them [P7]', () => {
  const files = new Set(['security_server.keystore_path', 'security_server.trust_ca_path'])
  // Any run fails with the others, or they say nothing of days.
  const others = ['fatal-keystore-file-missing', 'fatal-keystore-unreadable', 'fatal-trust-ca-unreadable']
  const dayless = ['weak-keystore-open-to-others', 'info-keystore-identity', 'info-rest-trust-ca-system']
  const ofFiles = checks.filter(({ field }) => files.has(field)).map(({ code }) => code)
  deepStrictEqual(ofFiles.toSorted(), [...certificateCodes, ...others, ...dayless].toSorted())
  for (const { code, severity } of checks) {
    const exit = exitCodeOf([{ ...finding(severity), code }], { strict: false, watched: true })
    strictEqual(exit, certificateCodes.has(code) || severity === 'FATAL' || severity === 'BREAK' ? 1 : 0, code)
  }
})

const names = ['severity', 'code', 'field', 'headline', 'rationale', 'recovery']

test('an array of objects of six texts [S-doctor.json D6.1]', () => {
  const findings = examine({
    config: { security_server: server, xroad_protocol_version: 'x' },
    dsl: { 'g/s.yml': 'x' },
  })
  const read = JSON.parse(toJson(findings)) as Record<string, unknown>[]
  strictEqual(read.length, findings.length)
  for (const each of read) {
    deepStrictEqual(Object.keys(each), names)
    for (const name of names) strictEqual(typeof each[name], 'string')
  }
  deepStrictEqual(JSON.parse(toJson([])), [])
})

test('what is in the files cannot speak to a terminal', () => {
  const evil = '\u001B[2J\u202Eevil\r\n'
  const probe = { ...asked, silentProviders: [{ provider: evil, problem: evil }] }
  const findings = runChecks(gather({ probe, wsdl: [{ ...skipped, file: evil, operation: evil }] }))
  for (const report of [toJson(findings), toText(findings)]) {
    ok(report.includes('evil'))
    // oxlint-disable-next-line no-control-regex -- what is looked for
    ok(!/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]|\\u001b|\\r/.test(report))
  }
})

test('the text report counts, and the certificate stands in it as it is to be saved [S-doctor.text]', () => {
  const findings = examine({ config: { security_server: server } })
  const text = toText(findings)
  match(text, /\n0 FATAL, 0 BREAK, 0 WEAK, \d+ INFO\n$/)
  match(text, /^-----BEGIN CERTIFICATE-----$/m)
  match(text, /^-----END CERTIFICATE-----$/m)
  strictEqual(toText([]), '\n0 FATAL, 0 BREAK, 0 WEAK, 0 INFO\n')
})

test('the order is that of severity', () => {
  const severities = examine({ config: { port: 'x', expose_soap_fault_detail: true } }).map(({ severity }) => severity)
  deepStrictEqual(
    severities,
    severities.toSorted((a, b) => 'FBWI'.indexOf(a[0] ?? '') - 'FBWI'.indexOf(b[0] ?? '')),
  )
})
