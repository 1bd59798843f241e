/** The checks of `clients`: which can never call, which no file names, and which are one and the same to X-Road. */
import { toFieldName } from '@services/config-file'
import { namesOf } from '../boot/config/client-identity.ts'
import { toName } from '../xroad.ts'
import { type Check, type Hit, hitIf } from './finding.ts'

export const clientChecks: readonly Check[] = [
  {
    code: 'weak-client-no-security-server',
    severity: 'WEAK',
    field: 'clients',
    when: ({ config: { settings } }) =>
      hitIf(settings.clients.length > 0 && settings.securityServer === undefined, namesOf(settings).join(', ')),
    headline: 'There are clients and no security_server: %',
    rationale:
      'Clients call through the Security Server; without one each of their calls is answered with internal_error.',
    recovery: 'Add the section security_server with url and keystore_path.',
  },
  {
    code: 'weak-client-unused',
    severity: 'WEAK',
    field: 'clients',
    when: ({ config: { settings }, dsl, wsdl }) =>
      // Files that the next start is still to make may name it.
      wsdl.length > 0 || dsl.problems.length > 0
        ? []
        : namesOf(settings)
            .filter((name) => !dsl.endpoints.some(({ client }) => client === name))
            .map((name) => ofClient(name, name)),
    headline: 'No file names the client %.',
    rationale: 'Nobody calls as this client, and its keystore is not read at start.',
    recovery: 'Write client: with its name into the files that are meant, or remove it.',
  },
  {
    code: 'weak-client-repeated',
    severity: 'WEAK',
    field: 'clients',
    when: ({ config: { settings } }) => {
      const all = [{ name: 'client_data', identity: settings.client }, ...settings.clients]
      return settings.clients.flatMap(({ name, identity }, index) => {
        const other = all.slice(0, index + 1).find((before) => toName(before.identity) === toName(identity))
        return other === undefined ? [] : [ofClient(name, `${name} and ${other.name}: ${toName(identity)}`)]
      })
    },
    headline: 'Two clients are one and the same to X-Road: %',
    rationale: 'A Security Server cannot tell them apart but by their certificates.',
    recovery: 'Correct the codes of the one that was copied, or remove it.',
  },
  {
    code: 'info-client-identity',
    severity: 'INFO',
    field: 'clients',
    when: ({ config: { settings }, dsl }) =>
      settings.clients.map(({ name, identity }) => {
        const count = dsl.endpoints.filter(({ client }) => client === name).length
        return ofClient(name, `${name} is ${toName(identity)}, endpoints that call as it: ${count}`)
      }),
    headline: 'A further client: %.',
    rationale: 'It has to be registered on the Security Server like client_data, with the certificate of its keystore.',
    recovery: '',
  },
]

function ofClient(name: string, text: string): Hit {
  return { field: toFieldName(['clients', name]), text }
}
