/**
 * Temporary files of a process that was killed, or of a machine that lost its power -> removed: those of a start, below
 * the DSL directory, at the next start, and those of `wsdl vendor`, beside the WSDL, at its next run, however young
 * they are and whatever has become of their WSDL. Never fails: this is only tidying, and leftovers do no harm.
 *
 * Another process may be at work here. A file that it is about to rename looks like one that was left behind; if it is
 * removed, `writeWhole` writes it again.
 */
import { lstatSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readYaml } from '@services/config-file'
import { isGenerated, isStartOfMarker } from '../../wsdl/dsl/marker.ts'
import { maxDslBytes } from '../dsl/tree.ts'
import { xmlLimits } from '../../wsdl/xml/xml.ts'
import { namesIn } from './folder.ts'
import { isTemporaryName } from './whole-file.ts'

/** Looks into the folders that generated files have: those right in the directory. */
export function removeLeftovers(dslPath: string): void {
  for (const folder of namesIn(dslPath)) removeFrom(join(dslPath, folder), maxDslBytes, isDslText)
}

/** Looks into this folder alone, which holds WSDL files and schemas. */
export function removeDownloads(folder: string): void {
  removeFrom(folder, xmlLimits.bytes, isDownload)
}

/** The name alone does not make a file ours: a text that somebody can have written for this directory stays. */
function removeFrom(folder: string, maxBytes: number, isOurs: (content: Buffer) => boolean): void {
  for (const name of namesIn(folder).filter(isTemporaryName)) {
    const path = join(folder, name)
    try {
      const status = lstatSync(path)
      if (status.isFile() && status.size <= maxBytes && isOurs(readFileSync(path))) unlinkSync(path)
    } catch {
      // What cannot be read or removed stays where it is.
    }
  }
}

function isDslText(content: Buffer): boolean {
  const text = content.toString()
  return isGenerated(text) || isStartOfMarker(text) || !isYaml(text)
}

/** XML, whatever its charset, or the list of what was fetched; or nothing yet. */
function isDownload(content: Buffer): boolean {
  return /^[\xef\xbb\xbf\xfe\xff\0\s]*(?:[<{]|$)/.test(content.toString('latin1'))
}

/** What a power cut leaves in a file is anything. */
function isYaml(text: string): boolean {
  try {
    readYaml(text)
    return true
  } catch {
    return false
  }
}
