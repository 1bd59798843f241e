/**
 * The sources of a service -> plain JavaScript in `dist`, by rolldown: the program with its parts, and the modules that
 * stand alone. Each function returns the modules that it has bundled.
 */
import { writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import {
  type InputOptions,
  type OutputAsset,
  type OutputChunk,
  type OutputOptions,
  type Plugin,
  rolldown,
} from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { readManifest } from './manifest.ts'
import { groupsOf } from './parts.ts'
import { entryOf, leadToEntry, placesInDist } from './places.ts'
import { buildOf } from './services.ts'

export async function writeProgram(service: string, dist: string): Promise<string[]> {
  const separate = buildOf(service).foundByPlace
  const bundle = await rolldown({
    ...inputOptions(service, '.'),
    input: { main: 'src/main.ts', ...Object.fromEntries(separate.map((file) => [entryOf(file), `src/${file}`])) },
  })
  const groups = groupsOf(service)
  const chunks = { chunkFileNames: '[name]-[hash].js', codeSplitting: { groups } }
  const { output } = await bundle.write({ ...textOptions, ...chunks, dir: dist })
  await bundle.close()
  for (const file of separate) leadToEntry(file, dist)
  return modulesOf(output)
}

/** `file` is one of those that stand alone. */
export async function writeStandalone(service: string, file: string, dist: string): Promise<string[]> {
  const place = file.replace(/\.ts$/, '.js')
  const toDist = posix.relative(posix.dirname(place), '.')
  const bundle = await rolldown({ ...inputOptions(service, toDist), input: `src/${file}` })
  const script = { codeSplitting: false, format: 'cjs', strict: true } as const
  const { output } = await bundle.write({ ...textOptions, ...script, file: join(dist, place) })
  await bundle.close()
  // The nearest manifest says how Node.js reads a file; that of the package says otherwise.
  writeFileSync(join(dist, place.split('/')[0] ?? '', 'package.json'), '{ "type": "commonjs" }\n')
  return modulesOf(output)
}

/** `toDist` leads from the folder of the written files to `dist`. */
function inputOptions(service: string, toDist: string): InputOptions {
  return {
    cwd: service,
    platform: 'node',
    external: Object.keys(readManifest(service).dependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
    plugins: [placesInDist(service, toDist), platformAsAsked(), inAscii()],
  }
}

/**
 * An `import` of a module of Node.js makes the module load whatever it offers, even what it would load only when that
 * is asked for. This gives the same module without.
 */
export function platformAsAsked(): Plugin {
  return {
    name: 'platform as asked',
    renderChunk: (code) =>
      code.replaceAll(/^import (.*) from "(node:[^"]+)";$/gm, (_, names: string, module: string) => {
        const taken = names.startsWith('{') ? names.replaceAll(' as ', ': ') : names.replace('* as ', '')
        return `const ${taken} = process.getBuiltinModule("${module}");`
      }),
  }
}

/** Each start reads and keeps all of the text, comments included. */
export const textOptions: OutputOptions = { comments: { legal: true, annotation: false, jsdoc: false } }

/**
 * One character beyond ASCII has Node.js decode the file, and V8 keep it with two bytes for each character. An escape
 * means the same in names, texts, templates and regular expressions, but not in what `String.raw` and its like see.
 */
export function inAscii(): Plugin {
  return {
    name: 'in ASCII',
    // The last step: whatever prints the code again would write the characters.
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = toAscii(file.code)
    },
  }
}

/** The same program; as it was where a template is seen as written, or a name has a character beyond 2^16. */
export function toAscii(code: string): string {
  if (!beyondAscii.test(code) || hasRawText(code)) return code
  const written = code.replaceAll(/(\\*)(\P{ASCII})/gu, (_, slashes: string, char: string) => {
    // A backslash that escapes the character itself goes.
    const kept = slashes.slice(slashes.length % 2)
    return kept + Array.from({ length: char.length }, (_unit, index) => escapeOf(char, index)).join('')
  })
  return isProgram(written) ? written : code
}

/** Two escapes are one character in a text and in a regular expression, but not in a name. */
function isProgram(code: string): boolean {
  try {
    parseAst(code)
    return true
  } catch {
    return false
  }
}

const beyondAscii = /\P{ASCII}/u

function escapeOf(text: string, index: number): string {
  return `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`
}

/** Whether a template that a function sees as written has a character beyond ASCII. */
function hasRawText(code: string): boolean {
  const look = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return false
    const {
      type,
      start = 0,
      end = 0,
    } = node as { readonly type?: string; readonly start?: number; readonly end?: number }
    if (type === 'TaggedTemplateExpression' && beyondAscii.test(code.slice(start, end))) return true
    return Object.values(node).some(look)
  }
  return look(parseAst(code))
}

function modulesOf(output: readonly (OutputChunk | OutputAsset)[]): string[] {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}
