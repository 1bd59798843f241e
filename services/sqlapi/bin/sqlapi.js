#!/usr/bin/env node
// Starts src/main.ts in the repository and dist/main.js in the published package.
// Written so that a Node which is too old can still read it and say what is wrong: no static import, no top-level await.

var needed = 24

if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    'sqlapi needs Node.js ' + needed + ' or newer; this is ' + process.version + ' (' + process.execPath + ')',
  )
  process.exit(1)
}

limitYoungGeneration()
start()

/**
 * Replaces this process by the same with one flag more; it keeps its id and all that it was given. Without the flag V8's
 * semi-spaces grow to 16 MB each while the modules load and stay so large, for nothing. V8 takes it only from the start.
 */
function limitYoungGeneration() {
  // Not under a debugger, which would lose the process, nor with a file descriptor as an argument, which might be lost.
  const reasonsNotTo = /semi[-_]space|--inspect|\/fd\/\d|--help|--version/
  const given = process.execArgv.concat(process.argv, process.env.NODE_OPTIONS).join(' ')
  // A channel to the parent (a cluster, a process manager) would be lost too. Workers of a cluster inherit the flag.
  if (process.platform === 'win32' || process.connected || reasonsNotTo.test(given)) return
  const flags = ['--max-semi-space-size=8'].concat(process.execArgv)
  try {
    process.execve(process.execPath, [process.argv0].concat(flags, process.argv.slice(1)))
  } catch {
    // Forbidden here (`--permission`, a policy of the host): it takes more memory then, and works as well.
  }
}

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
