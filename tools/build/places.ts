/**
 * In a bundle a module has another place than in `src`. What it looks for beside itself, and what looks for it, goes on
 * as if each module were a file of its own below `dist`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, posix, relative, sep } from 'node:path'
import type { Plugin } from 'rolldown'

export const repository = join(import.meta.dirname, '../..')

/** `boot/boot.js`, `packages/observe/index.js`; undefined for what is of neither the service nor a package. */
export function placeInDist(module: string, service: string): string | undefined {
  const path = relative(repository, module).split(sep).join('/')
  const [, folder, name, file] = /^(packages|services)\/([\w-]+)\/src\/(.*)\.ts$/.exec(path) ?? []
  if (file === undefined || (folder === 'services' && name !== basename(service))) return undefined
  return folder === 'services' ? `${file}.js` : `packages/${name}/${file}.js`
}

/** What a module looks for beside itself. `toDist` leads from the folder of the written files to `dist`. */
export function placesInDist(service: string, toDist: string): Plugin {
  return {
    name: 'places in dist',
    transform(code, id) {
      const place = placeInDist(id, service)
      if (place === undefined || !code.includes('import.meta.url')) return undefined
      return code.replaceAll('import.meta.url', `new URL('${toDist}/${place}', import.meta.url).href`)
    },
  }
}

/** What looks for a module: threads and processes begin where the sources say, and go on in the bundle. */
export function leadToEntry(file: string, dist: string): void {
  const place = file.replace(/\.ts$/, '.js')
  mkdirSync(dirname(join(dist, place)), { recursive: true })
  writeFileSync(join(dist, place), `export * from '${posix.relative(posix.dirname(place), `${entryOf(file)}.js`)}'\n`)
}

/** `workers/worker.ts` -> `workers-worker`: entries of the bundle lie side by side. */
export function entryOf(file: string): string {
  return file.replace(/\.ts$/, '').replaceAll('/', '-')
}
