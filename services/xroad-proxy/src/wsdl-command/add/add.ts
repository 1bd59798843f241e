/**
 * `wsdl add`: what was asked for in, WSDLs and descriptions with all that belongs to them in their directories out, or
 * an `AddProblem` and not a file more than before. The order of the steps; each is a file of its own.
 */
import { join, posix, resolve } from 'node:path'
import type { Environment } from '@services/config-file'
import type { Config } from '../../boot/config/schema.ts'
import type { AddAction } from '../../boot/flags.ts'
import type { Circumstances } from '../../boot/ingest/destination.ts'
import { listWsdls } from '../../boot/ingest/folder.ts'
import { surveyWsdl } from '../../boot/ingest/survey.ts'
import { type Downloader, openDownloader } from '../download.ts'
import { explain, type Explanation } from '../explain.ts'
import { AddProblem } from './add-problem.ts'
import { explainDescriptions } from './descriptions.ts'
import { type Files, gather, listsBeside } from './gather.ts'
import { type Installed, install, type NewFile } from './install.ts'
import { type Lock, lock } from './lock.ts'
import { namesOf, type Taken, type TakenWsdl, toOrder } from './order.ts'

export interface Added {
  /** One for each directory. */
  readonly parts: readonly AddedPart[]
  /** Of the WSDLs that were added. */
  readonly explanations: readonly Explanation[]
  /** Method and path of each that the next start has more. */
  readonly endpoints: readonly string[]
  /** What could not be added, and what is odd about the rest. */
  readonly notes: readonly string[]
}

export interface AddedPart {
  /** The directory. */
  readonly root: string
  readonly installed: Installed
  /** Folders of it that hold nothing else, if they are new. */
  readonly places: readonly string[]
  /** By file: where it was fetched from. */
  readonly origins: ReadonlyMap<string, string>
}

/** `tell` gets what a person should know while it works. */
export async function add(
  action: AddAction,
  settings: Config,
  env: Environment,
  tell: (sentence: string) => void = () => undefined,
): Promise<Added> {
  const order = toOrder(action, settings)
  // Of a Security Server nobody knows yet what it will give.
  if (action.path !== undefined) rootOf(settings)
  const downloader = openDownloader(action)
  try {
    const taken = await order(downloader, env)
    const fetched = await fetch(taken, action, settings, downloader)
    return await alone(directoriesOf(taken, settings), tell, async () => {
      // An earlier command may have fetched something of the same name.
      const isAsBefore = fetched?.lists === listsOf(taken, settings)
      return put(taken, isAsBefore ? fetched : await fetch(taken, action, settings, downloader), action, settings)
    })
  } finally {
    await downloader.close()
  }
}

interface Fetched extends Files {
  /** Lists of downloads that were there. */
  readonly lists: string | undefined
}

/** In memory: nobody has to wait for what others fetch, and who gives up finds nothing. */
async function fetch(
  { wsdls }: Taken,
  { force }: AddAction,
  settings: Config,
  downloader: Downloader,
): Promise<Fetched | undefined> {
  if (wsdls.length === 0) return undefined
  const root = rootOf(settings)
  if (!force) refuseTaken(root, wsdls, toCircumstances(settings))
  const lists = listsBeside(wsdls, root)
  return { lists, ...(await gather(wsdls, root, downloader)) }
}

function listsOf({ wsdls }: Taken, settings: Config): string | undefined {
  return wsdls.length === 0 ? undefined : listsBeside(wsdls, rootOf(settings))
}

async function put(taken: Taken, fetched: Fetched | undefined, action: AddAction, settings: Config): Promise<Added> {
  const parts: AddedPart[] = []
  try {
    if (fetched !== undefined) parts.push(addWsdls(taken.wsdls, fetched, action, settings))
    if (taken.descriptions.length > 0) parts.push(addDescriptions(taken, action, settings))
    return { parts, ...(await describe(taken, settings)) }
  } catch (error) {
    for (const { installed } of parts.toReversed()) installed.undo()
    throw error
  }
}

function directoriesOf({ wsdls, descriptions }: Taken, settings: Config): readonly string[] {
  return [...(wsdls.length > 0 ? [rootOf(settings)] : []), ...(descriptions.length > 0 ? [settings.dslPath] : [])]
}

