/**
 * Temporary files of a start that was killed, or of a machine that lost its power, below the DSL directory -> removed at the
 * next start, however young they are and whatever has become of their WSDL. Never fails: it is only tidying, and no walk
 * looks at what stays.
 *
 * Another process may be starting here. A file that it is about to put in its place is not told from one that was left behind;
 * `writeWhole` writes it again.
 */
import { lstatSync, readdirSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readYaml } from '@services/config-file'
import { isGenerated, isStartOfMarker } from '../../wsdl/request/marker.ts'
import { maxDslBytes } from '../dsl/endpoints.ts'
import { isTemporaryName } from './whole-file.ts'

/** Looks into the folders that generated files have: those right in the directory. */
export function removeLeftovers(dslPath: string): void {
  for (const folder of namesIn(dslPath)) {
    for (const name of namesIn(join(dslPath, folder)).filter(isTemporaryName)) {
      const path = join(dslPath, folder, name)
      try {
        if (isLeftover(path)) unlinkSync(path)
      } catch {
        // What cannot be read or removed stays where it is.
      }
    }
  }
}

/** None in what is no folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The name alone does not make it ours: a text that somebody can have written for this directory stays. */
function isLeftover(path: string): boolean {
  const status = lstatSync(path)
  if (!status.isFile() || status.size > maxDslBytes) return false
  const text = readFileSync(path, 'utf8')
  return isGenerated(text) || isStartOfMarker(text) || !isYaml(text)
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
