/**
 * `wsdl add`: what was asked for in, WSDLs with all that belongs to them below `wsdl_watch_dir` out, or an `AddProblem` and not
 * a file more than before. The order of the steps; each is a file of its own.
 */
import { join, posix } from 'node:path'
import { createClientContext, createServerCheck } from '../../boot/tls/keystore.ts'
import type { Config } from '../../boot/config/schema.ts'
import type { AddAction } from '../../boot/flags.ts'
import type { Circumstances } from '../../boot/ingest/destination.ts'
import { listWsdls } from '../../boot/ingest/folder.ts'
import { surveyWsdl } from '../../boot/ingest/survey.ts'
import { openSecurityServer } from '../../metadata/security-server.ts'
import type { Wsdl } from '../../wsdl/operations/operations.ts'
import { type Downloader, openDownloader } from '../download.ts'
import { explain, type Explanation } from '../explain.ts'
import { AddProblem } from './add-problem.ts'
import { checkWsdl, gather, type IncomingWsdl, takeFile, takeUrl, withoutPassword } from './gather.ts'
import { type Installed, install } from './install.ts'
import { takeOffered } from './security-server.ts'
import { readOwner, readProvider, readServiceAddress, type ServiceAddress } from './service-address.ts'
import { writeSidecar } from './sidecar-text.ts'

export interface Added {
  /** `wsdl_watch_dir` */
  readonly root: string
  /** Folders of the WSDLs below it. */
  readonly places: readonly string[]
  readonly installed: Installed
  /** By file: where it was fetched from. */
  readonly origins: ReadonlyMap<string, string>
  /** Of the WSDLs that were added. */
  readonly explanations: readonly Explanation[]
}

type Environment = Readonly<Record<string, string | undefined>>

export async function add(action: AddAction, settings: Config, env: Environment): Promise<Added> {
  const order = toOrder(action, settings)
  const root = settings.wsdlWatchDir
  if (root === undefined) {
    throw new AddProblem(
      'the configuration has no wsdl_watch_dir, the folder that WSDLs go to; write wsdl_watch_dir: ./wsdl',
    )
  }
  const downloader = openDownloader(action)
  try {
    const wsdls = await order(downloader, env)
    const { wsdl: rules } = settings
    const circumstances = {
      client: settings.client,
      allowHttp: rules.allowHttpUpstream,
      hostAllowlist: rules.upstreamHostAllowlist,
    }
    if (!action.force) refuseTaken(root, wsdls, circumstances)
    const { files, origins } = await gather(wsdls, root, downloader)
    const installed = install(root, files, action)
    const places = [...new Set(wsdls.map(({ place }) => place))]
    return { root, places, installed, origins, explanations: explainOrUndo(root, wsdls, installed, circumstances) }
  } finally {
    await downloader.close()
  }
}

interface TakenWsdl extends IncomingWsdl {
  readonly wsdl: Wsdl
}

/** Finds the WSDLs and says where each belongs. */
type Order = (downloader: Downloader, env: Environment) => Promise<readonly TakenWsdl[]>

/** Checks the words of the command line before anything is read or asked. */
function toOrder(action: AddAction, settings: Config): Order {
  const { path, fromSecurityServer, provider: given, serviceVersion } = action
  const usage = (message: string): AddProblem => new AddProblem(message, { isUsage: true })
  if (path !== undefined && fromSecurityServer !== undefined) {
    throw usage('wsdl add takes a WSDL or --from-security-server, not both')
  }
  if (fromSecurityServer !== undefined) {
    if (given !== undefined) throw usage('--from-security-server says whose service it is; leave out --provider')
    if (serviceVersion !== undefined) {
      throw usage(
        'with --from-security-server the version stands behind the service, such as GOV/70000310/arireg/find/v1',
      )
    }
    const address = readServiceAddress(fromSecurityServer, settings.client)
    const owner = readOwner(action.owner, address.provider)
    return (_, env) => fromServer(address, owner, settings, env)
  }
  if (path === undefined) throw usage('wsdl add needs a WSDL file or its address, or --from-security-server')
  if (given === undefined) {
    throw usage('--provider says whose service it is, and is needed: [INSTANCE/]CLASS/CODE/SUBSYSTEM')
  }
  const provider = readProvider(given, settings.client)
  const place = readOwner(action.owner, provider)
  const sidecar = writeSidecar({ provider, ownInstance: settings.instance, serviceVersion })
  return async (downloader) => {
    const found = isAddress(path) ? await takeUrl(path, posix.basename(place), downloader) : takeFile(path)
    return [{ ...found, place, sidecar, wsdl: checkWsdl(found, withoutPassword(path)) }]
  }
}

