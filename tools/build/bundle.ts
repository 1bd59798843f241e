/**
 * The sources of a service -> plain JavaScript in `dist`, by rolldown: the program with its parts, and the modules that
 * stand alone. Each function returns the modules that it has bundled.
 */
import { writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { type InputOptions, type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown'
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
  const { output } = await bundle.write({ dir: dist, chunkFileNames: '[name]-[hash].js', codeSplitting: { groups } })
  await bundle.close()
  for (const file of separate) leadToEntry(file, dist)
  return modulesOf(output)
}

/** `file` is one of those that stand alone. */
export async function writeStandalone(service: string, file: string, dist: string): Promise<string[]> {
  const place = file.replace(/\.ts$/, '.js')
  const toDist = posix.relative(posix.dirname(place), '.')
  const bundle = await rolldown({ ...inputOptions(service, toDist), input: `src/${file}` })
  const { output } = await bundle.write({ file: join(dist, place), codeSplitting: false, format: 'cjs', strict: true })
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
    plugins: [placesInDist(service, toDist), platformAsAsked()],
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

function modulesOf(output: readonly (OutputChunk | OutputAsset)[]): string[] {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}
