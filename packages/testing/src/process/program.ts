/**
 * Entry points of the processes that tests start: the packages that a whole run builds, which load sooner, or the
 * sources. tools/test/setup.ts builds them and names their folder in TEST_BUILT.
 */
import { basename, join } from 'node:path'

/** The bin of a service; `folder` is that of its sources. */
export function programOf(folder: string): string {
  const { TEST_BUILT: built } = process.env
  const name = basename(folder)
  return join(built === undefined ? folder : join(built, name), `bin/${name}.js`)
}
