/**
 * What became of the WSDL files at an earlier start, kept below `dsl_path` in a folder that no walk looks at, so that a
 * start reads and compares what it would otherwise work out again: a file is remembered as long as its bytes, those of
 * all files that it draws in, its sidecar, the rules for addresses, our identity and this program are the same. The
 * folder may be deleted at any time; what is in it is not trusted beyond these digests. Texts of DSL files stay where
 * they are.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupFailure } from '../../errors.ts'
import { finish, type Steps } from '../../steps.ts'
import type { Resolve } from '../../wsdl/schema/schema.ts'
import { besideWsdl } from '../../wsdl/schema/vendored.ts'
import { version } from '../../version.ts'
import { writeWhole } from './whole-file.ts'
import type { Circumstances } from './destination.ts'
import { readInsideIfAny, resolveBeside } from './files.ts'
import { type GeneratedOperation, type SurveyedWsdl, surveyWsdlInSteps } from './survey.ts'

export const memoryFolder = '.xroad-proxy'

/** The file that keeps what requests to the operations of a WSDL may hold. */
export function contractsName(wsdl: string): string {
  return `${memoryName(wsdl)}.contracts`
}

function memoryName(wsdl: string): string {
  return digestOf(wsdl).slice(0, 32)
}

/** Where an include or import led, by the digest of the file. */
interface Question {
  readonly location: string
  readonly from: string
  readonly file: string
  readonly digest: string
}

interface Remembered {
  readonly key: string
  readonly questions: readonly Question[]
  readonly surveyed: Omit<SurveyedWsdl, 'operations'> & { readonly operations: readonly RememberedOperation[] }
}

/** Read just now. */
interface Fresh extends Pick<Remembered, 'questions'> {
  readonly surveyed: SurveyedWsdl
  readonly key: string | undefined
}

type RememberedOperation =
  | Pick<GeneratedOperation, 'kind' | 'name' | 'file' | 'line' | 'lane' | 'mismatch' | 'digest'>
  | Exclude<SurveyedWsdl['operations'][number], GeneratedOperation>

export class SurveyMemory {
  /** Of all that was surveyed so far, by WSDL: the same for the same files. */
  readonly keys = new Map<string, string>()
  readonly #root: string
  readonly #folder: string
  readonly #circumstances: Circumstances
  readonly #common: string
  readonly #current = new Set<string>()

  constructor(root: string, dslPath: string, circumstances: Circumstances) {
    this.#root = root
    this.#folder = join(dslPath, memoryFolder)
    this.#circumstances = circumstances
    const { client, clients = [], allowHttp, hostAllowlist } = circumstances
    const named = clients.map(({ name, identity }) => [name, identity])
    this.#common = JSON.stringify([programDigest(), root, client, named, allowHttp, hostAllowlist])
  }

  *survey(file: string): Steps<SurveyedWsdl> {
    const name = `${memoryName(file)}.json`
    this.#current.add(name).add(contractsName(file))
    const own = this.#keyOf(file)
    const known = own === undefined ? undefined : this.#recall(name, file, own)
    if (known !== undefined) return known
    const { surveyed, key, questions } = yield* this.#surveyAnew(file)
    // Neither key stands for what was read while it was written.
    const isSteady = own === key
    if (own !== undefined && isSteady && surveyed.isRead)
      this.#remember(name, { key: own, questions, surveyed: toRemembered(surveyed) })
    this.keys.set(file, `${file} ${isSteady ? (own ?? '') : randomUUID()} ${digestOf(JSON.stringify(questions))}`)
    return surveyed
  }

