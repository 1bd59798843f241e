/**
 * What the package says about itself. `package.json` lies one folder above this file both in `src/` and in the published
 * `dist/`; it is read once, at start. `packagingTime` is written by the build and absent in a working copy.
 */
import { readFileSync } from 'node:fs'

interface Manifest {
  readonly version: string
  readonly packagingTime?: number
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest

export const version = manifest.version

/** Unix time of the build in milliseconds, 0 when nobody wrote it down. */
export const packagingTime = Number.isSafeInteger(manifest.packagingTime) ? Number(manifest.packagingTime) : 0
