/**
 * A configuration file that is not there, or is a folder -> the cure: the file that was probably meant, those that are
 * there, or how to begin. Reads one folder.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { nearest } from './words/nearest.ts'

interface Missing {
  /** As it was given. */
  readonly file: string
  readonly cwd: string
  /** In words, for a folder without any configuration. */
  readonly begin: string | undefined
}

/** The end of a message. */
export function cureOfMissing({ file, cwd, begin }: Missing): string {
  const path = resolve(cwd, file)
  const target = targetOf(path)
  if (target !== undefined) return `; it is a link to ${target}, and there is nothing`
  const names = namesIn(dirname(path))
  if (names === undefined) return `; the folder ${dirname(path)} does not exist or may not be read`
  const wanted = stemOf(basename(path))
  const stem = nearest(wanted, names.map(stemOf))
  const meant = names.find((name) => stemOf(name) === stem)
  if (meant !== undefined) return `; did you mean ${join(dirname(file), meant)}?`
  if (names.length > 0) return `; its folder has ${listed(names)}`
  return `; its folder has no .yaml, .yml or .json file${begin === undefined ? '' : `; ${begin}`}`
}

/** The end of a message; empty if the folder has no configuration. */
export function cureOfFolder({ file, cwd }: Pick<Missing, 'file' | 'cwd'>): string {
  const names = namesIn(resolve(cwd, file)) ?? []
  return names.length === 0 ? '' : `; it has ${listed(names)}`
}

const maxNamed = 5

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed
  return names.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Undefined if the folder cannot be read. */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const files = entries.filter((entry) => !entry.isDirectory() && /\.(?:ya?ml|json)$/i.test(entry.name))
    return files.map(({ name }) => name).toSorted()
  } catch {
    return undefined
  }
}

function stemOf(name: string): string {
  return name.replace(/\.\w+$/, '')
}

function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
