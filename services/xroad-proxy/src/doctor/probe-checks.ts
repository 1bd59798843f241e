/** The checks of what the Security Server said; without `--probe` they find nothing. */
import { misspelt, toFieldName } from '@services/config-file'
import { identityOf } from '../boot/config/client-identity.ts'
import { toName } from '../xroad.ts'
import type { Facts } from './facts/facts.ts'
import { type Check, type Hit, hitIf } from './finding.ts'
import { isListed, type ProbedEndpoint, type ProbeFacts } from './probe/probe.ts'

export const probeChecks: readonly Check[] = [
  {
    code: 'weak-probe-impossible',
    severity: 'WEAK',
    field: 'security_server',
    when: ({ probe }) => hitIf(probe === 'impossible'),
    headline: 'The Security Server was not asked.',
    rationale: 'The probe needs a configuration that loads, with a security_server, and a keystore that can be opened.',
    recovery: 'Correct what the other findings report, and try again.',
  },
  {
    code: 'fatal-probe-no-connection',
    severity: 'FATAL',
    field: 'security_server.url',
    when: (facts) =>
      probesOf(facts).flatMap(({ connectionProblem: problem, client }) =>
        problem === undefined ? [] : [{ text: client === undefined ? problem : `as ${client}: ${problem}` }],
      ),
    headline: 'The Security Server cannot be reached: %.',
    rationale: 'Every call through it is answered with internal_error.',
    recovery: 'Do what the message says, and try again.',
  },
  {
    code: 'info-probe-connected',
    severity: 'INFO',
    field: 'security_server.url',
    when: (facts) => hitIf(said(facts) !== undefined, said(facts)?.connection),
    headline: 'The Security Server takes connections: %.',
    rationale: 'Its certificate is trusted, and the service presented its own.',
    recovery: '',
  },
  {
    code: 'weak-probe-no-clients',
    severity: 'WEAK',
    field: 'security_server.url',
    when: (facts) => hitIf(said(facts)?.clientsProblem !== undefined, said(facts)?.clientsProblem),
    headline: 'The Security Server did not list the clients of the instance: %',
    rationale: 'The doctor cannot tell whether this client and the providers are registered.',
    recovery: 'See the log of the Security Server; the address may be that of something else.',
  },
  {
    code: 'info-probe-clients',
    severity: 'INFO',
    field: 'xroad_instance',
    when: (facts) => {
      const answer = said(facts)
      const isAnswered = answer !== undefined && answer.clientsProblem === undefined
      return hitIf(isAnswered, `${facts.config.settings.instance}: ${answer?.clients.length}`)
    },
    headline: 'Clients that the Security Server knows in the instance %',
    rationale: 'The list comes from the configuration that all Security Servers of the instance share.',
    recovery: '',
  },
  {
    code: 'fatal-probe-client-unknown',
    severity: 'FATAL',
    field: 'client_data',
    when: (facts) =>
      allSaid(facts).flatMap(({ clients, client: name }) => {
        const identity = identityOf(facts.config.settings, name)
        if (identity === undefined || isListed(clients, identity)) return []
        const text = toName(identity) + meant(toName(identity), clients)
        return [{ text, ...(name === undefined ? {} : { field: toFieldName(['clients', name]) }) }]
      }),
    headline: 'The instance does not have the client that this service speaks for: %',
    rationale: 'A Security Server refuses every call of a client that is not registered.',
    recovery: 'Correct client_data and xroad_instance, or register the subsystem on the Security Server.',
  },
  {
    code: 'weak-probe-provider-silent',
    severity: 'WEAK',
    field: '',
    when: (facts) =>
      allSaid(facts).flatMap(({ silentProviders }) =>
        silentProviders.map(({ provider, problem }) => ({ field: provider, text: problem })),
      ),
    headline: 'A provider did not say which services this client may call: %',
    rationale: 'Its endpoints may work or not.',
    recovery:
      'An authentication failure means that the certificate of info-keystore-identity is not uploaded to the Security ' +
      'Server for this client. Otherwise the provider or its Security Server is not reachable or not registered.',
  },
  {
    code: 'weak-probe-provider-unknown',
    severity: 'WEAK',
    field: '',
    when: unknownProviders,
    headline: 'A provider is not registered: %',
    rationale: 'A Security Server refuses every call to a member or subsystem that its instance does not have.',
    recovery:
      'Check class, code, subsystem and instance in the files or below provider: of the sidecar; letters of other case are ' +
      'another provider. If they are right, the provider has still to register its subsystem.',
  },
  {
    code: 'weak-probe-version-unknown',
    severity: 'WEAK',
    field: '',
    when: (facts) => verdicts(facts, 'not allowed', 'version'),
    headline: 'The provider does not have the service in the version that is called: %',
    rationale: 'Calls end with an error of the Security Server of the provider.',
    recovery:
      'Write a version that the provider has: service_version or service_versions in the sidecar of the WSDL, or ' +
      'serviceVersion in the envelope.',
  },
  {
    code: 'weak-probe-not-allowed',
    severity: 'WEAK',
    field: '',
    when: (facts) => verdicts(facts, 'not allowed'),
    headline: 'The endpoint would not be allowed: %',
    rationale: 'Calls end with an error of the Security Server of the provider.',
    recovery: 'Check the identifiers in the file, and ask the provider for the right to call the service.',
  },
  {
    code: 'info-probe-unknown',
    severity: 'INFO',
    field: '',
    when: (facts) => verdicts(facts, 'unknown'),
    headline: 'The doctor cannot tell whether the endpoint would be allowed: %',
    rationale: 'Only lists of services are asked for; no call is made to find out.',
    recovery: '',
  },
  {
    code: 'info-probe-allowed',
    severity: 'INFO',
    field: '',
    when: (facts) => verdicts(facts, 'allowed'),
    headline: 'The endpoint would be allowed: %',
    rationale: 'This does not show that the service itself works; it has not been called.',
    recovery: '',
  },
]

