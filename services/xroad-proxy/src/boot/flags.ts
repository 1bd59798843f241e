/**
 * Command line -> what the process is to do. Nothing is printed and nothing is read here: main writes `text` to stdout
 * (help, version; exit 0) or to stderr (refuse; exit 2).
 */
import { parseArgs } from 'node:util'
import { nearest } from '@services/config-file'
import { version } from '../version.ts'

export interface MockAction {
  readonly action: 'mock'
  readonly host: string
  readonly port: number
  /** Where its certificates are kept. */
  readonly folder: string
  /** Directory of prepared answers. */
  readonly answers?: string
}

export const formats = ['text', 'json'] as const

export interface DoctorAction {
  readonly action: 'doctor'
  readonly config?: string
  readonly format: (typeof formats)[number]
  /** Whether what could be stronger counts as a failure. */
  readonly strict: boolean
  /** Whether to ask the Security Server. */
  readonly probe: boolean
}

export interface ExplainAction {
  readonly action: 'wsdl explain'
  /** A WSDL file or a folder of such. */
  readonly path: string
  readonly config?: string
  readonly format: (typeof formats)[number]
}

export interface VendorAction {
  readonly action: 'wsdl vendor'
  readonly path: string
  readonly allowHosts: readonly string[]
  readonly privateHosts: readonly string[]
  readonly allowHttp: boolean
  readonly maxBytes: number
}

export type Action =
  | { readonly action: 'serve'; readonly config?: string }
  | DoctorAction
  | MockAction
  | ExplainAction
  | VendorAction
  | { readonly action: 'help' | 'version' | 'refuse'; readonly text: string }

const usage = `Usage: xroad-proxy [serve] [--config FILE]
       xroad-proxy doctor [--config FILE] [--format text|json] [--strict]
                          [--probe]
       xroad-proxy wsdl explain PATH [--config FILE] [--format text|json]
       xroad-proxy wsdl vendor PATH [--allow-host HOST]... [--max-bytes N]
                          [--allow-http] [--allow-private-address HOST]...
       xroad-proxy mock [--host HOST] [--port PORT] [--folder DIR]
                        [--answers DIR]

Publishes a directory of DSL files as HTTP endpoints in front of X-Road.

serve (also without a command):
  -c, --config FILE   read this configuration file instead of looking for one

doctor, a check of the configuration, the DSL files and the keystore:
  -c, --config FILE   as above
      --format FORMAT text or json (text)
      --strict        exit with 1 also for findings of severity WEAK
      --probe         ask the Security Server which endpoints may be called

wsdl, for a WSDL file or a folder of such:
  explain             show which operations get an endpoint, and why others not
  vendor              fetch the schemas that are named by address, beside them
      --allow-host HOST  fetch from this host only; may be repeated
      --max-bytes N   largest schema file to fetch (4194304)
      --allow-http    fetch by plain http too
      --allow-private-address HOST
                      fetch from this host of the own network; may be repeated

mock, a stand-in for a Security Server to try the service with:
      --host HOST     address to listen on (127.0.0.1)
      --port PORT     port to listen on, 0 for any free one (5500)
      --folder DIR    where its certificates are kept (./mock-security-server)
      --answers DIR   prepared answers

  -h, --help          show this text and exit
  -V, --version       show the version and exit

Environment: PROXY_CONFIG names the configuration file where --config does not,
PROXY_KEYSTORE_PASSWORD holds the password of the keystore, RUST_LOG filters the
log, PROXY_LOG_FORMAT=json writes it as JSON.
`

const commands = {
  serve: ['config'],
  doctor: ['config', 'format', 'strict', 'probe'],
  'wsdl explain': ['config', 'format'],
  'wsdl vendor': ['allow-host', 'max-bytes', 'allow-http', 'allow-private-address'],
  mock: ['host', 'port', 'folder', 'answers'],
} as const

type Command = keyof typeof commands

