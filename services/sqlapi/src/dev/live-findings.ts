/**
 * What is to be said of the files as they change, told once: a block for a file of which there is something new to say, a line for
 * one that is mended. A file with findings is asked about again with each change, because its cure may be made elsewhere.
 */
import { checkFiles, toFinding } from '../check/check.ts'
import type { Project } from '../check/project.ts'
import type { FileRefusal } from '../boot/file-refusal.ts'
import { compareFindings, type Finding } from '../findings/finding.ts'
import { severityOf } from '../findings/weights.ts'
import { toFileBlock, toMendedLine } from '../findings/text-report.ts'

/** The files at one moment. */
export interface FilesNow {
  readonly project: Project
  readonly refusals: readonly FileRefusal[]
  /** Below `sql_dir`. */
  readonly changed: readonly string[]
}

/** By file, as a person names it. */
type ByFile = ReadonlyMap<string, readonly Finding[]>

export interface FindingsOutput {
  /** Whole lines. */
  readonly write: (text: string) => void
  readonly colours: boolean
}

export class LiveFindings {
  readonly #output: FindingsOutput
  #told: ByFile = new Map()
  #hindrance = ''
  #next: FilesNow | undefined
  #telling: Promise<void> | undefined

  constructor(output: FindingsOutput) {
    this.#output = output
  }

  /** Tells what is new of them, after what is being told now. */
  update(files: FilesNow): void {
    const left = this.#next?.changed ?? []
    this.#next = { ...files, changed: [...left, ...files.changed] }
    this.#telling ??= this.#tellAll().finally(() => (this.#telling = undefined))
  }

  /** Settles when nothing is being told. */
  async settled(): Promise<void> {
    await this.#telling
  }

  async #tellAll(): Promise<void> {
    for (let files = this.#next; files !== undefined; files = this.#next) {
      this.#next = undefined
      await this.#tell(files)
    }
  }

  async #tell({ project, refusals, changed }: FilesNow): Promise<void> {
    const isDue = this.#isDue(project, changed)
    const endpoints = new Map(Array.from(project.endpoints).filter(([, { file }]) => isDue(file)))
    const refused = toByFile(refusals.flatMap((refusal) => toFindings(refusal, project)))
    this.#write(refused)
    const { findings, hindrances } = await checkFiles({ ...project, endpoints })
    const files = new Set(Array.from(project.endpoints.values(), ({ file }) => file).filter((file) => !isDue(file)))
    const kept = Array.from(files, (file) => project.shown(file)).flatMap((file) => this.#told.get(file) ?? [])
    const now = toByFile([...findings, ...kept, ...Array.from(refused.values()).flat()])
    this.#write(now)
    for (const file of this.#told.keys()) {
      if (!now.has(file)) this.#output.write(toMendedLine(file, this.#output.colours))
    }
    this.#told = now
    this.#tellHindrance(hindrances.join('\n'))
  }

  /** Those that have changed, and those of which there was something to say. */
  #isDue(project: Project, changed: readonly string[]): (file: string) => boolean {
    const due = new Set(changed)
    return (file) => due.has(file) || this.#told.has(project.shown(file))
  }

  /** What was not told in these words. */
  #write(findings: ByFile): void {
    const told = new Map(this.#told)
    for (const [file, own] of findings) {
      if (JSON.stringify(told.get(file)) === JSON.stringify(own)) continue
      told.set(file, own)
      this.#output.write(toFileBlock(file, own, this.#output.colours))
    }
    this.#told = told
  }

  #tellHindrance(hindrance: string): void {
    if (hindrance !== '' && hindrance !== this.#hindrance) this.#output.write(`not checked: ${hindrance}\n`)
    this.#hindrance = hindrance
  }
}

function toByFile(findings: readonly Finding[]): ByFile {
  return Map.groupBy(findings.toSorted(compareFindings), ({ file }) => file)
}

/** One for each of the files. */
function toFindings({ files, problem, cure, message }: FileRefusal, { shown, weights }: Project): Finding[] {
  const told = files.length === 1 ? problem : message.slice(0, message.lastIndexOf(';'))
  const remark = { code: 'unloadable', line: 1, column: 1, message: told, cure } as const
  const severity = severityOf(remark, weights)
  return severity === undefined ? [] : files.map((file) => toFinding(remark, { severity, file: shown(file), text: '' }))
}
