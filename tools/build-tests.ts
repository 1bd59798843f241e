/**
 * Test files -> plain JavaScript, in which stands once what several of them use. For whole runs: a test process loads a
 * few files in place of hundreds of modules, which takes half the time.
 */
import { globSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { placeInDist, platformAsAsked } from './build.ts'

const repository = resolve(import.meta.dirname, '..')
/** Tests of `tools` load few modules. `command-host` is the program of a process that tests fork. */
const inputs = ['{packages,services}/*/test/**/*.test.ts', 'services/*/test/support/command-host.ts']
/** These have dozens of modules; other libraries stay where they are. */
const librariesWithin = /[\\/]node_modules[\\/](?:yaml|zod)[\\/]/

export async function buildTests(folder: string, packages: string): Promise<void> {
  const files = globSync(inputs, { cwd: repository })
  const bundle = await rolldown({
    cwd: repository,
    platform: 'node',
    input: Object.fromEntries(files.map((file) => [nameOf(file), file])),
    external: (id, _importer, isResolved) => isResolved && isOfLibrary(id) && !librariesWithin.test(id),
    plugins: [placesAsBefore(packages), platformAsAsked()],
  })
  await bundle.write({ dir: folder, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' })
  await bundle.close()
  // For what is imported by a name that is known at run time only.
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction')
}

/**
 * What a module looks for beside itself, it looks for as before: beside its source. Services begin their threads and
 * processes from their packages, which start sooner.
 */
function placesAsBefore(packages: string): Plugin {
  return {
    name: 'places as before',
    transform(code, id) {
      if (isOfLibrary(id) || !code.includes('import.meta.')) return undefined
      const places = { url: pathToFileURL(placeOf(id, packages)).href, dirname: dirname(id) }
      return Object.entries(places).reduce(
        (text, [name, place]) => text.replaceAll(`import.meta.${name}`, JSON.stringify(place)),
        code,
      )
    },
  }
}

function placeOf(source: string, packages: string): string {
  const [, service] = /[\\/]services[\\/]([\w-]+)[\\/]src[\\/]/.exec(source) ?? []
  const place = service === undefined ? undefined : placeInDist(source, join(repository, 'services', service))
  return service === undefined || place === undefined ? source : join(packages, service, 'dist', place)
}

function isOfLibrary(id: string): boolean {
  return /[\\/]node_modules[\\/]/.test(id)
}

function nameOf(file: string): string {
  return file.split(sep).join('/').replace(/\.ts$/, '')
}
