/**
 * New files -> below `wsdl_watch_dir`, all of them or none: what fails is undone, and so is what the caller takes back.
 * A WSDL is written after everything that belongs to it, so a start in between never sees one without its sidecar.
 */
import { rmdirSync, rmSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { FileProblem, readInsideIfAny } from '../../boot/ingest/files.ts'
import { makeFolders, writeWhole } from '../../boot/ingest/whole-file.ts'
import { AddProblem } from './add-problem.ts'

export interface NewFile {
  /** Relative to the directory, with slashes. */
  readonly file: string
  readonly content: Uint8Array
  /** Whether it may be there already with the same content: other WSDLs may use it too. */
  readonly isShared: boolean
}

export interface Installed {
  /** In the order of the files. */
  readonly steps: readonly InstallStep[]
  /** Folders that were not there before. */
  readonly newFolders: readonly string[]
  undo(): void
}

export interface InstallStep {
  readonly outcome: 'added' | 'replaced' | 'unchanged'
  readonly file: string
}

export function install(root: string, files: readonly NewFile[], { force }: { readonly force: boolean }): Installed {
  const before = new Map(files.map(({ file }) => [file, contentOf(root, file)]))
  if (!force) refuseExisting(root, files, before)
  const newFolders: string[] = []
  const written: string[] = []
  const undo = (): void => {
    for (const file of written.toReversed()) restore(join(root, file), before.get(file))
    for (const folder of newFolders.toReversed()) removeEmpty(folder)
  }
  const steps = files.map(({ file, content }) => ({ outcome: outcomeOf(before.get(file), content), file }))
  const unchanged = new Set(steps.flatMap(({ outcome, file }) => (outcome === 'unchanged' ? [file] : [])))
  const changed = files.filter(({ file }) => !unchanged.has(file))
  for (const { file, content } of changed.sort((a, b) => orderOf(a) - orderOf(b))) {
    const path = join(root, file)
    const problem = makeFolders(dirname(path), newFolders) ?? writeWhole(path, content)
    if (problem !== undefined) {
      undo()
      throw new AddProblem(`${path} cannot be written (${problem})`)
    }
    written.push(file)
  }
  return { steps, newFolders, undo }
}

function outcomeOf(before: Uint8Array | undefined, content: Uint8Array): InstallStep['outcome'] {
  if (before === undefined) return 'added'
  return Buffer.compare(before, content) === 0 ? 'unchanged' : 'replaced'
}

function orderOf({ file }: NewFile): number {
  if (file.endsWith('.wsdl')) return 2
  return file.endsWith('.meta.yaml') ? 1 : 0
}

/** A link instead of a file or a folder is not followed, as the service does not follow it. */
function contentOf(root: string, file: string): Uint8Array | undefined {
  try {
    return readInsideIfAny(root, file)
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    throw new AddProblem(`${join(root, file)} ${error.message}`)
  }
}

const maxTold = 5

function refuseExisting(
  root: string,
  files: readonly NewFile[],
  before: ReadonlyMap<string, Uint8Array | undefined>,
): void {
  const inTheWay = files.filter(({ file, content, isShared }) => {
    const old = before.get(file)
    return old !== undefined && !(isShared && Buffer.compare(old, content) === 0)
  })
  if (inTheWay.length === 0) return
  const paths = inTheWay.map(({ file }) => join(root, file))
  const more = paths.length > maxTold ? ` and ${paths.length - maxTold} more` : ''
  const there = paths.length === 1 ? 'is there already' : 'are there already'
  const owner = posix.dirname(inTheWay[0]?.file ?? '').split('/')[0]
  throw new AddProblem(
    `${paths.slice(0, maxTold).join(', ')}${more} ${there}; --force replaces what is there, --owner ${owner}/NAME puts the WSDL ` +
      'into a folder of its own',
  )
}

function restore(path: string, content: Uint8Array | undefined): void {
  if (content === undefined) rmSync(path, { force: true })
  else writeWhole(path, content)
}

export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody else has put something there.
  }
}