  /** The key is that of the file when it had been read. */
  *#surveyAnew(file: string): Steps<Fresh> {
    const questions: Question[] = []
    const surveyed = yield* surveyWsdlInSteps(this.#root, file, this.#circumstances, recording(questions))
    return { surveyed, questions, key: this.#keyOf(file) }
  }

  /** Removes what is remembered of files that are gone. Only tidying. */
  tidy(): void {
    try {
      const names = readdirSync(this.#folder).filter(
        (name) => /^[0-9a-f]{32}\.(?:json|contracts)$/.test(name) && !this.#current.has(name),
      )
      for (const name of names) rmSync(join(this.#folder, name), { force: true })
    } catch {
      // Nothing is remembered, or it cannot be removed.
    }
  }

  /** Undefined for a file that cannot be read, of which the survey tells. */
  #keyOf(file: string): string | undefined {
    try {
      const bytes = readInsideIfAny(this.#root, file)
      const sidecar = readInsideIfAny(this.#root, besideWsdl(file, '.meta.yaml'))
      if (bytes === undefined) return undefined
      return digestOf(
        JSON.stringify([this.#common, file, digestOf(bytes), sidecar === undefined ? '' : digestOf(sidecar)]),
      )
    } catch {
      return undefined
    }
  }

  #recall(name: string, file: string, key: string): SurveyedWsdl | undefined {
    try {
      const known = JSON.parse(readFileSync(join(this.#folder, name), 'utf8')) as Remembered
      if (known.key !== key) return undefined
      const resolve = resolveBeside(this.#root, file)
      if (!known.questions.every((question) => isSame(question, resolve))) return undefined
      this.keys.set(file, `${file} ${key} ${digestOf(JSON.stringify(known.questions))}`)
      return this.#revive(file, known)
    } catch {
      return undefined
    }
  }

  /**
   * What a file of the memory does not hold is worked out when somebody asks for it, once for each WSDL. By then the
   * files may be other ones: an operation of the same name that has changed would have the DSL file of one look and the
   * types of another.
   */
  #revive(file: string, { surveyed, key, questions }: Remembered): SurveyedWsdl {
    let fresh: ReadonlyMap<string, GeneratedOperation> | undefined
    const readAgain = this.#surveyAnew.bind(this, file)
    function* prepare(): Steps<void> {
      if (fresh !== undefined) return
      const found = yield* readAgain()
      const isUnchanged = found.key === key && JSON.stringify(found.questions) === JSON.stringify(questions)
      const operations = isUnchanged ? found.surveyed.operations : []
      fresh = new Map(
        operations.flatMap((operation) =>
          operation.kind === 'generated' ? [[operation.name, operation] as const] : [],
        ),
      )
    }
    const find = (name: string): GeneratedOperation => {
      finish(prepare())
      const found = fresh?.get(name)
      if (found === undefined) throw changedMeanwhile(join(this.#root, file))
      return found
    }
    const operations = surveyed.operations.map((operation) =>
      operation.kind === 'skipped' ? operation : { ...operation, open: () => find(operation.name).open(), prepare },
    )
    return { ...surveyed, problem: surveyed.problem ?? undefined, operations }
  }

  #remember(name: string, remembered: Remembered): void {
    // A folder that cannot be written to is reported where DSL files are written.
    void writeWhole(join(this.#folder, name), JSON.stringify(remembered))
  }
}

/** A person is writing it at this moment. */
function changedMeanwhile(path: string): StartupFailure {
  const problem = 'changed while it was read; when it is whole, start the service or send SIGHUP once more'
  return new StartupFailure('wsdl_lost', `${path}: ${problem}`)
}

function toRemembered(surveyed: SurveyedWsdl): Remembered['surveyed'] {
  const operations = surveyed.operations.map((operation) => {
    if (operation.kind === 'skipped') return operation
    const { kind, name, file, line, lane, mismatch, digest } = operation
    return { kind, name, file, line, lane, mismatch, digest }
  })
  return { ...surveyed, operations }
}

function recording(questions: Question[]): (resolve: Resolve) => Resolve {
  return (resolve) => (location, from) => {
    const found = resolve(location, from)
    questions.push({
      location,
      from,
      file: found?.file ?? '',
      digest: found === undefined ? '' : digestOf(found.bytes),
    })
    return found
  }
}

function isSame({ location, from, file, digest }: Question, resolve: Resolve): boolean {
  const found = resolve(location, from)
  return found === undefined ? file === '' : found.file === file && digestOf(found.bytes) === digest
}

let program: string | undefined

/** Of the sources that make DSL files and descriptions, or of the build: another version may make others. */
export function programDigest(): string {
  const build = new URL('../../build.json', import.meta.url)
  program ??= digestOf([version, ...(existsSync(build) ? [digestOf(readFileSync(build))] : sources())].join('\n'))
  return program
}

function sources(): string[] {
  return ['../../wsdl/', '../', '../../guard/', '../../soap/'].flatMap((room) => {
    const folder = new URL(room, import.meta.url)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    return names.sort().map((name) => digestOf(readFileSync(join(fileURLToPath(folder), name))))
  })
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
