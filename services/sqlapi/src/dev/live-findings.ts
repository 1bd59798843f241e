/**
 * What to say about the files as they change, reported once: a block for a file of which there is something new to say,
 * a line for one that is repaired. A file with findings is asked about again with each change, because its cure may be
 * made elsewhere.
 */
import { setTimeout } from 'node:timers/promises'
import { checkFiles } from '../check/check.ts'
import type { Project } from '../check/project.ts'
import type { FileRefusal } from '../boot/file-refusal.ts'
import { compareFindings, type Finding } from '../findings/finding.ts'
import { toFileBlock, toMendedLine, toRefusalBlock } from '../findings/text-report.ts'

/** The files at one moment. */
export interface FilesNow {
  readonly project: Project
  readonly refusals: readonly FileRefusal[]
  /** Below `sql_dir`. */
  readonly changed: readonly string[]
}

/** Blocks of text by file, as a person names it. */
type Blocks = ReadonlyMap<string, string>

export interface FindingsOutput {
  /** Whole lines. */
  readonly write: (text: string) => void
  readonly colours: boolean
}

export class LiveFindings {
  readonly #output: FindingsOutput
  #told: Blocks = new Map()
  #hindrance = ''
  #next: FilesNow | undefined
  #isTelling = false

  constructor(output: FindingsOutput) {
    this.#output = output
  }

  /** Tells what is new of them, after what is being told now. */
  update(files: FilesNow): void {
    const left = this.#next?.changed ?? []
    this.#next = { ...files, changed: [...left, ...files.changed] }
    if (!this.#isTelling) void this.#tellAll()
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true
    for (let files = this.#next; files !== undefined; files = this.#next) {
      this.#next = undefined
      await this.#tell(files)
    }
    this.#isTelling = false
  }

  async #tell({ project, refusals, changed }: FilesNow): Promise<void> {
    const { colours } = this.#output
    const isDue = this.#isDue(project, changed)
    const endpoints = new Map(Array.from(project.endpoints).filter(([, { file }]) => isDue(file)))
    const refused = new Map(refusals.flatMap((refusal) => toRefusals(refusal, project, colours)))
    this.#write(refused)
    const checked = checkFiles({ ...project, endpoints })
    if (await takesLong(checked)) {
      const early = await checkFiles({ ...project, endpoints }, { offline: true })
      this.#write(new Map([...toBlocks(early.findings, colours), ...refused]))
    }
    const { findings, hindrances } = await checked
    const others = Array.from(project.endpoints.values()).filter(({ file }) => !isDue(file))
    const kept = others.flatMap(({ file }): [string, string][] => {
      const block = this.#told.get(project.shown(file))
      return block === undefined ? [] : [[project.shown(file), block]]
    })
    const now = new Map([...kept, ...toBlocks(findings, colours), ...refused])
    this.#write(now)
    for (const file of this.#told.keys()) if (!now.has(file)) this.#output.write(toMendedLine(file, colours))
    this.#told = now
    this.#tellHindrance(hindrances.join('\n'))
  }

  /** Those that have changed, and those of which there was something to say. */
  #isDue(project: Project, changed: readonly string[]): (file: string) => boolean {
    const due = new Set(changed)
    return (file) => due.has(file) || this.#told.has(project.shown(file))
  }

  /** What was not told in these words. */
  #write(blocks: Blocks): void {
    for (const [file, block] of blocks) if (this.#told.get(file) !== block) this.#output.write(block)
    this.#told = new Map([...this.#told, ...blocks])
  }

  #tellHindrance(hindrance: string): void {
    if (hindrance !== '' && hindrance !== this.#hindrance) this.#output.write(`not checked: ${hindrance}\n`)
    this.#hindrance = hindrance
  }
}

/** A database that lets one wait keeps nobody from what shows without it. */
const patienceMs = 300

function takesLong(work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => false), setTimeout(patienceMs, true)])
}

/** Infos are left out, as a start does: nothing has to be done about them. */
function toBlocks(findings: readonly Finding[], colours: boolean): Blocks {
  const told = findings.filter(({ severity }) => severity !== 'info').toSorted(compareFindings)
  const groups = Map.groupBy(told, ({ file }) => file)
  return new Map(Array.from(groups, ([file, own]) => [file, toFileBlock(file, own, colours)]))
}

/** One for each of the files. */
function toRefusals(
  { files, problem, cure, message }: FileRefusal,
  { shown }: Project,
  colours: boolean,
): [string, string][] {
  const told = files.length === 1 ? problem : message.slice(0, message.lastIndexOf(';'))
  return files.map((file) => [shown(file), toRefusalBlock(shown(file), { problem: told, cure }, colours)])
}
