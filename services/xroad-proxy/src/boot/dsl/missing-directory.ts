/**
 * A `dsl_path` that leads nowhere -> what to say about it, and the directory beside it that is probably meant: one
 * with DSL files and a name like it. Reads directories only.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { nearest } from '@services/config-file'
import { listDslFiles, statusOf } from './tree.ts'

/** The end of a sentence; empty where there is no such directory. */
export function hintAt(dslPath: string): string {
  const similar = similarTo(dslPath)
  return similar === undefined ? '' : `; did you mean ${similar}?`
}

/**
 * One WARN or none, about a directory that is made for generated files: without a word there would be endpoints, only
 * not those that are meant. `isGiven`: somebody has named the directory, so that it should be there.
 */
export function tellMade(dslPath: string, isGiven: boolean): readonly string[] {
  if (statusOf(dslPath) !== 'ENOENT') return []
  const hint = hintAt(dslPath)
  if (!isGiven && hint === '') return []
  const shown = `dsl_path ${dslPath} (${resolve(dslPath)})`
  return [`${shown} did not exist; it is made for the files of WSDLs, and there are no other DSL files${hint}`]
}

function similarTo(dslPath: string): string | undefined {
  const name = basename(resolve(dslPath))
  const place = dirname(dslPath)
  const alike = foldersIn(place).filter((other) => other !== name && nearest(name, [other]) !== undefined)
  const found = nearest(
    name,
    alike.filter((other) => listDslFiles(join(place, other)).length > 0),
  )
  return found === undefined ? undefined : join(place, found)
}

function foldersIn(place: string): readonly string[] {
  try {
    const entries = readdirSync(place, { withFileTypes: true })
    return entries.flatMap((entry) => (entry.isDirectory() && !entry.name.startsWith('.') ? [entry.name] : []))
  } catch {
    return []
  }
}
