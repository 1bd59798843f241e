/**
 * The checks of the configuration itself: fields, paths, where WSDL files may lead. Its limits are in limit-checks.ts.
 */
import { endpointsWithoutClient, tellWithoutClient } from '../boot/config/client-identity.ts'
import type { Identity } from '../model.ts'
import type { ConfigFacts, Facts, FieldNote } from './facts/facts.ts'
import { type Check, type Hit, hitIf, isWrong, shown } from './finding.ts'

const administrationPort = '4000'

export const configChecks: readonly Check[] = [
  {
    code: 'fatal-config-load',
    severity: 'FATAL',
    field: '',
    when: ({ config }) => config.problems.filter(({ field }) => !hasOwnCode(config, field)).map(toHit),
    headline: 'The configuration does not load: %',
    rationale: 'The service starts only with a configuration that it understands in full.',
    recovery: 'Correct the file where the message points; proxy.schema.json tells an editor what each field takes.',
  },
  {
    code: 'fatal-config-xroad-protocol-invalid',
    severity: 'FATAL',
    field: 'xroad_protocol_version',
    when: ({ config }) => config.problems.filter(({ field }) => field === 'xroad_protocol_version').map(toHit),
    headline: 'The protocol version is not one that X-Road has: %',
    rationale: 'Security Servers refuse SOAP messages of any other version, so the service does not start with one.',
    recovery: 'Write xroad_protocol_version: "4.0", or "4.1" where the Security Server asks for it.',
  },
  {
    code: 'info-config-xroad-protocol-ok',
    severity: 'INFO',
    field: 'xroad_protocol_version',
    when: ({ config }) => hitIf(!isWrong(config, 'xroad_protocol_version'), config.settings.protocolVersion),
    headline: 'SOAP messages have protocol version %.',
    rationale: 'It is one of the two versions that X-Road has.',
    recovery: '',
  },
  {
    code: 'info-config-source',
    severity: 'INFO',
    field: '',
    when: ({ config }) => hitIf(config.file !== undefined, config.source),
    headline: 'The configuration comes from %.',
    rationale: 'The service reads the same file when it is started here with the same flag and environment.',
    recovery: '',
  },
  {
    code: 'info-config-defaults',
    severity: 'INFO',
    field: '',
    when: ({ config }) => hitIf(config.file === undefined),
    headline: 'There is no configuration file; every field has its built-in default.',
    rationale: 'Neither --config nor PROXY_CONFIG names one, and ./proxy.yaml and ./proxy.yml do not exist.',
    recovery: 'Name the file with --config, if there should be one.',
  },
  {
    code: 'info-config-instance',
    severity: 'INFO',
    field: 'xroad_instance',
    when: ({ config: { settings, texts } }) =>
      hitIf(settings.securityServer !== undefined && !texts.has('xroad_instance'), settings.instance),
    headline: 'xroad_instance is not set, so calls go to the instance %.',
    rationale: 'The instance is that of the environment, and a Security Server does not know members of another one.',
    recovery: 'Set it to the instance of your Security Server, such as EE.',
  },
  {
    code: 'weak-config-unknown-field',
    severity: 'WEAK',
    field: '',
    when: ({ config }) => config.unknown.map(toHit),
    headline: 'A field that the service does not know: %',
    rationale: 'It has no effect, and what it was meant to set keeps its default.',
    recovery: 'Correct the name, or remove the line.',
  },
  ...(['member_code', 'subsystem_code'] as const).map((name): Check => ({
    code: `fatal-client-data-placeholder-${name}`,
    severity: 'FATAL',
    field: `client_data.${name}`,
    when: ({ config }) => placeholders(config, (field) => field === `client_data.${name}`),
    headline: `client_data.${name} is still a placeholder: %`,
    rationale: 'No member of X-Road has such a code, so a Security Server refuses every call.',
    recovery: 'Write the code that this client is registered with on the Security Server.',
  })),
  {
    code: 'fatal-config-placeholder',
    severity: 'FATAL',
    field: '',
    when: ({ config }) => placeholders(config, (field) => filledIn.has(field) || field.startsWith('clients.')),
    headline: 'The field is still a placeholder: %',
    rationale: 'No identifier, address or path of this service has the characters < or >.',
    recovery: 'Write the value that the placeholder describes.',
  },
  {
    code: 'fatal-client-data-needed',
    severity: 'FATAL',
    field: 'client_data',
    when: ({ config, dsl }) =>
      isWrong(config, 'client_data') ? [] : needsClient(config.settings.client, dsl.endpoints),
    headline: 'Endpoints name their caller to X-Road, but client_data does not say who that is: %',
    rationale: 'The service starts, but X-Road accepts no call without a member class and a member code.',
    recovery: 'Fill in member_class and member_code as they are registered on the Security Server.',
  },
  {
    code: 'weak-client-data-empty',
    severity: 'WEAK',
    field: 'client_data',
    when: ({ config }) => hitIf(partsOf(config).every((part) => part === '') && !isWrong(config, 'client_data')),
    headline: 'The service has no X-Road identity: member class, member code and subsystem are all empty.',
    rationale: 'Calls through a Security Server are refused without one. Direct calls need none.',
    recovery: 'Fill in member_class, member_code and subsystem_code as they are registered on the Security Server.',
  },
  {
    code: 'info-client-data-incomplete',
    severity: 'INFO',
    field: 'client_data',
    when: ({ config }) => {
      const parts = partsOf(config)
      const isAny = parts.some((part) => part !== '')
      return hitIf(isAny && parts.slice(0, 2).includes('') && !isWrong(config, 'client_data'))
    },
    headline: 'The X-Road identity of the service lacks its member class or its member code.',
    rationale: 'Both are part of every identifier; only the subsystem may be missing.',
    recovery: 'Fill in member_class and member_code as they are registered on the Security Server.',
  },
  {
    code: 'weak-config-admin-port',
    severity: 'WEAK',
    field: 'security_server.url',
    when: ({ config: { settings } }) =>
      hitIf(settings.securityServer !== undefined && new URL(settings.securityServer.url).port === administrationPort),
    headline: 'The address of the Security Server has port 4000.',
    rationale: 'That is its administration, which takes no messages.',
    recovery: 'Use the port for information systems: 8443, 443 or 5500.',
  },
  {
    code: 'fatal-rest-ss-not-https',
    severity: 'FATAL',
    field: 'security_server.url',
    when: ({ config }) => hitIf(isPlainUrl(config.texts)),
    headline: 'The address of the Security Server does not start with https://.',
    rationale:
      'Messages and the identity of the service would cross the network unprotected; the service does not start.',
    recovery: 'Write the https:// address; the Security Server listens for it on 8443, 443 or 5500.',
  },
  {
    code: 'info-rest-trust-ca-system',
    severity: 'INFO',
    field: 'security_server.trust_ca_path',
    when: ({ config: { settings, texts } }) =>
      hitIf(settings.securityServer !== undefined && !texts.has('security_server.trust_ca_path')),
    headline: 'The Security Server is verified with the authorities of the system.',
    rationale:
      'Its certificate has to come from one of them. Most Security Servers have one that they signed themselves.',
    recovery: 'If connections fail with an unknown issuer, put the certificate into a PEM file and name it here.',
  },
  {
    code: 'weak-wsdl-allow-http',
    severity: 'WEAK',
    field: 'wsdl.allow_http_upstream',
    when: ({ config }) => hitIf(config.settings.wsdl.allowHttpUpstream),
    headline: 'Addresses in WSDL files may be plain http.',
    rationale: 'Calls to them, and the credentials inside, can be read and changed on their way.',
    recovery: 'Remove wsdl.allow_http_upstream, and have the services that need it offer https.',
  },
  {
    code: 'weak-wsdl-allowlist-empty',
    severity: 'WEAK',
    field: 'wsdl.upstream_host_allowlist',
    when: ({ config }) => {
      const { wsdlWatchDir, wsdl } = config.settings
      const isEmpty = wsdl.upstreamHostAllowlist.length === 0 && !isWrong(config, 'wsdl.upstream_host_allowlist')
      return hitIf(wsdlWatchDir !== undefined && isEmpty)
    },
    headline: 'WSDL files may lead to any public host.',
    rationale: 'Whoever can put a file into the WSDL directory decides where requests go.',
    recovery: 'List the hosts that are meant under wsdl.upstream_host_allowlist.',
  },
  {
    code: 'info-wsdl-allowlist-pinned',
    severity: 'INFO',
    field: 'wsdl.upstream_host_allowlist',
    when: ({ config }) => {
      const hosts = config.settings.wsdl.upstreamHostAllowlist
      return hitIf(hosts.length > 0, hosts.join(', '))
    },
    headline: 'WSDL files may lead to these hosts only: %',
    rationale: 'An address of any other host is dropped.',
    recovery: '',
  },
  {
    code: 'weak-error-expose-soap-fault-detail',
    severity: 'WEAK',
    field: 'expose_soap_fault_detail',
    when: ({ config }) => hitIf(config.settings.exposeSoapFaultDetail),
    headline: 'Callers see SOAP faults in full.',
    rationale: 'Faults of providers may hold host names, stack traces and personal data.',
    recovery: 'Remove expose_soap_fault_detail; the log has the whole fault either way.',
  },
  {
    code: 'weak-paths-dsl-missing',
    severity: 'WEAK',
    field: 'dsl_path',
    when: ({ dsl }) => hitIf(!dsl.exists, `${dsl.path}${dsl.hint}`),
    headline: 'The directory of the DSL files does not exist: %',
    rationale: 'The service starts without any endpoint but those of WSDL files, for which it makes the directory.',
    recovery: 'Create the directory or correct dsl_path; relative paths count from the working directory.',
  },
  {
    code: 'weak-paths-wsdl-watch-missing',
    severity: 'WEAK',
    field: 'wsdl_watch_dir',
    when: ({ wsdlDirectory }) => hitIf(wsdlDirectory?.exists === false, wsdlDirectory?.path),
    headline: 'The directory of the WSDL files does not exist: %',
    rationale: 'No endpoint is generated from WSDL files.',
    recovery: 'Create the directory, correct wsdl_watch_dir, or remove it.',
  },
]

