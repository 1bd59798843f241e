#!/usr/bin/env node
// Starts src/main.ts in the repository and dist/main.js in the published package. Node.js 14 can read this, and the
// launcher then says which version is needed.
import { existsSync } from 'fs'

const source = new URL('../src/main.ts', import.meta.url)
const isRepository = existsSync(source)
const launcher = isRepository
  ? '../../../packages/command-line/src/launch.js'
  : '../dist/packages/command-line/launch.js'
const main = isRepository ? source : new URL('../dist/main.js', import.meta.url)

import(launcher).then(({ launch }) => launch('xroad-proxy', main))
