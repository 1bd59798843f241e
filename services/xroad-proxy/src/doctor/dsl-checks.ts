/** The checks of the endpoints: DSL files, what they need of the configuration, and what became of WSDL files. */
import { nameEndpoints } from '../boot/config/client-identity.ts'
import { type Dates, validityOf } from '../boot/tls/certificates.ts'
import { otherMemberCure } from '../boot/ingest/survey.ts'
import type { Endpoint, RestEndpoint, ValidationMode } from '../model.ts'
import { isIdentifier } from '../xroad.ts'
import type { Facts } from './facts/facts.ts'
import { type Check, type Hit, hitIf, isWrong } from './finding.ts'
import type { WsdlFinding } from './facts/wsdl-facts.ts'

export const dslChecks: readonly Check[] = [
  {
    code: 'fatal-dsl-load',
    severity: 'FATAL',
    field: 'dsl_path',
    when: ({ dsl }) => dsl.problems.map(({ file, message }) => ({ field: file, text: message })),
    headline: 'A DSL file does not load: %',
    rationale: 'The service starts only if it can read every file of the tree.',
    recovery:
      'Correct the file where the message points, or remove it; dsl.schema.json tells an editor which fields it takes.',
  },
  {
    code: 'weak-dsl-warning',
    severity: 'WEAK',
    field: 'dsl_path',
    when: ({ dsl }) => dsl.warnings.map((message) => ({ text: message })),
    headline: 'A warning about the DSL files: %',
    rationale: 'The service starts and writes the same words into its log.',
    recovery: 'Change the file where the message points.',
  },
  {
    code: 'info-dsl-notice',
    severity: 'INFO',
    field: 'dsl_path',
    when: ({ dsl }) => dsl.notices.map((message) => ({ field: fileOf(message), text: message })),
    headline: 'Something works and is perhaps not meant: %',
    rationale: 'The service writes the same words into its log.',
    recovery: 'Do what the message says, unless it is meant.',
  },
  {
    code: 'fatal-dsl-template',
    severity: 'FATAL',
    field: 'envelope',
    when: ({ dsl }) => dsl.templateWarnings.map((message) => ({ field: fileOf(message), text: message })),
    headline: 'An envelope uses a name that no call can fill: %',
    rationale:
      'The service starts and writes the same words into its log; the envelope is sent with a gap, or not at all.',
    recovery: 'Correct the name where the message points, or add it to the params of the file.',
  },
  {
    code: 'weak-soap-envelope',
    severity: 'WEAK',
    field: 'envelope',
    when: ({ dsl }) => dsl.envelopeWarnings.map((message) => ({ field: fileOf(message), text: message })),
    headline: 'An envelope is not a message: %',
    rationale: 'The Security Server or the service refuses every call.',
    recovery:
      'Do what the message says. In XML each prefix needs its xmlns, each tag its end, and an & is written &amp;.',
  },
  {
    code: 'weak-rest-description',
    severity: 'WEAK',
    field: 'openapi',
    when: ({ dsl }) => dsl.descriptionWarnings.map((message) => ({ field: fileOf(message), text: message })),
    headline: 'A description of a REST service is not used as it is: %',
    rationale: 'The service starts and writes the same words into its log; what is missing has no endpoint.',
    recovery: 'Correct the description where the message points, or ask the provider for another one.',
  },
  {
    code: 'fatal-rest-no-security-server',
    severity: 'FATAL',
    field: 'security_server',
    when: (facts) => withoutServer(facts, (endpoint) => endpoint.kind === 'rest'),
    headline: 'There are REST endpoints and no security_server: %',
    rationale: 'Every REST call goes through the Security Server; without one each is answered with internal_error.',
    recovery: 'Add the section security_server with url and keystore_path.',
  },
  {
    code: 'weak-soap-no-security-server',
    severity: 'WEAK',
    field: 'security_server',
    when: (facts) => withoutServer(facts, (endpoint) => endpoint.kind === 'soap' && endpoint.url === undefined),
    headline: 'There are SOAP endpoints without service: and no security_server: %',
    rationale: 'They go through the Security Server; without one each call is answered with internal_error.',
    recovery: 'Add the section security_server, or the field service: to the files that are direct calls.',
  },
  {
    code: 'fatal-rest-target-fields-missing',
    severity: 'FATAL',
    field: 'target',
    when: ({ dsl }) => dsl.emptyTargets.map(({ file, fields }) => toHit(file, fields)),
    headline: 'A REST file does not say in full which service it calls: %',
    rationale: 'The address of the call is made of these fields; an empty one leads nowhere.',
    recovery: 'Fill in member_class, member_code, subsystem_code and service_code of the provider.',
  },
  {
    code: 'weak-rest-identifier-charset',
    severity: 'WEAK',
    field: 'target',
    when: ({ dsl }) =>
      Array.from(Map.groupBy(restOf(dsl.endpoints), ({ file }) => file)).flatMap(([file, [endpoint]]) => {
        const odd =
          endpoint === undefined ? [] : identifiersOf(endpoint.target).filter(([, text]) => !isIdentifier(text))
        const fields = odd.map(([name]) => name)
        return fields.length === 0 ? [] : [toHit(file, fields)]
      }),
    headline: 'An identifier of a REST target has characters that X-Road does not allow: %',
    rationale:
      "The message protocol for REST allows letters, digits and '()+,-.=? in identifiers. Security Servers let others pass, " +
      'and log control characters and any of %:;/\\.',
    recovery: 'Compare it with the list of services of the provider; it is usually a typing error.',
  },
  {
    code: 'info-rest-lane-ready',
    severity: 'INFO',
    field: 'security_server',
    when: (facts) => hitIf(isRestReady(facts), String(restOf(facts.dsl.endpoints).length)),
    headline: 'REST endpoints are ready to be called: %',
    rationale: 'The Security Server, the identity and every target are filled in.',
    recovery: '',
  },
  {
    code: 'info-validation-off',
    severity: 'INFO',
    field: 'validate_requests',
    when: ({ config, dsl }) => {
      const unchecked = dsl.endpoints.filter((endpoint) => isUnchecked(endpoint, config.settings.validateRequests))
      return hitIf(unchecked.length > 0, nameEndpoints(unchecked, maxNamed))
    },
    headline: 'Requests that may change something leave without a check: %',
    rationale:
      'What does not fit is found by the provider, if at all. Calls of SOAP services count, and POST, PUT, PATCH and DELETE of REST services.',
    recovery:
      'Set validate_requests to warn, read the log for a while, then set it to refuse. Bodies for REST services pass as they are whatever it says: their providers check them.',
  },
  {
    code: 'weak-wsdl-skipped',
    severity: 'WEAK',
    field: 'wsdl_watch_dir',
    when: ({ wsdl }) =>
      wsdl
        .filter(({ outcome }) => outcome === 'skipped')
        .map(({ isOfOther, reason, ...place }) =>
          Object.assign(toWsdlHit(place, reason), isOfOther ? { recovery: asSentence(otherMemberCure) } : {}),
        ),
    headline: 'No endpoint is generated from an operation of a WSDL file: %',
    rationale: 'The other operations are not affected; callers of this operation get template_not_found.',
    recovery: 'Change the WSDL file, or its sidecar if the message is about that, or write the DSL file by hand.',
  },
  {
    code: 'weak-wsdl-warning',
    severity: 'WEAK',
    field: 'wsdl_watch_dir',
    // That the directory is not there is told by a check of its own.
    when: ({ wsdlDirectory, wsdlRemarks }) => (wsdlDirectory?.exists === true ? wsdlRemarks.map(toRemark) : []),
    headline: 'A warning about the WSDL files: %',
    rationale: 'The service starts and writes the same words into its log; what they are about is not as it looks.',
    recovery:
      'Do what the message says, or move or remove the file that it begins with. A sidecar is <name>.meta.yaml beside the ' +
      '<name>.wsdl, and says below provider: whose service it is.',
  },
  {
    code: 'weak-wsdl-service-code',
    severity: 'WEAK',
    field: 'wsdl_watch_dir',
    when: ({ wsdl }) =>
      wsdl.flatMap(({ mismatch, ...place }) => (mismatch === undefined ? [] : [toWsdlHit(place, mismatch)])),
    headline: 'An operation is called by a name that X-Road refuses: %',
    rationale:
      'A Security Server demands that the name of the element in the body begins with the service code; otherwise it answers with a fault.',
    recovery: 'Take service_code out of the sidecar, or give it to a WSDL with that operation only.',
  },
  {
    code: 'info-wsdl-generated',
    severity: 'INFO',
    field: 'wsdl_watch_dir',
    when: ({ wsdl }) => {
      const generated = wsdl.filter(({ outcome }) => outcome === 'generated')
      return hitIf(generated.length > 0, `${generated.length} of ${wsdl.length}`)
    },
    headline: 'Operations of WSDL files that become endpoints: %',
    rationale: 'Their DSL files are written at the start of the service.',
    recovery: '',
  },
]

