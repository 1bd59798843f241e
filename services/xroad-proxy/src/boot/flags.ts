/**
 * The command line as a table: command line -> what the process is to do. How it is read is the package command-line.
 */
import { type CommandOf, type Program, readCommandLine, type Told } from '@services/command-line'
import { nearest } from '@services/config-file'
import { version } from '../version.ts'

const formats = ['text', 'json'] as const
/** Those of the doctor. */
const reportFormats = ['text', 'json', 'github'] as const

const pathOfWsdls = { value: 'PATH', is: 'the path of a WSDL file or of a folder' } as const

/** Commands of other programs -> ours. */
const usual: ReadonlyMap<string, string> = new Map([
  ['validate', 'doctor'],
  ['check', 'doctor'],
  ['lint', 'doctor'],
  ['start', 'serve'],
  ['run', 'serve'],
])

const program = {
  name: 'xroad-proxy',
  version,
  about: 'Publishes a directory of DSL files as HTTP endpoints in front of X-Road.',
  flags: {
    config: { kind: 'text', short: 'c', value: 'FILE' },
    format: { kind: 'choice', value: 'FORMAT', choices: reportFormats },
    tableFormat: { kind: 'choice', name: 'format', value: 'FORMAT', choices: formats },
    /** How many days before their end certificates are reported, and count as a failure. */
    watchedDays: { kind: 'whole', name: 'watch-certificates', value: 'DAYS', from: 0, to: 36_500 },
    /** Whether what could be stronger counts as a failure. */
    strict: { kind: 'switch' },
    /** Whether to ask the Security Server. */
    probe: { kind: 'switch' },
    allowHosts: { kind: 'hosts', name: 'allow-host', value: 'HOST' },
    maxBytes: { kind: 'whole', name: 'max-bytes', value: 'N', from: 1, to: 999_999_999, default: 4_194_304 },
    allowHttp: { kind: 'switch', name: 'allow-http' },
    privateHosts: { kind: 'hosts', name: 'allow-private-address', value: 'HOST' },
    /** Whose service a WSDL is. */
    provider: { kind: 'text', value: 'PROVIDER' },
    owner: { kind: 'text', value: 'NAME' },
    /** Who calls, by a name of `clients`. */
    client: { kind: 'text', value: 'NAME' },
    serviceVersion: {
      kind: 'text',
      name: 'service-version',
      value: 'VERSION',
      instead: 'for calls without a version write service_version: "" into the sidecar',
    },
    fromSecurityServer: { kind: 'text', name: 'from-security-server', value: 'ADDRESS' },
    /** Whether what is there may be replaced. */
    force: { kind: 'switch' },
    host: { kind: 'text', value: 'HOST', default: '127.0.0.1' },
    port: { kind: 'whole', value: 'PORT', from: 0, to: 65_535, default: 5500 },
    /** Of a SOAP service beside the mock, for direct calls. */
    servicePort: { kind: 'whole', name: 'service-port', value: 'PORT', from: 0, to: 65_535 },
    /** Where the mock keeps its certificates. */
    folder: { kind: 'text', value: 'DIR', default: './mock-security-server' },
    /** Directory of prepared answers. */
    answers: { kind: 'text', value: 'DIR' },
  },
  commands: {
    serve: { flags: { config: 'read this configuration file instead of looking for one' } },
    health: { flags: { config: '' } },
    doctor: {
      flags: {
        config: '',
        format: 'text, json or github (text)',
        strict: 'exit with 1 also for findings of severity WEAK',
        probe: 'ask the Security Server which endpoints may be called',
        watchedDays: 'exit with 1 for certificates that end in so many days',
      },
    },
    'wsdl explain': {
      operand: pathOfWsdls,
      summary: 'show which operations get an endpoint, or why not',
      flags: { config: '', tableFormat: 'text or json (text)' },
    },
    'wsdl vendor': {
      operand: pathOfWsdls,
      summary: 'fetch the schemas that are named by address, beside them',
      flags: {
        allowHosts: 'fetch from this host only; may be repeated',
        maxBytes: 'largest schema file to fetch (4194304)',
        allowHttp: 'fetch by plain http too',
        privateHosts: 'also fetch from this host of your own network; repeatable',
      },
    },
    'wsdl add': {
      operand: { value: 'FILE_OR_URL', is: 'a WSDL file or its address', isOptional: true },
      summary: "add another member's WSDL, with all that it includes",
      flags: {
        provider: 'whose it is: [INSTANCE/]CLASS/CODE/SUBSYSTEM',
        fromSecurityServer: 'ask there: CLASS/CODE/SUBSYSTEM[/SERVICE[/VERSION]]',
        owner: 'its folder (the subsystem in lower case)',
        serviceVersion: 'call this version of all operations',
        client: 'who calls, by a name of clients (client_data)',
        force: 'replace files that are there',
        config: '',
        allowHosts: '',
        maxBytes: '',
        allowHttp: '',
        privateHosts: '',
      },
    },
    mock: {
      flags: {
        host: 'address to listen on (127.0.0.1)',
        port: 'port to listen on, 0 for any free one (5500)',
        servicePort: 'also be a SOAP service for direct calls, by plain http',
        folder: 'where its certificates are kept (./mock-security-server)',
        answers: 'prepared answers',
      },
    },
  },
  implied: 'serve',
  sections: [
    { heading: 'serve (also without a command):', commands: ['serve'] },
    { heading: 'doctor, a check of the configuration, the DSL files and the keystore:', commands: ['doctor'] },
    { heading: 'health, which asks a running service on this host, for health checks.', commands: ['health'] },
    { heading: 'wsdl, for a WSDL file or a folder of them:', commands: ['wsdl explain', 'wsdl vendor', 'wsdl add'] },
    { heading: 'mock, a stand-in for a Security Server to try the service with:', commands: ['mock'] },
  ],
  environment: `Environment: PROXY_CONFIG names the configuration file if --config does not,
PROXY_KEYSTORE_PASSWORD holds the password of the keystore, RUST_LOG filters the
log, PROXY_LOG_FORMAT=json writes it as JSON.`,
  nearest: (name: string, known: readonly string[]) => usual.get(name) ?? nearest(name, known),
} as const satisfies Program

export type Action = CommandOf<typeof program> | Told
export type DoctorAction = Extract<Action, { action: 'doctor' }>
export type ExplainAction = Extract<Action, { action: 'wsdl explain' }>
export type VendorAction = Extract<Action, { action: 'wsdl vendor' }>
export type AddAction = Extract<Action, { action: 'wsdl add' }>

/** `argv` without the runtime and the script. */
export function readFlags(argv: readonly string[]): Action {
  return readCommandLine(program, argv)
}
