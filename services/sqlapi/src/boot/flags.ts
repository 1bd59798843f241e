/**
 * Command line -> what the process is to do. Nothing is printed and nothing is read here: main writes `text` to stdout
 * (help, version; exit 0) or to stderr (refuse; exit 2).
 */
import { parseArgs } from 'node:util'
import { version } from '../version.ts'

export type Action =
  | { readonly action: 'run'; readonly config?: string }
  | { readonly action: 'help' | 'version' | 'refuse'; readonly text: string }

const usage = `Usage: sqlapi [--config FILE]

Publishes a directory of .sql files as HTTP endpoints.

  -c, --config FILE   read this configuration file instead of looking for one
  -h, --help          show this text and exit
  -V, --version       show the version and exit

Environment: SQLAPI_CONFIG names the configuration file where --config does not,
SQLAPI_LOG takes the place of logging.level.
`

const options = {
  config: { type: 'string', short: 'c' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const

/** `argv` without the runtime and the script. */
export function readFlags(argv: readonly string[]): Action {
  try {
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false })
    if (values.help) return { action: 'help', text: usage }
    if (values.version) return { action: 'version', text: `sqlapi ${version}\n` }
    if (values.config === '') return refuse('--config needs the name of a file')
    return values.config === undefined ? { action: 'run' } : { action: 'run', config: values.config }
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function refuse(problem: string): Action {
  return { action: 'refuse', text: `sqlapi: ${problem}\nTry: sqlapi --help\n` }
}
