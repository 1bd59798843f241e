/**
 * One `wsdl add` at a time in a directory: others wait. Each puts a file of its own into the directory, whose name says
 * which process it is of, and works once no other's is there; so no step depends on two processes agreeing about one
 * file. The file of a process that was killed counts for nothing, and the next one removes it.
 */
import { createHash, randomUUID } from 'node:crypto'
import { realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { namesIn } from '../../boot/ingest/folder.ts'
import { makeFolders } from '../../boot/ingest/whole-file.ts'
import { AddProblem } from './add-problem.ts'
import { removeEmpty } from './install.ts'

export interface Lock {
  /** Folders that were made for it are removed if nobody has put anything into them. */
  release(): void
}

/**
 * Waits as long as another one works there, and tells about it once: `tell` gets a sentence. Makes the directory where
 * it is missing.
 */
export async function lock(directory: string, tell: (sentence: string) => void): Promise<Lock> {
  const made: string[] = []
  const problem = makeFolders(directory, made)
  const release = (): void => {
    for (const folder of made.toReversed()) removeEmpty(folder)
  }
  if (problem !== undefined) {
    release()
    throw new AddProblem(`${directory} cannot be written (${problem})`)
  }
  try {
    const path = await takeTurn(realpathSync(directory), directory, tell)
    return {
      release() {
        rmSync(path, { force: true })
        release()
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

const waitMs = 50

/** Gives the path of the file that is to be removed at the end. */
async function takeTurn(folder: string, shown: string, tell: (sentence: string) => void): Promise<string> {
  const own = `${start}${process.pid}.${host}.${randomUUID()}${end}`
  const path = join(folder, own)
  for (let isTold = false; ;) {
    if (othersIn(folder, own).length === 0) {
      write(path, shown)
      const others = othersIn(folder, own)
      if (others.length === 0) return path
      // Two that began at one moment see each other, and both stand back.
      rmSync(path, { force: true })
    }
    const [other] = othersIn(folder, own)
    if (other !== undefined && !isTold) {
      tell(`another wsdl add works in ${shown}; waiting for its end (if there is none, remove ${join(shown, other)})`)
      isTold = true
    }
    await sleep(waitMs * (1 + Math.random()))
  }
}

const start = '.wsdl-add.'
const end = '.lock'
/** Processes of other machines cannot be looked at. */
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 12)
const fileName = /^\.wsdl-add\.(\d+)\.([0-9a-f]{12})\.[0-9a-f-]{36}\.lock$/

function write(path: string, shown: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx' })
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new AddProblem(`${shown} cannot be written (${code})`)
  }
}

/**
 * Names of the files of those who are at work; of others the files are removed. What is wrong with the folder is told
 * by the code that writes to it.
 */
function othersIn(folder: string, own: string): readonly string[] {
  return namesIn(folder).filter((name) => {
    const [, pid, of] = fileName.exec(name) ?? []
    if (pid === undefined || name === own) return false
    const path = join(folder, name)
    if (isAtWork(Number(pid), of === host, path)) return true
    rmSync(path, { force: true })
    return false
  })
}

/** Nobody fetches schemas for longer than this: the number of a process may be another's by then. */
const longestMs = 3_600_000

function isAtWork(pid: number, isHere: boolean, path: string): boolean {
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  if (since === undefined || Date.now() - since > longestMs) return false
  if (!isHere) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
