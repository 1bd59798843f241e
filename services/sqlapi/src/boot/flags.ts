/**
 * The command line as a table: command line -> what the process is to do. How it is read is the package command-line.
 */
import { type CommandOf, type Program, readCommandLine, type Told } from '@services/command-line'
import { nearest } from '@services/config-file'
import { reportFormats } from '../findings/reports.ts'
import { version } from '../version.ts'

const program = {
  name: 'sqlapi',
  version,
  about: 'Publishes a directory of .sql files as HTTP endpoints.',
  flags: {
    config: { kind: 'text', short: 'c', value: 'FILE' },
    datasource: { kind: 'text', value: 'NAME' },
    format: { kind: 'choice', value: 'FORMAT', choices: reportFormats },
    /** Of the cases that were run. */
    report: { kind: 'choice', name: 'format', value: 'FORMAT', choices: ['text', 'junit'] },
    /** Whether warnings count as errors. */
    strict: { kind: 'switch' },
    /** Whether to write the lock file. */
    write: { kind: 'switch' },
    /** Whether to do without databases. */
    offline: { kind: 'switch' },
    /** Whether to ask for plans. */
    explain: { kind: 'switch' },
  },
  commands: {
    run: { flags: { config: 'read this configuration file instead of looking for one' } },
    check: {
      flags: {
        config: '',
        datasource: 'check all files on this datasource',
        format: 'text, json or github (text)',
        strict: 'exit with 1 for warnings too',
        write: 'write the lock file, unless there are errors',
        offline: 'ask no database, compare with the lock file',
        explain: 'also report statements that scan large tables',
      },
    },
    openapi: { flags: { config: '' } },
    health: { flags: { config: '' } },
    dev: { flags: { config: '' } },
    test: {
      flags: { config: '', report: 'text or junit (text)' },
      operand: { value: 'FOLDER', is: 'a folder', isOptional: true },
    },
    init: { flags: {}, operand: { value: 'FOLDER', is: 'a folder', isOptional: true } },
  },
  implied: 'run',
  sections: [
    { heading: 'run, the service (also without a command):', commands: ['run'] },
    { heading: 'check, a look at every file before it runs:', commands: ['check'] },
    { heading: 'dev, the service on 127.0.0.1, with changed files as they are saved.', commands: ['dev'] },
    { heading: 'test, which runs the cases of *.test.yaml files in FOLDER, or here:', commands: ['test'] },
    { heading: 'init, which writes a small project into FOLDER, or here.', commands: ['init'] },
    { heading: 'openapi, which prints the description of all endpoints.', commands: ['openapi'] },
    { heading: 'health, which asks a running service on this host, for health checks.', commands: ['health'] },
  ],
  environment: `Environment: SQLAPI_CONFIG names the configuration file if --config does not,
SQLAPI_LOG replaces logging.level.`,
  nearest,
} as const satisfies Program

export type Action = CommandOf<typeof program> | Told
export type OpenApiAction = Extract<Action, { action: 'openapi' }>
export type TestAction = Extract<Action, { action: 'test' }>
export type InitAction = Extract<Action, { action: 'init' }>
export type CheckAction = Extract<Action, { action: 'check' }>

/** `argv` without the runtime and the script. */
export function readFlags(argv: readonly string[]): Action {
  return readCommandLine(program, argv)
}
