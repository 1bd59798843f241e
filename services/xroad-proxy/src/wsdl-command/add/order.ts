/**
 * The words of the command line -> where the WSDLs come from and where each belongs. A wrong word is an `AddProblem`
 * before anything is read or asked; what is asked, is asked by gather.ts and security-server.ts.
 */
import { posix } from 'node:path'
import type { Environment } from '@services/config-file'
import {
  identityOf,
  keystoreOf,
  missingParts,
  namesOf as namesOfClients,
  tellStranger,
} from '../../boot/config/client-identity.ts'
import type { Config } from '../../boot/config/schema.ts'
import { createClientContext, createServerCheck } from '../../boot/tls/keystore.ts'
import type { AddAction } from '../../boot/flags.ts'
import { openSecurityServer } from '../../metadata/security-server.ts'
import type { Identity } from '../../model.ts'
import type { Wsdl } from '../../wsdl/operations/operations.ts'
import type { Downloader } from '../download.ts'
import { AddProblem } from './add-problem.ts'
import { type NewDescription, toNewDescription } from './descriptions.ts'
import { checkWsdl, type IncomingWsdl, takeFile, takeUrl, withoutPassword } from './gather.ts'
import { takeOffered } from './security-server.ts'
import { readOwner, readProvider, readServiceAddress, type ServiceAddress } from './service-address.ts'
import { writeSidecar } from './sidecar-text.ts'

export interface TakenWsdl extends IncomingWsdl {
  readonly wsdl: Wsdl
}

/** What is to be added, before anything is written. */
export interface Taken {
  readonly wsdls: readonly TakenWsdl[]
  /** Of REST services. */
  readonly descriptions: readonly NewDescription[]
  /** What could not be taken, and is not a reason to take nothing; whole sentences. */
  readonly notes: readonly string[]
}

/** Finds the WSDLs and says where each belongs. */
export type Order = (downloader: Downloader, env: Environment) => Promise<Taken>

/** Checks the words of the command line before anything is read or asked. */
export function toOrder(action: AddAction, settings: Config): Order {
  const { path, fromSecurityServer, provider: given, serviceVersion, client } = action
  const usage = (message: string): AddProblem => new AddProblem(message, { isUsage: true })
  const own = identityOf(settings, client)
  if (own === undefined) throw usage(`--client: ${tellStranger(client ?? '', namesOfClients(settings))}`)
  if (path !== undefined && fromSecurityServer !== undefined) {
    throw usage('wsdl add takes a WSDL or --from-security-server, not both')
  }
  if (fromSecurityServer !== undefined) {
    if (given !== undefined) throw usage('--from-security-server says whose service it is; leave out --provider')
    if (serviceVersion !== undefined) {
      throw usage('with --from-security-server the version follows the service, such as GOV/70000310/arireg/find/v1')
    }
    const address = readServiceAddress(fromSecurityServer, own)
    const owner = readOwner(action.owner, address.provider)
    return (_, env) => fromServer({ address, owner, client, own }, settings, env)
  }
  if (path === undefined) throw usage('wsdl add needs a WSDL file or its address, or --from-security-server')
  if (given === undefined) {
    throw usage('--provider says whose service it is, and is needed: [INSTANCE/]CLASS/CODE/SUBSYSTEM')
  }
  const provider = readProvider(given, own)
  const place = readOwner(action.owner, provider)
  const sidecar = writeSidecar({ provider, client, ownInstance: settings.instance, serviceVersion })
  return async (downloader) => {
    const found = isAddress(path) ? await takeUrl(path, posix.basename(place), downloader) : takeFile(path)
    const wsdl = checkWsdl(found, withoutPassword(path))
    return { wsdls: [{ ...found, place, sidecar, wsdl }], descriptions: [], notes: [] }
  }
}

function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path)
}

interface Question {
  readonly address: ServiceAddress
  readonly owner: string
  /** Who asks, and then calls: a name of `clients`, undefined for `client_data`. */
  readonly client: string | undefined
  readonly own: Identity
}

async function fromServer(
  { address, owner, client, own }: Question,
  settings: Config,
  env: Environment,
): Promise<Taken> {
  const { securityServer, instance: ownInstance } = settings
  const keystore = keystoreOf(settings, client)
  if (securityServer === undefined || keystore === undefined) {
    throw new AddProblem('the configuration has no security_server to ask; write its url and keystore_path')
  }
  if (missingParts(own).length > 0) {
    throw new AddProblem('client_data of the configuration does not say who asks; write member_class and member_code')
  }
  const secureContext = createClientContext(keystore, env)
  const checkServer = createServerCheck(securityServer)
  const asked = { ...settings, client: own }
  const server = openSecurityServer({ url: securityServer.url, settings: asked, secureContext, checkServer })
  try {
    const { wsdls, descriptions, notes } = await takeOffered(server, address)
    const { provider } = address
    const taken = new Map<string, Set<string>>()
    return {
      wsdls: wsdls.map(({ name, bytes, service, wsdl, versions }) => {
        const place = choosePlace(owner, service.version || service.code, wsdl, taken)
        const sidecar = writeSidecar({ provider, client, ownInstance, serviceVersions: versions })
        return { name, bytes, source: undefined, url: undefined, place, sidecar, wsdl }
      }),
      descriptions: descriptions.map((each) => toNewDescription(each, { owner, provider, client, ownInstance })),
      notes,
    }
  } finally {
    await server.close()
  }
}

/** Two versions of an operation cannot be one endpoint: a later one gets a folder of its own. `taken` grows. */
function choosePlace(owner: string, label: string, wsdl: Wsdl, taken: Map<string, Set<string>>): string {
  const names = namesOf(wsdl)
  const [group = '', subsystem] = owner.split('/')
  const name = label.replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '_').replace(/^[.-]+/, '_') || '_'
  const beside = subsystem === undefined ? `${group}/${name}` : `${group}/${subsystem}-${name}`
  for (let count = 1; ; count++) {
    const place = count === 1 ? beside : `${beside}-${count}`
    const free = [owner, place].find((each) => !names.some((name) => taken.get(each)?.has(name)))
    if (free === undefined) continue
    taken.set(free, new Set([...(taken.get(free) ?? []), ...names]))
    return free
  }
}

export function namesOf({ operations }: Wsdl): readonly string[] {
  return operations.flatMap((operation) => (operation.kind === 'operation' ? [operation.name] : []))
}
