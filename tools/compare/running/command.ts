/** Commands of a side that end by themselves, each recorded with its exit code and all that it has printed. */
import { type ProgramOptions, runCommand, type Service, shown } from '../programs.ts'
import type { Recording } from '../recording.ts'
import type { Side } from '../sides.ts'

export interface Commands extends ProgramOptions {
  readonly side: Side
  readonly recording: Recording
  readonly service: Service
  /** Stands before each title. */
  readonly title: string
}

/** A command is one text whose words are separated by spaces. */
export async function runCommands(
  { side, recording, service, title, ...options }: Commands,
  commands: readonly string[],
): Promise<void> {
  for (const command of commands) {
    const args = command === '' ? [] : command.split(' ')
    const ended = await runCommand(side, service, args, options)
    recording.addText('command', `${title}: ${service} ${command}`, `${service} ${command}`, shown(ended))
  }
}
