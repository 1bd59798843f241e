/** Builds the package as it is published, JavaScript in place of TypeScript, beside links to its dependencies. */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildService } from '../../../tools/build.ts'

const service = join(import.meta.dirname, '..')
const repository = join(service, '../..')

/** Gives the program to start. */
export function buildPackage(folder: string): string {
  mkdirSync(folder, { recursive: true })
  // Types are for `npm run check`.
  buildService(service, join(folder, 'dist'), { check: false })
  for (const name of ['bin', 'package.json']) cpSync(join(service, name), join(folder, name), { recursive: true })
  const manifest = JSON.parse(readFileSync(join(service, 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of Object.keys(manifest.dependencies)) link(name, join(folder, 'node_modules', name))
  return join(folder, 'bin/xroad-proxy.js')
}

/** The workspace keeps a dependency here when another service has another version of it at the root. */
function link(name: string, place: string): void {
  const own = join(service, 'node_modules', name)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(existsSync(own) ? own : join(repository, 'node_modules', name), place, 'junction')
}
