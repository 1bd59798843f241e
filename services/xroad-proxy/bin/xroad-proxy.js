#!/usr/bin/env node
// Starts src/main.ts in the repository and dist/main.js in the published package.
// Written so that a Node which is too old can still read it and say what is wrong: no static import, no top-level await.

var needed = 24

if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    'xroad-proxy needs Node.js ' + needed + ' or newer; this is ' + process.version + ' (' + process.execPath + ')',
  )
  process.exit(1)
}

start()

async function start() {
  const { existsSync } = await import('node:fs')
  const source = new URL('../src/main.ts', import.meta.url)
  if (!existsSync(source)) return run(new URL('../dist/main.js', import.meta.url))
  // Taking the types out of the sources at every start would cost memory and time.
  const { enableCompileCache } = await import('node:module')
  const { fileURLToPath } = await import('node:url')
  enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
  await run(source)
}

async function run(main) {
  await (await import(main.href)).main(process.argv.slice(2))
}
