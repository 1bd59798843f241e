/**
 * The fields of proxy.yaml, each declared once: name, type, default, what it means, what would be right. YAML data
 * comes in; a frozen `Config` or the list of problems goes out, with the unknown keys. Rules across fields are
 * config.ts.
 */
import {
  adminSection,
  checked,
  expected,
  type FileKind,
  flag,
  found,
  list,
  type Mapping,
  oneOf,
  type Parsed,
  parse,
  reloadField,
  requestLogFields,
  section,
  shutdownSection,
  sections,
  text,
  toJsonSchema,
  traceEnabled,
  type ValueOf,
  wholeNumber,
} from '@services/config-file'
import {
  type ClientFields,
  clientFields,
  clientNameProblem,
  type Codes,
  keystoreFields,
  toClients,
  variableOf,
} from './client-fields.ts'

const urlMeaning = 'the https:// address of the Security Server, such as https://security-server.example.org:5500'

const identity = section({
  member_class: text('a member class').default('').describe('Your member class, such as GOV, COM, NGO or NEE.'),
  member_code: text('a registry code').default('').describe('Your registry code.'),
  subsystem_code: text('a subsystem code').default('').describe('Your subsystem; without it the member itself calls.'),
})

const wsdl = section({
  allow_http_upstream: flag().default(false).describe('Whether addresses in WSDL files may be plain http.'),
  upstream_host_allowlist: list(text('a host name', { filled: true }), 'a list of host names')
    .prefault([])
    .describe('When not empty, the only hosts that WSDL files may lead to.'),
})

const callerHeaderMeaning = 'the name of a request header such as X-Client-Name'

const securityServer = section({
  url: checked(text(urlMeaning), serverUrlProblem, urlMeaning)
    .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]://' })
    .transform(withoutLastSlash)
    .describe('Address of your Security Server, https only.'),
  ...keystoreFields,
  trust_ca_path: text('the path of a PEM file', { filled: true })
    .exactOptional()
    .describe('PEM file with the certificates that verify the Security Server, instead of those of the system.'),
  optional: flag().default(false).describe('Whether the service is ready while the Security Server is down.'),
})

const docs = section({
  show_upstream: flag().default(false).describe('Whether the page at /docs names the host of the Security Server.'),
})

const trace = section({ enabled: traceEnabled })

const limits = section({
  max_request_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(1_048_576)
    .describe('Largest request body in bytes; a larger one is answered with 413.'),
  max_response_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(16_777_216)
    .describe('Largest upstream response in bytes; a larger one is answered with 502.'),
  max_inflight_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .default(268_435_456)
    .describe(
      'Bytes that all calls together may hold; a call that would exceed it waits, and is answered with 504 if its time runs out.',
    ),
  max_connections: wholeNumber(1, 1_000_000)
    .default(10_000)
    .describe('Connections of callers that may be open at once; further ones are closed without an answer.'),
  request_timeout_secs: wholeNumber(1, 86_400)
    .default(30)
    .describe('Seconds for one outbound request, connection and body included; beyond it the answer is 504.'),
})

const audit = section({
  file: text('the path of the audit file', { filled: true }).describe(
    'File that gets a line of JSON for each exchange with X-Road or a direct service.',
  ),
  required: flag()
    .default(false)
    .describe('Whether calls are refused with 503 as long as the audit file cannot be written.'),
  hash_key_env: variableOf()
    .exactOptional()
    .describe('Environment variable with a key: the file gets a keyed hash of each user instead of the user.'),
  caller_header: text(callerHeaderMeaning, { filled: true, shown: true })
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, expected(callerHeaderMeaning, { shown: true }))
    .exactOptional()
    .describe('Request header that names the caller; left out, or without that header, it is the address.'),
})

const server = section({
  fast_reader: flag()
    .default(true)
    .describe(
      'Whether plain requests are read by the proxy itself; false leaves all of them to the HTTP parser of Node.js.',
    ),
})

/** In the configuration, in DSL files and in sidecars. */
export const validation = oneOf(['off', 'warn', 'refuse'])