/** What was said, where there was a connection. */
function said({ probe }: Facts): ProbeFacts | undefined {
  return typeof probe === 'object' && probe.connectionProblem === undefined ? probe : undefined
}

type Asked = ProbeFacts & { readonly client?: string }

/** What was said to each client that endpoints call as. */
function probesOf({ probe, furtherProbes = [] }: Facts): readonly Asked[] {
  return [...(typeof probe === 'object' ? [probe] : []), ...furtherProbes]
}

function allSaid(facts: Facts): readonly Asked[] {
  return probesOf(facts).filter(({ connectionProblem }) => connectionProblem === undefined)
}

function verdicts(
  facts: Facts,
  verdict: ProbedEndpoint['verdict'],
  lacking?: ProbedEndpoint['lacking'],
): readonly Hit[] {
  return allSaid(facts)
    .flatMap(({ endpoints }) => endpoints)
    .filter((endpoint) => endpoint.verdict === verdict && endpoint.lacking === lacking)
    .map(({ path, file, reason }) => ({ field: file, text: `${path}: ${reason}` }))
}

/** Once for each, however many endpoints call it. */
function unknownProviders(facts: Facts): readonly Hit[] {
  const answers = allSaid(facts)
  const endpoints = answers.flatMap((answer) => answer.endpoints.filter(({ lacking }) => lacking === 'provider'))
  const clients = answers.flatMap((answer) => answer.clients)
  return [...Map.groupBy(endpoints, ({ provider }) => provider)].map(([provider, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    const calls = `${provider}, which ${first?.path}${more} would call (${first?.file})`
    return { field: provider, text: calls + meant(provider, clients) }
  })
}

/** A client of the list that is called alike, or is the same in another instance. */
function meant(name: string, clients: ProbeFacts['clients']): string {
  const known = [...new Set(clients.map((client) => toName(client)))]
  const withoutInstance = (each: string): string => each.slice(each.indexOf('/'))
  const alike = known.find((each) => withoutInstance(each) === withoutInstance(name)) ?? misspelt(name, known)
  return alike === undefined ? '' : `; did you mean ${alike}?`
}
