/** The page of each private package: it lists what others import of the package, and names nothing that is gone. */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, posix, resolve } from 'node:path'
import { test } from 'node:test'
import { listFiles } from './boundaries/sources.ts'

const root = resolve(import.meta.dirname, '..')

interface Package {
  readonly name: string
  /** Below the root. */
  readonly folder: string
  readonly page: string
  /** Specifier -> the names that it exports. */
  readonly entries: ReadonlyMap<string, readonly string[]>
}

const packages = listFiles(root, 'packages/*/package.json').map(readPackage)
const sources = listFiles(root, '{packages,services,tools}/**/*.ts').filter((file) => !file.includes('node_modules'))

test('the page of a package lists what others import of it [H1]', () => {
  const imported = new Map<string, Set<string>>()
  for (const file of sources) {
    for (const [, list = '', specifier = ''] of read(file).matchAll(importing)) {
      const owner = packages.find(({ entries }) => entries.has(specifier))
      if (owner === undefined || file.startsWith(owner.folder)) continue
      imported.set(owner.name, new Set([...(imported.get(owner.name) ?? []), ...namesIn(list)]))
    }
  }
  ok(imported.size > 5)
  const missing = packages.flatMap(({ name, page }) => {
    const listed = new Set(namesInBackquotes(page))
    return [...(imported.get(name) ?? [])].filter((each) => !listed.has(each)).map((each) => `${name}: ${each}`)
  })
  deepStrictEqual(missing, [])
})

test('a table of exports names nothing that is gone [H1]', () => {
  const gone = packages.flatMap(({ name, page, entries }) => {
    const exported = new Set([...entries.values()].flat())
    return tablesOfExports(page)
      .filter((each) => !exported.has(each))
      .map((each) => `${name}: ${each}`)
  })
  deepStrictEqual(gone, [])
})

function readPackage(manifest: string): Package {
  const folder = posix.dirname(manifest)
  const { name, exports } = JSON.parse(read(manifest)) as { name: string; exports: Readonly<Record<string, string>> }
  const entries = Object.entries(exports).map(
    ([entry, file]) => [name + entry.slice(1), exportsOf(read(join(folder, file)))] as const,
  )
  return { name, folder: `${folder}/`, page: read(join(folder, 'README.md')), entries: new Map(entries) }
}

/** A name that is exported under another one counts by that one. */
function exportsOf(code: string): string[] {
  const passedOn = Array.from(code.matchAll(/^export (?:type )?\{([^}]*)\}/gm), ([, list = '']) => namesIn(list, 1))
  const declared = code.matchAll(/^export (?:async |abstract )*(?:function\*?|class|const|let|interface|type) (\w+)/gm)
  return [...passedOn.flat(), ...Array.from(declared, ([, name = '']) => name)]
}

const importing = /^(?:import|export) (?:type )?\{([^}]*)\} from '([^']+)'/gm

/** `a`, `type B`, `c as d`: of these the name before `as`, or the one behind it. */
function namesIn(list: string, side: 0 | 1 = 0): string[] {
  const names = list.split(',').map((item) =>
    item
      .trim()
      .replace(/^type /, '')
      .split(' as '),
  )
  return names.flatMap((pair) => (side === 1 ? pair.at(-1) : pair[0]) || [])
}

function namesInBackquotes(page: string): string[] {
  return Array.from(page.matchAll(/`([A-Za-z]\w+)`/g), ([, name = '']) => name)
}

/** Names in the columns that say `export`. */
function tablesOfExports(page: string): string[] {
  let column: number | undefined
  return page.split('\n').flatMap((line) => {
    const cells = line.startsWith('|') ? line.split('|') : undefined
    if (cells === undefined) column = undefined
    else column ??= cells.findIndex((cell) => /^ exports? /.test(cell))
    return namesInBackquotes(cells?.[column ?? -1] ?? '')
  })
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