const fields = section({
  dsl_path: text('the directory that holds the DSL files', { filled: true })
    .default('./DSL')
    .describe('Directory of the DSL files.'),
  host: checked(text('an address to listen on', { filled: true, shown: true }), hostProblem)
    .meta({ pattern: '^[\\w.:%-]+$' })
    .default('0.0.0.0')
    .describe('Address to listen on; 0.0.0.0 for all of IPv4, :: for all.'),
  port: wholeNumber(0, 65_535).default(8080).describe('Port to listen on. 0 takes any free port.'),
  server: server.prefault({}).describe('How requests are read.'),
  admin: adminSection
    .exactOptional()
    .describe('A second listener, for operators: /health, /ready, /metrics, /version.'),
  shutdown: shutdownSection.prefault({}).describe('The orderly end.'),
  reload: reloadField,
  xroad_instance: text('an X-Road instance such as EE or ee-test', { filled: true })
    .refine(isNoDots, expected('an X-Road instance such as EE or ee-test', { shown: true }))
    .default('ee-test')
    .describe('X-Road instance: in templates, in REST addresses and in X-Road-Client.'),
  xroad_protocol_version: oneOf(['4.0', '4.1'])
    .default('4.0')
    .describe('Version of the X-Road SOAP protocol that templates write.'),
  client_data: identity.prefault({}).describe('Who the service is in X-Road.'),
  clients: sections(clientFields, clientNameProblem, 'clients with a name each')
    .prefault({})
    .describe('Further clients of the Security Server, under the names that client in DSL files and sidecars uses.'),
  wsdl_watch_dir: text('the directory that holds the WSDL files', { filled: true })
    .exactOptional()
    .describe('Directory of the WSDL files to generate DSL files from.'),
  wsdl: wsdl.prefault({}).describe('Where WSDL files may lead.'),
  soap_response: oneOf(['plain', 'schema'])
    .default('plain')
    .describe('Shape of SOAP answers: schema gives those of generated files the types of their WSDL.'),
  validate_requests: validation
    .default('off')
    .describe(
      'What happens to SOAP requests that do not fit: off, warn (a line in the log) or refuse (400, nothing is sent).',
    ),
  error_message_id: flag()
    .default(false)
    .describe('Whether the body of an error has the id of its message, message_id.'),
  expose_soap_fault_detail: flag().default(false).describe('Whether callers see SOAP faults in full.'),
  docs: docs.prefault({}).describe('What the page at /docs shows.'),
  security_server: securityServer
    .exactOptional()
    .describe('Your Security Server. REST files and SOAP files without service need it.'),
  limits: limits.prefault({}).describe('Sizes and times.'),
  trace: trace.prefault({}).describe('The place of requests in the traces of their callers.'),
  logging: section(requestLogFields.all).prefault({}).describe('Log lines on stdout.'),
  audit: audit.exactOptional().describe('Who asked what: a line for each exchange, in a file.'),
}).transform(toConfig)

/** Where a password leads to. */
export const passwordField = {
  name: 'keystore_password_env',
  of: 'security_server',
  example: 'PROXY_KEYSTORE_PASSWORD',
}

const listening = 'the address to listen on is host and its port is port, both at the top of the file'

export const proxyFile = {
  title: 'proxy.yaml',
  fields,
  unknownFields: 'ignored',
  emptyFields: 'left out',
  bareTexts: 'taken',
  password: passwordField,
  usual: {
    bind: listening,
    listen: listening,
    address: listening,
    level: 'the level of the log is that of the environment variable RUST_LOG, such as debug',
    format: 'log lines are JSON with the environment variable PROXY_LOG_FORMAT=json',
  },
} as const satisfies FileKind

export type Config = ValueOf<typeof fields>

/** Checks every field. */
export function parseConfig(data: Mapping): Parsed<Config> {
  return parse(proxyFile, data)
}

/** The same declaration as JSON Schema, for editors. */
export function configSchema(): object {
  return toJsonSchema(proxyFile)
}

interface Fields {
  readonly xroadInstance: string
  readonly xroadProtocolVersion: '4.0' | '4.1'
  readonly clientData: Codes
  readonly clients: Readonly<Record<string, ClientFields>>
  readonly limits: {
    readonly maxRequestBytes: number
    readonly maxResponseBytes: number
    readonly maxInflightBytes: number
    readonly maxConnections: number
    readonly requestTimeoutSecs: number
  }
}

/** The words of the service for what the file calls otherwise. */
function toConfig<Given extends Fields>(fields: Given) {
  const {
    xroadInstance: instance,
    xroadProtocolVersion: protocolVersion,
    clientData,
    clients,
    limits,
    ...rest
  } = fields
  const { requestTimeoutSecs: requestTimeoutSeconds, ...bytes } = limits
  return Object.freeze({
    ...rest,
    instance,
    protocolVersion,
    client: Object.freeze({ instance, ...clientData }),
    clients: toClients(instance, clients),
    limits: Object.freeze({ ...bytes, requestTimeoutSeconds }),
  })
}

/** What is appended to it begins with a slash. */
function withoutLastSlash(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}

/** One colon is that of a port; an address of IPv6 has more, or brackets where it has a port. */
function hostProblem(given: string): string | undefined {
  const shown = found(given, { shown: true })
  if (/^(?:[^:]+|\[.*\]):\d*$/.test(given)) return `${shown}, expected an address without a port; its field is port`
  return /^[\w.:%-]+$/.test(given)
    ? undefined
    : `${shown}, expected an address to listen on, such as 0.0.0.0, :: or 127.0.0.1`
}

/** Without the text itself: a password may be in it. */
function serverUrlProblem(given: string): string | undefined {
  if (given !== '' && !/^https:/i.test(given)) return 'found an address that does not start with https://'
  return urlProblem(given) ?? (/[?#]/.test(given) ? 'found an address with a query string or a fragment' : undefined)
}

/** Why a URL of http or https is refused. The parser of URLs itself lets pass much that nobody means. */
export function urlProblem(given: string): string | undefined {
  if (given.trim() === '') return found(given)
  if (!/^https?:\/\/[^/]/i.test(given)) return 'found an address that does not start with https://'
  if (/[\s\\]/.test(given) || !URL.canParse(given)) return 'found an address that is not a URL'
  const { username, password } = new URL(given)
  return username === '' && password === '' ? undefined : 'found an address with a user name or password'
}

/** A path segment of these would lead elsewhere. */
export function isNoDots(given: string): boolean {
  return given !== '.' && given !== '..'
}
