/**
 * What the package says about itself, read once at start. `package.json` lies one folder above this file both in `src/`
 * and in the published `dist/`; `build.json` is written beside it by the build and absent in a working copy.
 */
import { existsSync, readFileSync } from 'node:fs'

const manifest = readJson('../package.json') as { version: string }
const build = readJson('./build.json') as { packagingTime?: number } | undefined

export const version = manifest.version

/** Unix time of the build in milliseconds, 0 when nobody wrote it down. */
export const packagingTime = build?.packagingTime ?? 0

function readJson(path: string): unknown {
  const file = new URL(path, import.meta.url)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined
}
