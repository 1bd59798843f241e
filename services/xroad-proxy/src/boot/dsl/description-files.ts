/**
 * Which files of a tree are OpenAPI descriptions or parts of one, and so are not DSL files, whatever is wrong with
 * them: the text of each description in, the files out that it leads to. What a description says is read in
 * boot/openapi/.
 */
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Full paths: these files, and those that they refer to, as far as there are any. */
export function withParts(descriptions: readonly string[]): ReadonlySet<string> {
  const found = new Set(descriptions)
  for (const file of found) {
    for (const part of partsOf(file)) found.add(part)
  }
  return found
}

/** Of one file of a description. */
export const maxDescriptionBytes = 8_388_608

/** In JSON or YAML, and in a text that is neither because of a mistake somewhere. */
const reference = /["']?\$ref["']?\s*:\s*["']?([^"'#\s,}]+)/g

function partsOf(file: string): readonly string[] {
  try {
    // A reference may lead to a device or a pipe, whose end never comes.
    const status = statSync(file)
    if (!status.isFile() || status.size > maxDescriptionBytes) return []
    const names = Array.from(readFileSync(file, 'utf8').matchAll(reference), ([, name = '']) => name)
    return names.filter((name) => !/^\w+:/.test(name)).map((name) => resolve(dirname(file), decodeName(name)))
  } catch {
    // Told where the description is read.
    return []
  }
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
