/**
 * Texts of DSL files -> the DSL directory. Replaces generated files that differ, leaves files written by hand alone,
 * and removes files whose operation is gone. Of a WSDL it knows only the name.
 */
import { createHash } from 'node:crypto'
import { readFileSync, unlinkSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path'
import { StartupFailure } from '../../errors.ts'
import type { Steps } from '../../steps.ts'
import { isGenerated, sourceOf } from '../../wsdl/dsl/marker.ts'
import { readDsl } from '../dsl/dsl.ts'
import type { PendingFiles } from '../dsl/endpoints.ts'
import { listDslFiles, maxDslBytes } from '../dsl/tree.ts'
import { writeWhole } from './whole-file.ts'

/** What keeps a DSL file from being written, besides what keeps its text from being made: code -> words. */
export const outputReasons = {
  hand_written: 'has a DSL file that was written by hand, which is used',
  taken: 'has the DSL file of an operation of another WSDL',
  not_loadable: 'has a text that this service could not read',
  not_written: 'has a DSL file that cannot be written',
} as const

export type OutputReason = keyof typeof outputReasons

/** `written` says whether the file holds the text now, or would after a run that writes. */
export type Outcome =
  | { readonly kind: 'written'; readonly path: string }
  | { readonly kind: 'refused'; readonly reason: OutputReason; readonly detail: string }

/** The text of a DSL file, which is only asked for where another one replaces it. */
export interface MadeText {
  /** SHA-256 in hex. */
  readonly digest: string
  read(): string
}

export interface OutputOptions {
  readonly dslPath: string
  /** False: everything is looked at and nothing changed. */
  readonly write: boolean
}

export class DslOutput {
  readonly #options: OutputOptions
  /** `/group/service` -> the files that give this endpoint. */
  readonly #existing: ReadonlyMap<string, readonly string[]>
  /** `/group/service` -> the WSDL that has it. */
  readonly #taken = new Map<string, string>()
  readonly #current = new Set<string>()
  readonly #pending = new Map<string, string | undefined>()

  constructor(options: OutputOptions) {
    this.#options = options
    this.#existing = Map.groupBy(listDslFiles(options.dslPath), urlOf)
  }

  put(group: string, service: string, wsdl: string, made: MadeText): Outcome {
    const path = join(this.#options.dslPath, group, `${service}.yml`)
    const url = `/${group}/${service}`
    const other = this.#taken.get(url)
    if (other !== undefined) return { kind: 'refused', reason: 'taken', detail: other }
    this.#taken.set(url, wsdl)
    const rival = this.#existing.get(url)?.find((file) => file !== path)
    if (rival !== undefined) return { kind: 'refused', reason: 'hand_written', detail: rival }
    const found = readIfAny(path)
    if (found !== undefined && digestOf(found) === made.digest) return this.#settled(path)
    if (found !== undefined && !isGenerated(found)) return { kind: 'refused', reason: 'hand_written', detail: path }
    const text = made.read()
    const problem = loadProblem(text, { file: path, group, service })
    if (problem !== undefined) return { kind: 'refused', reason: 'not_loadable', detail: problem }
    const failure = this.#options.write ? writeWhole(path, text) : this.#keep(path, text)
    this.#current.add(path)
    return failure === undefined
      ? { kind: 'written', path }
      : { kind: 'refused', reason: 'not_written', detail: failure }
  }

  /** Removes generated files of which `isGone` says so by the name of their WSDL. One WARN each comes back. */
  *removeRest(isGone: (wsdl: string) => boolean): Steps<readonly string[]> {
    const warnings: string[] = []
    for (const path of [...this.#existing.values()].flat().filter((path) => this.#isOurPlace(path))) {
      yield
      const text = this.#current.has(path) ? undefined : readIfAny(path)
      const source = text === undefined ? undefined : sourceOf(text)?.file
      if (source === undefined || !isGone(source)) continue
      const failure = this.#options.write ? remove(path) : this.#keep(path, undefined)
      warnings.push(
        failure === undefined
          ? `${path}: removed, as ${source} no longer generates it`
          : `${path}: its operation is gone from ${source}, and it cannot be removed (${failure})`,
      )
    }
    return warnings
  }

  /** What a run that writes would have changed. */
  get pending(): PendingFiles {
    return this.#pending
  }

  #keep(path: string, text: string | undefined): undefined {
    this.#pending.set(path, text)
  }

  #settled(path: string): Outcome {
    this.#current.add(path)
    return { kind: 'written', path }
  }

  /** `<group>/<service>.yml`, the only names that are ever generated. */
  #isOurPlace(path: string): boolean {
    return extname(path) === '.yml' && relative(this.#options.dslPath, path).split(sep).length === 2
  }
}

/** As endpoints.ts has it. */
function urlOf(path: string): string {
  return `/${basename(resolve(dirname(path)))}/${basename(path, extname(path))}`
}

/** The last one: a name of letters that take several bytes each, of which writing tells. */
const absent: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'])

/**
 * A text that is not UTF-8 is not one that this service wrote. Undefined when there is no file; empty for what cannot
 * be read.
 */
function readIfAny(path: string): string | undefined {
  try {
    return new TextDecoder().decode(readFileSync(path))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return absent.has(code) ? undefined : ''
  }
}

/** Asked of changed texts only: a file that stops the start must never be written. */
function loadProblem(text: string, place: { file: string; group: string; service: string }): string | undefined {
  if (Buffer.byteLength(text) > maxDslBytes) return `it is larger than ${maxDslBytes} bytes`
  try {
    readDsl(text, place)
    return undefined
  } catch (error) {
    if (error instanceof StartupFailure) return error.message
    throw error
  }
}

function remove(path: string): string | undefined {
  try {
    unlinkSync(path)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