const options = {
  config: { type: 'string', short: 'c' },
  format: { type: 'string' },
  strict: { type: 'boolean' },
  probe: { type: 'boolean' },
  'allow-host': { type: 'string', multiple: true },
  'max-bytes': { type: 'string' },
  'allow-http': { type: 'boolean' },
  'allow-private-address': { type: 'string', multiple: true },
  host: { type: 'string' },
  port: { type: 'string' },
  folder: { type: 'string' },
  answers: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

type Option = keyof typeof options
type Value = string | boolean
type Values = { readonly [Name in Option]?: Value | Value[] | undefined }

/** Commands of two words and a path. */
const families: ReadonlySet<string> = new Set(['wsdl'])

/** `argv` without the runtime and the script. */
export function readFlags(argv: readonly string[]): Action {
  // Not strict: the parser's own words suggest quoting where a flag is misspelled.
  const { values, positionals, tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const flags = tokens.filter((token) => token.kind === 'option')
  const unknown = flags.find(({ name }) => !isOption(name))
  if (unknown !== undefined) {
    return refuse(`unknown flag ${shown(unknown.rawName)}${meant(unknown.name, Object.keys(options), '--')}`)
  }
  const isFamily = families.has(positionals[0] ?? '')
  const given = isFamily ? positionals.slice(0, 2).join(' ') : (positionals[0] ?? 'serve')
  const [path, extra] = isFamily ? positionals.slice(2) : [undefined, positionals[1]]
  const command = isCommand(given) ? given : undefined
  if (command === undefined) return refuse(`unknown command ${shown(given)}${meant(given, Object.keys(commands), '')}`)
  if (extra !== undefined) return refuse(`${shown(extra)} is too much: one ${isFamily ? 'path' : 'command'} at most`)
  const problem = flags.map((flag) => flagProblem(flag, command)).find((each) => each !== undefined)
  if (problem !== undefined) return refuse(problem)
  if (values.help) return { action: 'help', text: usage }
  if (values.version) return { action: 'version', text: `xroad-proxy ${version}\n` }
  switch (command) {
    case 'serve':
      return { action: 'serve', ...configOf(values) }
    case 'doctor':
      return readDoctor(values)
    case 'wsdl explain':
      return readExplain(values, path)
    case 'wsdl vendor':
      return readVendor(values, path)
    case 'mock':
      return readMock(values)
  }
}

function isCommand(name: string): name is Command {
  return Object.hasOwn(commands, name)
}

interface Flag {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function flagProblem({ name, rawName, value, inlineValue }: Flag, command: Command): string | undefined {
  const isBoolean = isOption(name) && options[name].type === 'boolean'
  if (isBoolean && value !== undefined) return `${rawName} takes no value`
  const owners = Object.keys(commands).filter((each) => isCommand(each) && commands[each].some((one) => one === name))
  const isOfAny = owners.length === 0
  if (!isOfAny && !owners.includes(command)) return `${rawName} belongs to the command ${owners.join(', ')}`
  if (isBoolean) return undefined
  // A flag in the place of a value is a forgotten value.
  const isMissing = !value || (value.startsWith('-') && inlineValue === false)
  return isMissing ? `${rawName} needs a value` : undefined
}

function isOption(name: string): name is Option {
  return Object.hasOwn(options, name)
}

function configOf({ config }: Values): { readonly config?: string } {
  return typeof config === 'string' ? { config } : {}
}

function readDoctor(values: Values): Action {
  const { format: given = 'text', strict = false, probe = false } = values
  const format = formats.find((each) => each === given)
  if (format === undefined) return refuse(`--format: found ${shown(String(given))}, expected ${formats.join(' or ')}`)
  return { action: 'doctor', ...configOf(values), format, strict: strict === true, probe: probe === true }
}

function readExplain(values: Values, path: string | undefined): Action {
  const read = readDoctor(values)
  if (read.action !== 'doctor') return read
  if (!path) return refuse('wsdl explain needs the path of a WSDL file or of a folder')
  return { action: 'wsdl explain', path, ...configOf(values), format: read.format }
}

const defaultMaxBytes = 4_194_304

function readVendor(values: Values, path: string | undefined): Action {
  const { 'max-bytes': given = String(defaultMaxBytes) } = values
  if (!/^[1-9]\d{0,8}$/.test(String(given))) {
    return refuse(`--max-bytes: found ${shown(String(given))}, expected a whole number from 1 to 999999999`)
  }
  if (!path) return refuse('wsdl vendor needs the path of a WSDL file or of a folder')
  return {
    action: 'wsdl vendor',
    path,
    allowHosts: listOf(values['allow-host']),
    privateHosts: listOf(values['allow-private-address']),
    allowHttp: values['allow-http'] === true,
    maxBytes: Number(given),
  }
}

function listOf(value: Values[Option]): readonly string[] {
  return Array.isArray(value) ? value.map((each) => String(each).toLowerCase()) : []
}

function readMock({ host, port = '5500', folder, answers }: Values): Action {
  if (!/^\d{1,5}$/.test(String(port)) || Number(port) > 65_535) {
    return refuse(`--port: found ${shown(String(port))}, expected a whole number from 0 to 65535`)
  }
  return {
    action: 'mock',
    host: String(host ?? '127.0.0.1'),
    port: Number(port),
    folder: String(folder ?? './mock-security-server'),
    ...(answers === undefined ? {} : { answers: String(answers) }),
  }
}

function meant(name: string, known: readonly string[], prefix: string): string {
  const found = nearest(name, known)
  return found === undefined ? '' : `; did you mean ${prefix}${found}?`
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 64))
}

function refuse(problem: string): Action {
  return { action: 'refuse', text: `xroad-proxy: ${problem}\nTry: xroad-proxy --help\n` }
}
