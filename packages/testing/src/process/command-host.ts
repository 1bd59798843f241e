/**
 * The end of commands.ts in the process that runs the commands: one after the other, each in its folder and with its
 * variables. What a command adds to the process, such as what it does at a signal, goes with it. Loads nothing, so that
 * a command meets the modules of the program alone.
 */

/** The program: a command line in; the exit code is set, or the process is ended with it. */
export type Main = (args: readonly string[]) => Promise<void>

export interface Order {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const own = { ...process.env }
const exit = process.exit.bind(process)

/** Takes the place of the end of this process, where a command asks for that. */
class Exit extends Error {}

/** Runs what is ordered until the test's process goes. */
export function obeyCommands(main: Main): void {
  process.on('message', (order: Order) => void obey(main, order).then((outcome) => process.send?.(outcome)))
  process.on('disconnect', () => exit())
}

async function obey(main: Main, { args, cwd, env }: Order): Promise<Outcome> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(own, name)) delete process.env[name]
  Object.assign(process.env, own, env)
  process.exitCode = 0
  const stdout = listen(process.stdout)
  const stderr = listen(process.stderr)
  const forget = [process, process.stdout].map((each) => rememberListeners(each))
  process.exit = (code) => {
    process.exitCode = code ?? process.exitCode
    throw new Exit()
  }
  try {
    await main(args)
  } catch (error) {
    if (!(error instanceof Exit)) {
      process.exitCode = 1
      process.stderr.write(String((error as Error).stack))
    }
  } finally {
    process.exit = exit
    for (const each of forget) each()
  }
  return { code: process.exitCode, stdout: stdout(), stderr: stderr() }
}

/** Gives what brings the listeners back to what they are now. */
function rememberListeners(emitter: NodeJS.EventEmitter): () => void {
  const before = new Map(emitter.eventNames().map((name) => [name, listenersOf(emitter, name)]))
  return () => {
    for (const name of new Set([...before.keys(), ...emitter.eventNames()])) {
      const kept = before.get(name) ?? []
      const now = listenersOf(emitter, name)
      for (const each of now) if (!kept.includes(each)) emitter.off(name, each)
      for (const each of kept) if (!now.includes(each)) emitter.on(name, each)
    }
  }
}

function listenersOf(emitter: NodeJS.EventEmitter, name: string | symbol): (() => void)[] {
  return emitter.rawListeners(name) as (() => void)[]
}

/** Takes what is written, instead of the stream, and gives all of it. */
function listen(stream: NodeJS.WriteStream): () => string {
  let said = ''
  stream.write = (chunk: string | Uint8Array): boolean => {
    said += Buffer.from(chunk as string).toString()
    return true
  }
  return () => {
    // That of its class comes to light again.
    Reflect.deleteProperty(stream, 'write')
    return said
  }
}
