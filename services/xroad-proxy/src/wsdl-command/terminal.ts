/**
 * What the `wsdl` commands have in common at a terminal: the configuration that they read, what they say, how they end.
 */
import { exitCodes, toPlainLine } from '@services/command-line'
import { joinProblems, inWords } from '@services/config-file'
import { readConfig } from '../boot/config/config.ts'
import { type Config, parseConfig } from '../boot/config/schema.ts'
import { StartupFailure } from '../errors.ts'
import { PathError } from './paths.ts'

/** Who we are and where calls may go; what else the configuration needs to start is not asked for. */
export function readSettings(flag: string | undefined): Config {
  const file = readConfig({ flag, env: process.env, cwd: process.cwd() })
  const { value, problems } = parseConfig(file.data)
  if (value !== undefined) return value
  throw new StartupFailure(
    'invalid_configuration',
    joinProblems(problems, file.places, (problem) => inWords(file, problem)),
  )
}

/** Expected errors are one line and exit code 1. */
export async function orRefuse(run: () => void | Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof StartupFailure) && !(error instanceof PathError)) throw error
    refuse(error.message)
  }
}

export function refuse(message: string): void {
  process.stderr.write(`xroad-proxy: ${toPlainLine(message)}\n`)
  process.exitCode = exitCodes.failure
}

/** A reader that closes early, such as `head`, has had enough. */
export function say(text: string): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined)
  process.stdout.write(text)
}
