/**
 * A service's sources -> its package: the bin, and in `dist` the program, its parts that are loaded late, the libraries
 * that read configuration, and their licences. Plain JavaScript, in a few files, because a start from hundreds of
 * modules takes longer and more memory (DECISIONS 157). What the manifest lists as `dependencies` stays outside.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import {
  type CodeSplittingGroup,
  type InputOptions,
  type OutputAsset,
  type OutputChunk,
  type Plugin,
  rolldown,
} from 'rolldown'

const repository = join(import.meta.dirname, '..')
/** Has the launcher, which is copied as it is: an old Node.js has to understand it. */
const launcherPackage = 'command-line'

/** Modules of `src` that are found by their place: they begin a process, or a `require` loads them. */
const foundByPlace: Readonly<Record<string, readonly string[]>> = {
  sqlapi: ['workers/worker.ts'],
  'xroad-proxy': ['soap/check/declaration.ts'],
}

/**
 * The same where little of the service is needed: each is one file with all of it, and loads no other. CommonJS,
 * because a thread that never meets another module system starts a seventh sooner.
 */
const standalone: Readonly<Record<string, readonly string[]>> = {
  sqlapi: ['database/sqlite/worker/worker.ts', 'database/sqlite/workplaces/host.ts'],
}

/** What every kind of database imports. */
const ofDatabases = ['statement-spans', 'result', 'redact', 'int64', 'pool/history', 'pool/pool']

/**
 * What a start loads in any case lies in few files, because each costs it up to a millisecond. A module belongs to the
 * first part whose modules import it; what belongs to no part is divided by who loads it.
 */
const parts: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  sqlapi: {
    program: ['main.ts'],
    databases: ['json/keys.ts', ...ofDatabases.map((module) => `database/${module}.ts`)],
    service: ['service.ts'],
    sqlite: ['database/sqlite/sqlite.ts'],
    postgres: ['database/postgres/postgres.ts'],
  },
  'xroad-proxy': { program: ['main.ts'], service: ['service.ts', 'reload/live-service.ts'] },
}

/** The package in `folder`, beside links to its dependencies. Gives its bin. */
export async function buildPackage(service: string, folder: string): Promise<string> {
  await buildService(service, join(folder, 'dist'))
  for (const name of ['bin', 'package.json']) cpSync(join(service, name), join(folder, name), { recursive: true })
  const { name, dependencies } = readManifest(service)
  for (const library of Object.keys(dependencies)) {
    // The workspace keeps a dependency here when another service has another version of it at the root.
    const own = join(service, 'node_modules', library)
    const place = join(folder, 'node_modules', library)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(existsSync(own) ? own : join(repository, 'node_modules', library), place, 'junction')
  }
  return join(folder, `bin/${name}.js`)
}

/** `service` is the folder of the service. Types are taken as right: they are for `npm run static`. */
export async function buildService(service: string, dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true })
  const modules = await writeProgram(service, dist)
  for (const file of standalone[basename(service)] ?? []) modules.push(...(await writeStandalone(service, file, dist)))
  copyFilesOfPackages(modules, dist)
  writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(modules))
  writeFileSync(join(dist, 'build.json'), JSON.stringify({ packagingTime: Date.now() }))
}

/** Gives the modules that are in it. */
async function writeProgram(service: string, dist: string): Promise<string[]> {
  const separate = foundByPlace[basename(service)] ?? []
  const bundle = await rolldown({
    ...inputOptions(service, '.'),
    input: { main: 'src/main.ts', ...Object.fromEntries(separate.map((file) => [flat(file), `src/${file}`])) },
  })
  const groups = groupsOf(service)
  const { output } = await bundle.write({ dir: dist, chunkFileNames: '[name]-[hash].js', codeSplitting: { groups } })
  await bundle.close()
  for (const file of separate) leadToEntry(file, dist)
  return modulesOf(output)
}

async function writeStandalone(service: string, file: string, dist: string): Promise<string[]> {
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

function modulesOf(output: readonly (OutputChunk | OutputAsset)[]): string[] {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
}

/**
 * In the bundle a module has another place than in `src`. What it looks for beside itself, it looks for as before:
 * below `dist`, as if each module were a file of its own there.
 */
function placesInDist(service: string, toDist: string): Plugin {
  return {
    name: 'places in dist',
    transform(code, id) {
      const place = placeInDist(id, service)
      if (place === undefined || !code.includes('import.meta.url')) return undefined
      return code.replaceAll('import.meta.url', `new URL('${toDist}/${place}', import.meta.url).href`)
    },
  }
}

/** The bundler takes with each module all that it imports, unless that is of a group with a higher priority. */
function groupsOf(service: string): CodeSplittingGroup[] {
  const names = Object.keys(parts[basename(service)] ?? {})
  let found: ReadonlyMap<string, string> | undefined
  return names.map((part, index) => ({
    debugName: part,
    priority: names.length - index,
    name(module, graph) {
      found ??= findParts(service, graph)
      return found.get(module) === part ? part : undefined
    },
  }))
}

interface ModuleGraph {
  /** Late imports are not among the imports. */
  getModuleInfo(module: string): { readonly importedIds: readonly string[] } | null
}

/** By modules. */
function findParts(service: string, graph: ModuleGraph): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [part, roots] of Object.entries(parts[basename(service)] ?? {})) {
    const reached = roots.map((root) => join(service, 'src', root))
    for (const module of reached) {
      if (found.has(module)) continue
      found.set(module, part)
      reached.push(...(graph.getModuleInfo(module)?.importedIds ?? []))
    }
  }
  return found
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

/** `boot/boot.js`, `packages/observe/index.js`; undefined for what is of neither the service nor a package. */
export function placeInDist(module: string, service: string): string | undefined {
  const path = relative(repository, module).split(sep).join('/')
  const [, folder, name, file] = /^(packages|services)\/([\w-]+)\/src\/(.*)\.ts$/.exec(path) ?? []
  if (file === undefined || (folder === 'services' && name !== basename(service))) return undefined
  return folder === 'services' ? `${file}.js` : `packages/${name}/${file}.js`
}

/** Threads and processes begin where the sources say, and go on in the bundle. */
function leadToEntry(file: string, dist: string): void {
  const place = file.replace(/\.ts$/, '.js')
  mkdirSync(dirname(join(dist, place)), { recursive: true })
  writeFileSync(join(dist, place), `export * from '${posix.relative(posix.dirname(place), `${flat(file)}.js`)}'\n`)
}

function flat(file: string): string {
  return file.replace(/\.ts$/, '').replaceAll('/', '-')
}

/** Files of pages, and the launcher. */
function copyFilesOfPackages(modules: readonly string[], dist: string): void {
  const names = modules.flatMap((id) => /[\\/]packages[\\/]([\w-]+)[\\/]src[\\/]/.exec(id)?.[1] ?? [])
  for (const name of new Set([launcherPackage, ...names])) {
    const sources = join(repository, 'packages', name, 'src')
    for (const file of globSync('**/*.{js,html,css,svg}', { cwd: sources })) {
      cpSync(join(sources, file), join(dist, 'packages', name, file))
    }
  }
}

/** The licence of each library in the bundle asks that its text goes with it. */
function licencesOf(modules: readonly string[]): string {
  const folders = new Set(
    modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
  )
  return [...folders]
    .toSorted()
    .map((folder) => {
      const { name, version, license } = readManifest(folder)
      const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
      const text = file === undefined ? license : readFileSync(join(folder, file), 'utf8')
      return `${name} ${version}\n\n${text.trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}