/** Told by checks of their own. */
function hasOwnCode({ texts }: ConfigFacts, field: string): boolean {
  return field === 'xroad_protocol_version' || (field === 'security_server.url' && isPlainUrl(texts))
}

function isPlainUrl(texts: ConfigFacts['texts']): boolean {
  const url = texts.get('security_server.url')
  return url !== undefined && !/^https:\/\//i.test(url)
}

function toHit({ field, message }: FieldNote): Hit {
  return { field, text: message }
}

function partsOf({ settings }: ConfigFacts): readonly [string, string, string] {
  const { memberClass, memberCode, subsystemCode } = settings.client
  return [memberClass, memberCode, subsystemCode]
}

/** One hit for each lane. */
function needsClient(client: Identity, endpoints: Facts['dsl']['endpoints']): readonly Hit[] {
  return tellWithoutClient(endpointsWithoutClient(endpoints, client), client).map((text) => ({ text }))
}

/** Fields that everybody has to fill in, besides those with a code of their own. */
const filledIn: ReadonlySet<string> = new Set([
  'xroad_instance',
  'client_data.member_class',
  'dsl_path',
  'wsdl_watch_dir',
  'security_server.url',
  'security_server.keystore_path',
  'security_server.keystore_password_env',
  'security_server.trust_ca_path',
])

function placeholders({ texts }: ConfigFacts, isMeant: (field: string) => boolean): readonly Hit[] {
  return [...texts]
    .filter(([field, text]) => isMeant(field) && /[<>]/.test(text))
    .map(([field, text]) => ({ field, text: shown(text) }))
}
