/**
 * Test files -> plain JavaScript, in which stands once what several of them use. For whole runs: a test process loads a
 * few files in place of hundreds of modules, which takes half the time.
 */
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { inAscii, platformAsAsked, textOptions } from './build/bundle.ts'
import { placeInDist } from './build/places.ts'

const repository = resolve(import.meta.dirname, '..')
/** These have dozens of modules; other libraries stay where they are. */
const librariesWithin = /[\\/]node_modules[\\/](?:yaml|zod)[\\/]/

/** `files` are modules that processes begin with; `packages` has the packages of the services. */
export async function buildTests(files: readonly string[], folder: string, packages: string): Promise<void> {
  const bundle = await rolldown({
    cwd: repository,
    platform: 'node',
    input: Object.fromEntries(files.map((file) => [nameOf(file), file])),
    external: (id, _importer, isResolved) => isResolved && isOfLibrary(id) && !librariesWithin.test(id),
    plugins: [placesAsBefore(packages), platformAsAsked(), inAscii()],
  })
  await bundle.write({
    ...textOptions,
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  // Otherwise each process looks into each file for what it is.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
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
      const place = placeOf(id, packages)
      const places = { url: pathToFileURL(place).href, dirname: dirname(place) }
      // From the end, so that those before stay where they are.
      return mentionsIn(code).reduceRight(
        (text, { name, start, end }) => `${text.slice(0, start)}${JSON.stringify(places[name])}${text.slice(end)}`,
        code,
      )
    },
  }
}

interface Mention {
  readonly name: 'url' | 'dirname'
  readonly start: number
  readonly end: number
}

/** As far as it is read here. */
interface MemberExpression {
  readonly type: string
  readonly object: { readonly type: string }
  readonly property: { readonly name: string }
  readonly start: number
  readonly end: number
}

/** `import.meta.url` and its like in the code, not in its texts: some tests write modules. */
function mentionsIn(code: string): Mention[] {
  const found: Mention[] = []
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, object, property, start, end } = node as Partial<MemberExpression>
    if (type === 'MemberExpression' && object?.type === 'MetaProperty') {
      const name = property?.name
      if (name === 'url' || name === 'dirname') found.push({ name, start: start ?? 0, end: end ?? 0 })
    } else for (const part of Object.values(node)) look(part)
  }
  look(parseAst(code, { lang: 'ts' }))
  return found.toSorted((a, b) => a.start - b.start)
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
  return relative(repository, file).split(sep).join('/').replace(/\.ts$/, '')
}
