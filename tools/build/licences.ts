/** Modules of a bundle -> the licences of the libraries among them. Each asks that its text goes with the copy. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from './manifest.ts'

export function licencesOf(modules: readonly string[]): string {
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
