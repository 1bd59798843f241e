/**
 * A WSDL that is to be added -> all files that belong to it, in memory: the WSDL, what it includes (read beside it, or
 * fetched as `wsdl vendor` does), the list of what was fetched, a sidecar. What cannot be had is an `AddProblem`;
 * nothing is written here.
 */
import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { FileProblem, readInside } from '../../boot/ingest/files.ts'
import { wsdlName } from '../../boot/ingest/folder.ts'
import { readWsdl, type Wsdl } from '../../wsdl/operations/operations.ts'
import { skipReasons } from '../../wsdl/operations/reasons.ts'
import { besideWsdl, writeVendored } from '../../wsdl/schema/vendored.ts'
import { WsdlError } from '../../wsdl/xml/xml.ts'
import { DownloadError, type Downloader } from '../download.ts'
import { Gathered } from '../shelf.ts'
import { digestOf, vendorInto } from '../vendor.ts'
import { AddProblem } from './add-problem.ts'
import type { NewFile } from './install.ts'

/** A WSDL as it was found. */
export interface FoundWsdl {
  /** What it will be called. */
  readonly name: string
  readonly bytes: Uint8Array
  /** The folder that it is in, where it is a file. */
  readonly source: string | undefined
  /** Where it was fetched from, for what is relative in it. */
  readonly url: string | undefined
}

/** A WSDL with its place. */
export interface IncomingWsdl extends FoundWsdl {
  /** Folder below the directory: of an owner, or of a subsystem in it. */
  readonly place: string
  readonly sidecar: string
}

/** A file, of any name, read through links. */
export function takeFile(path: string): FoundWsdl {
  try {
    const file = realpathSync(path)
    if (lstatSync(file).isDirectory()) throw new FileProblem('is a folder; name one WSDL file')
    const bytes = readInside(dirname(file), basename(file))
    return { name: toName(basename(path)), bytes, source: dirname(file), url: undefined }
  } catch (error) {
    if (error instanceof FileProblem) throw new AddProblem(`${path} ${error.message}`)
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    throw new AddProblem(`${path} ${isMissing ? 'does not exist' : `cannot be read (${code})`}`)
  }
}

/** `fallback` is the name where the address has none. */
export async function takeUrl(address: string, fallback: string, downloader: Downloader): Promise<FoundWsdl> {
  try {
    const bytes = await downloader.get(address)
    const url = new URL(address)
    url.hash = ''
    const last = url.pathname.slice(url.pathname.lastIndexOf('/') + 1)
    return { name: toName(safeName(last) || fallback), bytes, source: undefined, url: url.href }
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error
    throw new AddProblem(`${withoutPassword(address)} ${error.message}`)
  }
}

/** An address as it may be shown. */
export function withoutPassword(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, '//')
}

/** What others have named, as a name that leads nowhere else; empty where nothing is left. */
function safeName(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, maxNameCharacters)
}

const maxNameCharacters = 100

/** The same for a service: what cannot be in a name is distinguished by a digest. */
export function fileNameOf(service: string): string {
  const safe = safeName(service)
  if (safe === service && /^[A-Za-z0-9_]/.test(safe)) return safe
  return `service_${safe.slice(0, 80)}_${digestOf(Buffer.from(service)).slice(0, 8)}`
}

/** Names that the service reads end in `.wsdl`. */
function toName(name: string): string {
  const wsdl = `${name.replace(/\.(?:wsdl|xml)$/i, '')}.wsdl`
  return wsdlName.test(wsdl) ? wsdl : `${safeName(wsdl.slice(0, -'.wsdl'.length)) || 'service'}.wsdl`
}

/** `subject` is where it comes from, for people. */
export function checkWsdl({ bytes, name }: Pick<FoundWsdl, 'bytes' | 'name'>, subject: string): Wsdl {
  const wsdl = tryRead(bytes, name, subject)
  const isVersion2 = wsdl.operations.some((operation) => operation.kind === 'skipped' && operation.reason === 'wsdl_2')
  if (isVersion2) throw new AddProblem(`${subject} ${skipReasons.wsdl_2}`)
  return wsdl
}

