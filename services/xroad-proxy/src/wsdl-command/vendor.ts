/**
 * `wsdl vendor`: fetches the schema files that a WSDL names by URL, and those that they name in turn, to the folder of
 * the WSDL. Lists them with their digests in `<name>.vendor.json`; a later run compares and fetches only what is
 * missing. Never changes a file that is already there.
 */
import { createHash } from 'node:crypto'
import { join, posix } from 'node:path'
import { FileProblem, nearFile } from '../boot/ingest/files.ts'
import { removeDownloads } from '../boot/ingest/leftovers.ts'
import { besideWsdl, readVendored, type VendoredFile, writeVendored } from '../wsdl/schema/vendored.ts'
import { WsdlError } from '../wsdl/xml/xml.ts'
import { DownloadError, type Downloader } from './download.ts'
import { readLocations } from './locations.ts'
import type { FoundWsdl } from './paths.ts'
import { onDisk, type Shelf } from './shelf.ts'

/** What became of one file. `detail` is for people. */
export interface VendorStep {
  readonly outcome: 'fetched' | 'unchanged' | 'present' | 'failed'
  /** File or address. */
  readonly subject: string
  readonly detail: string
}

/** Of all files of one WSDL. */
const limits = { totalBytes: 64 * 1024 * 1024, files: 500, seconds: 600 }

const tooMany = `is one of more than ${limits.files} files`

export async function vendor({ root, file }: FoundWsdl, downloader: Downloader): Promise<readonly VendorStep[]> {
  removeDownloads(join(root, posix.dirname(file)))
  return vendorInto(onDisk(root), file, downloader)
}

/** The same for a WSDL that is on a shelf. */
export async function vendorInto(shelf: Shelf, wsdl: string, downloader: Downloader): Promise<readonly VendorStep[]> {
  const run = new VendorRun(shelf, wsdl, downloader)
  await run.all()
  return run.steps
}

/** A file whose locations are still to be followed; `url` is where it came from, for what is relative in it. */
interface Document {
  readonly file: string
  readonly bytes: Uint8Array
  readonly url: string | undefined
}

class VendorRun {
  readonly steps: VendorStep[] = []
  readonly #shelf: Shelf
  readonly #wsdl: string
  readonly #list: string
  readonly #downloader: Downloader
  readonly #queue: Document[] = []
  readonly #seen = new Set<string>()
  /** By address; what an earlier run has brought, then what this one has. */
  readonly #pinned = new Map<string, VendoredFile>()
  /** What was brought for other WSDLs of the folder. */
  #others: readonly VendoredFile[] = []
  readonly #until = performance.now() + limits.seconds * 1000
  #fetchedBytes = 0

  constructor(shelf: Shelf, wsdl: string, downloader: Downloader) {
    this.#shelf = shelf
    this.#wsdl = wsdl
    this.#list = besideWsdl(wsdl, '.vendor.json')
    this.#downloader = downloader
  }