/** Nobody else adds meanwhile. The directories have one order for all, or two could wait for each other. */
async function alone<Result>(
  directories: readonly string[],
  tell: (sentence: string) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const locks: Lock[] = []
  try {
    const byPath = new Map(directories.map((directory) => [resolve(directory), directory]))
    for (const path of [...byPath.keys()].sort()) locks.push(await lock(byPath.get(path) ?? path, tell))
    return await work()
  } finally {
    for (const held of locks.toReversed()) held.release()
  }
}

function rootOf({ wsdlWatchDir }: Config): string {
  if (wsdlWatchDir !== undefined) return wsdlWatchDir
  throw new AddProblem(
    'the configuration has no wsdl_watch_dir, the folder that WSDLs go to; write wsdl_watch_dir: ./wsdl',
  )
}

function addWsdls(
  wsdls: readonly TakenWsdl[],
  { files, origins }: Files,
  { force }: AddAction,
  settings: Config,
): AddedPart {
  const root = rootOf(settings)
  if (!force) refuseTaken(root, wsdls, toCircumstances(settings))
  const places = [...new Set(wsdls.map(({ place }) => place))]
  return { root, installed: install(root, files, { force }), places, origins }
}

/** Files of the service make their endpoints in folders that others write to as well. */
function addDescriptions({ descriptions }: Taken, { force }: AddAction, { dslPath }: Config): AddedPart {
  const files: readonly NewFile[] = descriptions.flatMap((each) => each.files)
  return { root: dslPath, installed: install(dslPath, files, { force }), places: [], origins: new Map() }
}

/** What came of it, read as the next start will. */
async function describe({ wsdls, descriptions, notes }: Taken, settings: Config): Promise<Omit<Added, 'parts'>> {
  const explanations = wsdls.length === 0 ? [] : explainWsdls(rootOf(settings), wsdls, toCircumstances(settings))
  const rest = await explainDescriptions(descriptions, settings)
  const soap = wsdls.flatMap(({ place }, index) => toEndpoints(place, explanations[index]))
  return { explanations, endpoints: [...soap, ...rest.endpoints], notes: [...notes, ...rest.warnings] }
}

/** As boot/ingest names them. */
function toEndpoints(place: string, explanation: Explanation | undefined): readonly string[] {
  const [owner, subsystem] = place.split('/')
  const prefix = subsystem === undefined ? '' : `${subsystem}-`
  const generated = (explanation?.operations ?? []).filter(({ outcome }) => outcome === 'generated')
  return generated.map(({ name }) => `POST /${owner}/${prefix}${name}`)
}

function toCircumstances({ client, clients, wsdl }: Config): Circumstances {
  return { client, clients, allowHttp: wsdl.allowHttpUpstream, hostAllowlist: wsdl.upstreamHostAllowlist }
}

/** Endpoints that a WSDL in the same folder has already would stay its own. */
function refuseTaken(root: string, wsdls: readonly TakenWsdl[], circumstances: Circumstances): void {
  const there = listWsdls(root).wsdls
  for (const { place, name, wsdl } of wsdls) {
    const own = posix.join(place, name)
    const names = namesOf(wsdl)
    for (const { file } of there.filter((each) => posix.dirname(each.file) === place && each.file !== own)) {
      const { operations } = surveyWsdl(root, file, circumstances)
      const double = operations.find((each) => each.kind === 'generated' && names.includes(each.name))
      if (double === undefined) continue
      throw new AddProblem(
        `${join(root, file)} has the operation ${double.name} already; --owner ${place.split('/')[0]}/NAME puts this WSDL into a ` +
          'folder of its own, such as that of its version',
      )
    }
  }
}

/** A WSDL without any endpoint is of no use: the user learns why, and finds nothing to clear away. */
function explainWsdls(root: string, wsdls: readonly TakenWsdl[], circumstances: Circumstances): readonly Explanation[] {
  const explanations = explain(
    wsdls.map(({ place, name }) => ({ root, file: posix.join(place, name) })),
    circumstances,
  )
  for (const { file, problem, operations, warnings } of explanations) {
    if (problem !== undefined) throw new AddProblem(warnings[0] ?? `${file}: ${problem}`)
    if (operations.some(({ outcome }) => outcome === 'generated')) continue
    const [first] = operations
    const why = first === undefined ? '' : `; ${first.name} ${first.words}`
    throw new AddProblem(`${file}: none of its ${operations.length} operations can be called${why}`)
  }
  return explanations
}
