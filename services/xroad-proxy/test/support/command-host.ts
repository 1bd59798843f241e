/**
 * The program of the process of commands.ts: runs one command after the other, each in its folder and with its
 * variables.
 */
import { main } from '../../src/main.ts'

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

process.on('message', (order: Order) => void obey(order).then((outcome) => process.send?.(outcome)))
process.on('disconnect', () => process.exit())

const own = { ...process.env }

async function obey({ args, cwd, env }: Order): Promise<Outcome> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(own, name)) delete process.env[name]
  Object.assign(process.env, own, env)
  process.exitCode = 0
  const stdout = listen(process.stdout)
  const stderr = listen(process.stderr)
  try {
    await main(args)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(String((error as Error).stack))
  }
  return { code: process.exitCode, stdout: stdout(), stderr: stderr() }
}

/** Takes what is written in the place of the stream, and gives all of it. */
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
