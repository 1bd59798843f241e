/**
 * All WSDLs of the directory as they were surveyed -> the same, where one that only imports others and those others are told
 * apart: in one folder they would give the same endpoints, so one of them has the operations and the other one none.
 */
import { join, posix } from 'node:path'
import { describeMissing } from '../../wsdl/schema/missing.ts'
import type { SurveyedWsdl } from './survey.ts'

/** The one with a sidecar has them, and of two without one the WSDL that holds them itself. */
export function settleImports(dir: string, all: readonly SurveyedWsdl[]): readonly SurveyedWsdl[] {
  const files = new Set(all.map(({ file }) => file))
  const leaders = all.filter((it) => it.hasSidecar && it.operations.length > 0)
  const led = new Set(leaders.flatMap((it) => it.onlyImports.filter((file) => isBeside(file, it.file))))
  return all.map((it) => {
    if (it.hasSidecar || !it.isRead) return it
    if (led.has(it.file)) return { ...it, operations: [], warnings: [] }
    const isFollower =
      it.onlyImports.length > 0 && it.onlyImports.every((file) => files.has(file) && isBeside(file, it.file))
    return isFollower ? { ...it, operations: [], warnings: ownMissing(dir, it) } : it
  })
}

function isBeside(a: string, b: string): boolean {
  return posix.dirname(a) === posix.dirname(b)
}

/** What the others import is theirs to tell. */
function ownMissing(dir: string, { file, missing }: SurveyedWsdl): readonly string[] {
  const own = missing.filter((it) => it.file === file)
  return own.map((it) => `${join(dir, file)}:${it.line}: operations may be missing: ${describeMissing(it)}`)
}