/** The file, the line and the operation, as far as there are any, before what is said of them. */
function toWsdlHit({ file, line, operation }: Omit<WsdlFinding, 'reason'>, words: string): Hit {
  const place = line === undefined ? file : `${file}:${line}`
  return { field: file, text: `${place}: ${operation === '' ? '' : `operation ${operation} `}${words}` }
}

/** Remarks begin with the file, and with the line where there is one. */
function toRemark(text: string): Hit {
  const [, field] = /^(.+?)(?::\d+)?: /.exec(text) ?? []
  return field === undefined ? { text } : { field, text }
}

/** Messages about files begin with the file and, most of them, the line. */
function fileOf(message: string): string {
  return /^(.*?)(?::\d+)?: /.exec(message)?.[1] ?? ''
}

function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const maxNamed = 5

function withoutServer({ config, dsl }: Facts, needsOne: (endpoint: Endpoint) => boolean): readonly Hit[] {
  const endpoints = dsl.endpoints.filter(needsOne)
  const isMissing = config.settings.securityServer === undefined && !isWrong(config, 'security_server')
  if (endpoints.length === 0 || !isMissing) return []
  return [{ text: nameEndpoints(endpoints, maxNamed) }]
}

const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Of what a SOAP call does its method tells nothing. */
function isUnchecked(endpoint: Endpoint, usual: ValidationMode): boolean {
  if (endpoint.kind === 'soap') return (endpoint.validation ?? usual) === 'off'
  return usual === 'off' && endpoint.methods.some((method) => changing.has(method))
}

