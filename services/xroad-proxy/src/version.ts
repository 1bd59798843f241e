/**
 * What the package says about itself, read once at start. `package.json` lies one folder above this file both in `src/`
 * and in the published `dist/`.
 */
import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

export const version = manifest.version
