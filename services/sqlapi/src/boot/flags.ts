/** The command line as a table: command line -> what the process is to do. How it is read is the package command-line. */
import { type CommandOf, type Program, readCommandLine, type Told } from '@services/command-line'
import { nearest } from '@services/config-file'
import { version } from '../version.ts'

const program = {
  name: 'sqlapi',
  version,
  about: 'Publishes a directory of .sql files as HTTP endpoints.',
  flags: {
    config: { kind: 'text', short: 'c', value: 'FILE' },
  },
  commands: {
    run: { flags: { config: 'read this configuration file instead of looking for one' } },
  },
  implied: 'run',
  sections: [{ commands: ['run'] }],
  environment: `Environment: SQLAPI_CONFIG names the configuration file where --config does not,
SQLAPI_LOG takes the place of logging.level.`,
  nearest,
} as const satisfies Program

export type Action = CommandOf<typeof program> | Told

/** `argv` without the runtime and the script. */
export function readFlags(argv: readonly string[]): Action {
  return readCommandLine(program, argv)
}