function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path)
}

async function fromServer(
  address: ServiceAddress,
  owner: string,
  settings: Config,
  env: Environment,
): Promise<readonly TakenWsdl[]> {
  const { securityServer } = settings
  if (securityServer === undefined) {
    throw new AddProblem('the configuration has no security_server to ask; write its url and keystore_path')
  }
  const { memberClass, memberCode } = settings.client
  if (memberClass === '' || memberCode === '') {
    throw new AddProblem('client_data of the configuration does not say who asks; write member_class and member_code')
  }
  const secureContext = createClientContext(securityServer, env)
  const checkServer = createServerCheck(securityServer)
  const server = openSecurityServer({ url: securityServer.url, settings, secureContext, checkServer })
  try {
    const offered = await takeOffered(server, address)
    const taken = new Map<string, Set<string>>()
    return offered.map(({ name, bytes, service, wsdl, versions }) => {
      const place = choosePlace(owner, service.version || service.code, wsdl, taken)
      const { provider } = address
      const sidecar = writeSidecar({ provider, ownInstance: settings.instance, serviceVersions: versions })
      return { name, bytes, source: undefined, url: undefined, place, sidecar, wsdl }
    })
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
    const free = [owner, place].find((each) => !names.some((it) => taken.get(each)?.has(it)))
    if (free === undefined) continue
    taken.set(free, new Set([...(taken.get(free) ?? []), ...names]))
    return free
  }
}

function namesOf({ operations }: Wsdl): readonly string[] {
  return operations.flatMap((it) => (it.kind === 'operation' ? [it.name] : []))
}

/** Endpoints that a WSDL in the same folder has already would stay its own. */
function refuseTaken(root: string, wsdls: readonly TakenWsdl[], circumstances: Circumstances): void {
  const there = listWsdls(root).wsdls
  for (const { place, name, wsdl } of wsdls) {
    const own = posix.join(place, name)
    const names = namesOf(wsdl)
    for (const { file } of there.filter((each) => posix.dirname(each.file) === place && each.file !== own)) {
      const { operations } = surveyWsdl(root, file, circumstances)
      const double = operations.find((it) => it.kind === 'generated' && names.includes(it.name))
      if (double === undefined) continue
      throw new AddProblem(
        `${join(root, file)} has the operation ${double.name} already; --owner ${place.split('/')[0]}/NAME puts this WSDL into a ` +
          'folder of its own, such as that of its version',
      )
    }
  }
}

/** A WSDL without any endpoint is of no use: whoever asked learns why, and finds nothing to clear away. */
function explainOrUndo(
  root: string,
  wsdls: readonly TakenWsdl[],
  installed: Installed,
  circumstances: Circumstances,
): readonly Explanation[] {
  const explanations = explain(
    wsdls.map(({ place, name }) => ({ root, file: posix.join(place, name) })),
    circumstances,
  )
  for (const { file, problem, operations, warnings } of explanations) {
    if (problem === undefined && operations.some(({ outcome }) => outcome === 'generated')) continue
    installed.undo()
    if (problem !== undefined) throw new AddProblem(warnings[0] ?? `${file}: ${problem}`)
    const [first] = operations
    const why = first === undefined ? '' : `; ${first.name} ${first.words}`
    throw new AddProblem(`${file}: none of its ${operations.length} operations can be called${why}`)
  }
  return explanations
}
