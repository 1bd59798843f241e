/** Commands of the service, one after the other in one process that has loaded the program. */
import { join } from 'node:path'
import { type Command, type Ended, openCommands } from '@services/testing'

export const runCommand: (command: Command) => Promise<Ended> = openCommands(
  join(import.meta.dirname, 'command-host.ts'),
)
