/**
 * The program that tests start: of the package that the run of all tests has built, which starts sooner, or
 * of the sources.
 */
import { basename, join } from 'node:path'

/** The bin of a service; `folder` is that of its sources. */
export function programOf(folder: string): string {
  // Set by tools/test.ts.
  const packages = process.env['TEST_PACKAGES']
  const name = basename(folder)
  return join(packages === undefined ? folder : join(packages, name), `bin/${name}.js`)
}
