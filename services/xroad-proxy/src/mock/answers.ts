/**
 * The folder of answers: a service code in, the file that answers it or describes it out. Checked with every request,
 * so that files can be written and changed while the mock runs; unchanged files are served from memory.
 */
import { type BigIntStats, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface AnswerFile {
  readonly name: string
  /** Content-Type by the extension. */
  readonly type: string
  readonly content: Buffer
}

export const contentTypes: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  html: 'text/html; charset=utf-8',
  bin: 'application/octet-stream',
}

/** Descriptions of services, which are not answers of theirs. */
const descriptionTypes: Readonly<Record<string, string>> = {
  wsdl: 'text/xml',
  yaml: 'text/yaml; charset=utf-8',
  json: 'application/json; charset=utf-8',
}
const openApi = /^(.+)\.openapi\.(?:yaml|json)$/
/** A version has a digit in front, or a `v` and a digit: what else is between dots belongs to the code. */
const wsdl = /^(.+?)(?:\.(v?\d[^/]*))?\.wsdl$/

/**
 * Is on a list of allowed methods that the mock makes itself: services without a file are not in it, and are
 * answered nevertheless.
 */
export const answersAll: readonly [name: string, value: string] = ['X-Mock-Answers', 'every service']

/** What no file name may hold on one system or another, and so no service code that has a file. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unsafeName = /^\.|[/\\:*?"<>|\u0000-\u001F\u007F]/
const maxNameLength = 200
/** Two changes within one tick of the file system's clock look the same, so what is so young is read again. */
const unsettledMs = 100n

interface Entry<T> {
  readonly stamp: string
  readonly value: T
}

export class Answers {
  readonly folder: string
  #names: Entry<ReadonlySet<string>> | undefined
  readonly #files = new Map<string, Entry<Buffer>>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** `<code>.xml`. */
  forSoap(serviceCode: string): AnswerFile | undefined {
    return this.#find(serviceCode, ['xml'])
  }

  /** `<code>.<METHOD>.<extension>`, or else `<code>.<extension>`. */
  forRest(serviceCode: string, method: string): AnswerFile | undefined {
    const extensions = Object.keys(contentTypes)
    return this.#find(`${serviceCode}.${method}`, extensions) ?? this.#find(serviceCode, extensions)
  }

  /** `<code>.<version>.wsdl`, or else `<code>.wsdl`, which is there for every version. */
  wsdlOf(serviceCode: string, version: string): AnswerFile | undefined {
    const own = version === '' ? undefined : this.#find(`${serviceCode}.${version}`, ['wsdl'], descriptionTypes)
    return own ?? this.#find(serviceCode, ['wsdl'], descriptionTypes)
  }

  /** Services that have a WSDL; the version is empty for a file without one. */
  wsdls(): readonly { readonly code: string; readonly version: string }[] {
    return [...this.#list()].flatMap((name) => {
      const [, code = '', version = ''] = wsdl.exec(name) ?? []
      return code === '' || unsafeName.test(name) ? [] : [{ code, version }]
    })
  }

  /** `<code>.openapi.yaml`, or else `<code>.openapi.json`. */
  openApiOf(serviceCode: string): AnswerFile | undefined {
    return this.#find(`${serviceCode}.openapi`, ['yaml', 'json'], descriptionTypes)
  }

  /** Service codes that have an OpenAPI description. */
  openApiCodes(): readonly string[] {
    return [...this.#list()].flatMap((name) => openApi.exec(name)?.[1] ?? []).filter((code) => !unsafeName.test(code))
  }

  /** Service codes that have a file of one of the extensions, sorted. */
  serviceCodes(extensions: readonly string[]): readonly string[] {
    const codes = [...this.#list()].flatMap((name) => {
      if (openApi.test(name)) return []
      const [, code = '', extension = ''] = /^(.+?)(?:\.[A-Z]+)?\.(\w+)$/.exec(name) ?? []
      return extensions.includes(extension) && !unsafeName.test(code) ? [code] : []
    })
    return [...new Set(codes)].sort()
  }

  #find(stem: string, extensions: readonly string[], types = contentTypes): AnswerFile | undefined {
    if (stem.length > maxNameLength || unsafeName.test(stem)) return undefined
    const names = this.#list()
    for (const extension of extensions) {
      const name = `${stem}.${extension}`
      const content = names.has(name) ? this.#read(name) : undefined
      if (content !== undefined) return { name, type: types[extension] as string, content }
    }
    return undefined
  }

  #list(): ReadonlySet<string> {
    const stats = statSync(this.folder, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined || !stats.isDirectory()) return new Set()
    const stamp = stampOf(stats)
    if (this.#names?.stamp === stamp) return this.#names.value
    const value = new Set(readdirSync(this.folder))
    this.#names = isSettled(stats) ? { stamp, value } : undefined
    return value
  }

  #read(name: string): Buffer | undefined {
    const path = join(this.folder, name)
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile()) return undefined
    const stamp = stampOf(stats)
    const known = this.#files.get(name)
    if (known?.stamp === stamp) return known.value
    const value = readFileSync(path)
    if (isSettled(stats)) this.#files.set(name, { stamp, value })
    else this.#files.delete(name)
    return value
  }
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`
}

function isSettled({ mtimeMs, ctimeMs }: BigIntStats): boolean {
  const youngest = mtimeMs > ctimeMs ? mtimeMs : ctimeMs
  return BigInt(Date.now()) - youngest > unsettledMs
}