  async all(): Promise<void> {
    try {
      this.#readList()
      // One that was fetched itself names its schemas from where it came.
      const own = [...this.#pinned.values()].find(({ file }) => file === posix.basename(this.#wsdl))
      this.#queue.push({ file: this.#wsdl, bytes: this.#shelf.read(this.#wsdl), url: own?.url })
    } catch (error) {
      this.#fail(this.#shelf.pathOf(this.#wsdl), problemOf(error))
      return
    }
    const before = writeVendored([...this.#pinned.values()])
    for (const document of this.#queue) await this.#follow(document)
    const after = writeVendored([...this.#pinned.values()])
    if (this.#pinned.size === 0 || after === before) return
    const failure = this.#shelf.write(this.#list, after)
    if (failure !== undefined) this.#fail(this.#shelf.pathOf(this.#list), `cannot be written (${failure})`)
  }

  #readList(): void {
    const bytes = this.#shelf.readIfAny(this.#list)
    const files = bytes === undefined ? [] : readVendored(Buffer.from(bytes).toString())
    if (files === undefined)
      throw new FileProblem(`has a list ${this.#list} that cannot be read; correct it or remove it`)
    for (const each of files) this.#pinned.set(each.url, each)
    this.#others = this.#shelf.otherLists(this.#list).flatMap((text) => readVendored(text) ?? [])
  }

  async #follow({ file, bytes, url }: Document): Promise<void> {
    let locations: readonly string[]
    try {
      locations = readLocations(bytes)
    } catch (error) {
      this.#fail(this.#shelf.pathOf(file), problemOf(error))
      return
    }
    for (const location of locations) {
      const target = /^https?:\/\//i.test(location) ? URL.parse(location) : URL.parse(location, url)
      if (target !== null) await this.#bring(target)
      else this.#readNear(location, file)
    }
  }

  /** Written beside the WSDL by its owner; it may lead to the network in turn. */
  #readNear(location: string, from: string): void {
    const file = posix.join(posix.dirname(from), location)
    if (this.#seen.has(file)) return
    this.#seen.add(file)
    const { place } = this.#shelf
    const isRead = nearFile(posix.join(place, this.#wsdl), posix.join(place, from), location) !== undefined
    try {
      if (!isRead) throw new FileProblem(whyNotRead(location, place))
      if (this.#seen.size > limits.files) throw new FileProblem(tooMany)
      this.#queue.push({ file, bytes: this.#shelf.read(file), url: undefined })
    } catch (error) {
      this.#fail(location, `named in ${this.#shelf.pathOf(from)}, ${problemOf(error)}`)
    }
  }

  async #bring(target: URL): Promise<void> {
    target.hash = ''
    const url = target.href
    if (this.#seen.has(url)) return
    this.#seen.add(url)
    try {
      if (this.#seen.size > limits.files) throw new DownloadError(tooMany)
      if (performance.now() > this.#until) throw new DownloadError(`was not fetched: ${limits.seconds} s are over`)
      const name = this.#pinned.get(url)?.file ?? this.#freeName(target)
      const file = posix.join(posix.dirname(this.#wsdl), name)
      const found = this.#shelf.readIfAny(file)
      const bytes = found === undefined ? await this.#fetch(url, name, file) : this.#compare(url, file, found)
      this.#queue.push({ file, bytes, url })
    } catch (error) {
      this.#fail(url, problemOf(error))
    }
  }

  async #fetch(url: string, name: string, file: string): Promise<Uint8Array> {
    const bytes = await this.#downloader.get(url)
    this.#fetchedBytes += bytes.length
    if (this.#fetchedBytes > limits.totalBytes) {
      throw new DownloadError(`makes the files of this WSDL larger than ${limits.totalBytes} bytes`)
    }
    // An error page with status 200 is not a schema, and is not kept.
    readLocations(bytes)
    const sha256 = digestOf(bytes)
    const pinned = this.#pinned.get(url)
    if (pinned !== undefined && pinned.sha256 !== sha256) {
      throw new DownloadError(`has changed since it was listed in ${this.#list}; remove its entry to take the new one`)
    }
    const path = this.#shelf.pathOf(file)
    const failure = this.#shelf.write(file, bytes)
    if (failure !== undefined) throw new DownloadError(`cannot be written to ${path} (${failure})`)
    this.#pinned.set(url, { url, file: name, sha256 })
    this.steps.push({ outcome: 'fetched', subject: path, detail: `${url} (${bytes.length} bytes)` })
    return bytes
  }

  #compare(url: string, file: string, bytes: Uint8Array): Uint8Array {
    const path = this.#shelf.pathOf(file)
    const pinned = this.#pinned.get(url)
    if (pinned === undefined) {
      this.steps.push({
        outcome: 'present',
        subject: path,
        detail: `taken for ${url}; this command did not fetch it`,
      })
    } else if (pinned.sha256 === digestOf(bytes)) {
      this.steps.push({ outcome: 'unchanged', subject: path, detail: url })
    } else {
      throw new DownloadError(`was fetched to ${path}, which has been changed since; remove the file to fetch it again`)
    }
    return bytes
  }

  /** The last part of the address; with a digest of the address where that does not tell it from others. */
  #freeName({ pathname, search, href }: URL): string {
    const last = pathname
      .slice(pathname.lastIndexOf('/') + 1)
      .replaceAll(/[^A-Za-z0-9._-]/g, '_')
      .replace(/^\.+/, '')
    const stem = last.replace(/\.xsd$/i, '').slice(0, maxStemCharacters) || 'schema'
    const known = [...this.#pinned.values(), ...this.#others]
    const isTaken = known.some((entry) => entry.file === `${stem}.xsd` && entry.url !== href)
    return search === '' && !isTaken ? `${stem}.xsd` : `${stem}-${digestOf(Buffer.from(href)).slice(0, 8)}.xsd`
  }

  #fail(subject: string, detail: string): void {
    this.steps.push({ outcome: 'failed', subject, detail })
  }
}

function whyNotRead(location: string, place: string): string {
  if (!/(?:^|\/)\.\.\//.test(location)) return 'has a name that the service does not read'
  const hint = place === '' || place.includes('/') ? '' : '; a WSDL in <owner>/<subsystem>/ may name files in <owner>/'
  return `leads out of the folder of the owner, where the service does not follow${hint}`
}

const maxStemCharacters = 100

/** SHA-256 in hexadecimal digits, as the list of fetched files has it. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function problemOf(error: unknown): string {
  if (error instanceof WsdlError) return `cannot be used: line ${error.line}: ${error.message}`
  if (error instanceof FileProblem || error instanceof DownloadError) return error.message
  throw error
}
