/** A folder that a command makes where somebody wants it. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * With those that are missing around it. What Node.js has for this (`recursive`) never ends below a folder that takes
 * no folders, such as /proc.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Somebody else may have been faster.
    if (!existsSync(path)) throw error
  }
}