function toHit(file: string, fields: readonly string[]): Hit {
  return { field: `${file}: ${fields.join(', ')}`, text: `${file}: ${fields.join(', ')}` }
}

function restOf(endpoints: readonly Endpoint[]): readonly RestEndpoint[] {
  return endpoints.filter((endpoint) => endpoint.kind === 'rest')
}

function identifiersOf({
  memberClass,
  memberCode,
  subsystemCode,
  serviceCode,
}: RestEndpoint['target']): [string, string][] {
  return [
    ['target.member_class', memberClass],
    ['target.member_code', memberCode],
    ['target.subsystem_code', subsystemCode],
    ['target.service_code', serviceCode],
  ]
}

/** Everything that a check of its own would complain about. */
function isRestReady({ config, dsl, keystores, now }: Facts): boolean {
  const isGood = (dates: Dates): boolean => ['good', 'expiring'].includes(validityOf(dates, now))
  const needed = keystores.filter(({ isNeeded }) => isNeeded)
  const isIdentified = needed.every(
    ({ identity, trusted, trustProblem }) =>
      identity !== undefined &&
      isGood(identity) &&
      (trusted.length === 0 || trusted.some(isGood)) &&
      trustProblem === undefined,
  )
  return (
    restOf(dsl.endpoints).length > 0 &&
    config.settings.securityServer !== undefined &&
    config.problems.length === 0 &&
    dsl.problems.length === 0 &&
    dsl.emptyTargets.length === 0 &&
    isIdentified
  )
}
