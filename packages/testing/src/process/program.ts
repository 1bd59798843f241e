/**
 * What a process begins with that tests start: what the run of all tests has built, which loads sooner, or the sources.
 * tools/test.ts builds, and names the folder in TEST_BUILT: a package for each service in a folder of its name, and
 * what was made of test files in `tests`.
 */
import { existsSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../../../..')

/** The bin of a service; `folder` is that of its sources. */
export function programOf(folder: string): string {
  const { TEST_BUILT: built } = process.env
  const name = basename(folder)
  return join(built === undefined ? folder : join(built, name), `bin/${name}.js`)
}

/** A test file, or a module that it forks. */
export function entryOf(file: string): string {
  const { TEST_BUILT: built } = process.env
  if (built === undefined) return file
  const entry = join(built, 'tests', relative(repository, file)).replace(/\.ts$/, '.js')
  return existsSync(entry) ? entry : file
}
