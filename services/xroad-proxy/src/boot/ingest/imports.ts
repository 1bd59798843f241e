/**
 * All WSDLs of the directory as they were surveyed -> the same, where one that only imports others and those others are
 * distinguished: in one folder they would give the same endpoints, so one of them has the operations and the other one
 * none.
 */
import { join, posix } from 'node:path'
import { describeMissing } from '../../wsdl/schema/missing.ts'
import type { SurveyedWsdl } from './survey.ts'

/** The one with a sidecar has them, and of two without one the WSDL that holds them itself. */
export function settleImports(dir: string, all: readonly SurveyedWsdl[]): readonly SurveyedWsdl[] {
  const files = new Set(all.map(({ file }) => file))
  const leaders = all.filter((wsdl) => wsdl.hasSidecar && wsdl.operations.length > 0)
  const led = new Set(leaders.flatMap((wsdl) => wsdl.onlyImports.filter((file) => isBeside(file, wsdl.file))))
  return all.map((wsdl) => {
    if (wsdl.hasSidecar || !wsdl.isRead) return wsdl
    if (led.has(wsdl.file)) return { ...wsdl, operations: [], warnings: [] }
    const isFollower =
      wsdl.onlyImports.length > 0 && wsdl.onlyImports.every((file) => files.has(file) && isBeside(file, wsdl.file))
    return isFollower ? { ...wsdl, operations: [], warnings: ownMissing(dir, wsdl) } : wsdl
  })
}

function isBeside(a: string, b: string): boolean {
  return posix.dirname(a) === posix.dirname(b)
}

/** What the others import is theirs to tell. */
function ownMissing(dir: string, { file, missing }: SurveyedWsdl): readonly string[] {
  const own = missing.filter((schema) => schema.file === file)
  return own.map((schema) => `${join(dir, file)}:${schema.line}: operations may be missing: ${describeMissing(schema)}`)
}
