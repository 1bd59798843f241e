/**
 * What a command sees of the place where it is called: the variables, the working directory, and where its words go.
 * Its own process, or a test that runs many commands in one. Also what is printed where no command runs.
 */
import { exitCodes } from './exit-codes.ts'
import type { Told } from './words/program.ts'

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** For the report, which programs read. */
  readonly stdout: TextOutput
  /** For everything else. */
  readonly stderr: TextOutput
}

export interface TextOutput {
  readonly isTerminal: boolean
  readonly hasColours: boolean
  write(text: string): void
}

/** A reader that closes early, such as `head`, has had enough: no failure of the command. */
export function ownTerminal(): Terminal {
  process.stdout.on('error', () => undefined)
  return { env: process.env, cwd: process.cwd(), stdout: toOutput(process.stdout), stderr: toOutput(process.stderr) }
}

/** Sets the exit code where the command line is refused. */
export function printTold({ action, text }: Told): void {
  switch (action) {
    case 'refuse':
      process.stderr.write(text)
      process.exitCode = exitCodes.usage
      return
    case 'help':
    case 'version':
      process.stdout.write(text)
  }
}

function toOutput(stream: NodeJS.WriteStream): TextOutput {
  const { isTTY: isTerminal } = stream
  return { isTerminal, hasColours: isTerminal && stream.hasColors(), write: (text) => void stream.write(text) }
}
