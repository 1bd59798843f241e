/**
 * What a program does before its own modules load: it refuses a Node.js that is too old, sets a flag of V8, keeps
 * signals for it, and turns on the compile cache for sources. The bin of a service calls it; what the program does is
 * the service's `main`.
 *
 * JavaScript that Node.js 14 can read, so that it can say what is wrong: no `node:`, no top-level await, no newer
 * syntax. `tools/build/package.ts` copies this file into the package as it is.
 */

const neededNode = 24
const refused = 1

/** `main` is the URL of the module with the program: `.ts` in the repository, `.js` in the package. */
export function launch(name, main) {
  if (Number(process.versions.node.split('.')[0]) < neededNode) {
    const found = process.versions.node + ' (' + process.execPath + ')'
    console.error(name + ' needs Node.js ' + neededNode + ' or newer; this is v' + found)
    process.exit(refused)
  }
  limitYoungGeneration()
  return start(main)
}

/**
 * Replaces this process by the same with one flag more; it keeps its id and all that it was given. The flag bounds the
 * heap of short-lived values: less costs CPU, more costs memory (decision 62). V8 takes it only from the start.
 */
function limitYoungGeneration() {
  // Not under a debugger, which would lose the process, nor with a file descriptor as an argument, which might be lost.
  const reasonsNotTo = /semi[-_]space|--inspect|\/fd\/\d|--help|--version/
  const given = process.execArgv.concat(process.argv, process.env.NODE_OPTIONS).join(' ')
  // A channel to the parent (a cluster, a process manager) would be lost too. Workers of a cluster inherit the flag.
  if (process.platform === 'win32' || process.connected || reasonsNotTo.test(given)) return
  // What ends at once has no use for it, and `health` is asked for again and again.
  if (['health', 'init', '-h', '-V'].includes(process.argv[2])) return
  const flags = ['--max-semi-space-size=16'].concat(process.execArgv)
  try {
    process.execve(process.execPath, [process.argv0].concat(flags, process.argv.slice(1)))
  } catch {
    // Forbidden here (`--permission`, a policy of the host): it takes more memory then, and works as well.
  }
}

/**
 * SIGHUP ends a process that does not listen to it, and a supervisor may send it as soon as it knows the process id.
 * One that comes while modules load is sent again once `main` has been called: a program that serves listens by then,
 * and any other one ends by it. What comes before this module is loaded, in the time that Node.js itself needs, nobody
 * can keep: Node.js sets each signal back to what the system does.
 */
async function start(main) {
  let wasHungUp = false
  const keep = () => (wasHungUp = true)
  // On Windows the window was closed, and the process ends in any case.
  if (process.platform !== 'win32') process.on('SIGHUP', keep)
  if (main.pathname.endsWith('.ts')) {
    // Taking the types out of the sources at every start would cost memory and time.
    const { enableCompileCache } = await import('node:module')
    const { fileURLToPath } = await import('node:url')
    enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
  }
  const program = await import(main.href)
  const wasBefore = wasHungUp
  const ended = program.main(process.argv.slice(2))
  // One that came while this thread had no time is heard in the next turn, by the program as well where it listens.
  setImmediate(() => {
    process.off('SIGHUP', keep)
    if (wasBefore || (wasHungUp && process.listenerCount('SIGHUP') === 0)) process.kill(process.pid, 'SIGHUP')
  })
  await ended
}