function tryRead(bytes: Uint8Array, name: string, subject: string): Wsdl {
  try {
    return readWsdl(bytes, name, () => undefined)
  } catch (error) {
    if (!(error instanceof WsdlError)) throw error
    throw new AddProblem(`${subject}:${error.line}: ${error.message}`)
  }
}

export interface Files {
  readonly files: readonly NewFile[]
  /** By file: where it was fetched from. */
  readonly origins: ReadonlyMap<string, string>
}

/** `root` is the directory of WSDL files. */
export async function gather(wsdls: readonly IncomingWsdl[], root: string, downloader: Downloader): Promise<Files> {
  const shelves = new Map<string, Gathered>()
  const own = new Set<string>()
  const origins = new Map<string, string>()
  for (const wsdl of wsdls) {
    const { place, name, source, url } = wsdl
    const shelf = shelves.get(place) ?? new Gathered({ source, target: join(root, place), place })
    shelves.set(place, shelf)
    const list = besideWsdl(name, '.vendor.json')
    if (url !== undefined) shelf.write(list, writeVendored([{ url, file: name, sha256: digestOf(wsdl.bytes) }]))
    const isInPlace = source !== undefined && join(source, name) === realPathOf(join(root, place, name))
    for (const each of isInPlace ? [] : [name, list]) own.add(posix.join(place, each))
    for (const [file, origin] of await follow(wsdl, shelf, downloader)) origins.set(posix.join(place, file), origin)
    for (const file of shelf.files.keys()) {
      // An imported WSDL is one of the folder too: without a sidecar its own address would be called.
      if (!file.endsWith('.wsdl')) continue
      const sidecar = besideWsdl(file, '.meta.yaml')
      if (shelf.files.has(sidecar)) continue
      shelf.write(sidecar, wsdl.sidecar)
      own.add(posix.join(place, sidecar))
    }
  }
  const files = [...shelves].flatMap(([place, shelf]) =>
    Array.from(shelf.files, ([name, content]): NewFile => {
      const file = posix.join(place, name)
      return { file, content, isShared: !own.has(file) }
    }),
  )
  return { files, origins }
}

/** The lists of downloads that are there, as one text: names of what is fetched are chosen beside those in them. */
export function listsBeside(wsdls: readonly IncomingWsdl[], root: string): string {
  const places = [...new Set(wsdls.map(({ place }) => place))]
  return places
    .map((place) => new Gathered({ source: undefined, target: join(root, place), place }).otherLists('').join(''))
    .join('')
}

/** The path without links; itself where there is nothing. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Puts the WSDL and all that it includes on the shelf. Names of files that were fetched, with their addresses. */
async function follow(
  { name, bytes, source, url }: IncomingWsdl,
  shelf: Gathered,
  downloader: Downloader,
): Promise<readonly (readonly [file: string, origin: string])[]> {
  shelf.write(name, bytes)
  const before = new Set(shelf.files.keys())
  const steps = await vendorInto(shelf, name, downloader)
  const failed = steps.filter(({ outcome }) => outcome === 'failed')
  if (failed.length > 0) throw new AddProblem(tellMissing(failed, source !== undefined || url !== undefined))
  const fetched = steps.filter(({ outcome }) => outcome === 'fetched')
  const added = [...shelf.files.keys()].filter((file) => !before.has(file))
  return [
    ...(url === undefined ? [] : [[name, url] as const]),
    ...fetched.flatMap(({ subject, detail }) => {
      const file = added.find((each) => shelf.pathOf(each) === subject)
      return file === undefined ? [] : [[file, detail] as const]
    }),
  ]
}

const maxTold = 3

function tellMissing(
  failed: readonly { readonly subject: string; readonly detail: string }[],
  hasPlace: boolean,
): string {
  const told = failed.slice(0, maxTold).map(({ subject, detail }) => `${subject} ${detail}`)
  const more = failed.length > maxTold ? [`and ${failed.length - maxTold} more`] : []
  const cure = hasPlace
    ? 'put it beside the WSDL, and add the WSDL from there'
    : 'a Security Server gives a WSDL alone: get both from the provider, and add the WSDL as a file'
  const count = failed.length === 1 ? 'a file that the WSDL includes' : `${failed.length} files that the WSDL includes`
  return `${count} cannot be had: ${[...told, ...more].join('; ')}; ${cure}`
}
