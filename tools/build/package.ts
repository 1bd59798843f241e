/**
 * A service's sources -> its package: the bin, and in `dist` the program, its parts that are loaded late, the libraries
 * that read configuration, and their licences. Plain JavaScript, in a few files, because a start from hundreds of
 * modules takes longer and more memory (decision 157). What the manifest lists as `dependencies` stays outside.
 */
import { cpSync, existsSync, globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeProgram, writeStandalone } from './bundle.ts'
import { licencesOf } from './licences.ts'
import { readManifest } from './manifest.ts'
import { repository } from './places.ts'
import { buildOf } from './services.ts'

/** Has the launcher, which is copied as it is: an old Node.js has to understand it. */
const launcherPackage = 'command-line'

/** The package in `folder`, beside links to its dependencies. Returns the path of its bin. */
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
  for (const file of buildOf(service).standalone) modules.push(...(await writeStandalone(service, file, dist)))
  copyFilesOfPackages(modules, dist)
  writeFileSync(join(dist, 'LICENSES.txt'), licencesOf(modules))
  writeFileSync(join(dist, 'build.json'), JSON.stringify({ packagingTime: Date.now() }))
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
