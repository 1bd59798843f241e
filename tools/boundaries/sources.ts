/** The sources that the table of rooms is about, and what each of them imports. */
import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

export function listSources(root: string): string[] {
  return listFiles(root, '{packages,services}/*/src/**/*.{js,ts}')
}

/** Forward slashes, below `root`, in order. */
export function listFiles(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .toSorted()
}

/** The specifiers of a file as they are written: of imports and re-exports, of types as well, static and dynamic. */
export function readImports(root: string, file: string): string[] {
  return [...readFileSync(join(root, file), 'utf8').matchAll(importing)].flatMap(([, specifier]) => specifier ?? [])
}

const importing = /(?:^|[\s;}])(?:from\s*|import\s*\(?\s*)'([^'\n]+)'/gm
