/** `sqlapi check` as its users meet it: over a tree of files; its report and exit code come back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TextOutput } from '@services/command-line'
import { type Ended, type Files, newFolder, writeFiles } from '@services/testing'
import { readFlags } from '../../src/boot/flags.ts'
import { runCheck as check } from '../../src/check/command.ts'
import type { Finding } from '../../src/findings/finding.ts'
import { spawnSqlapi } from './process.ts'

export interface CheckSetting {
  /** The tree of `.sql` files. */
  readonly files: Files
  /** Fields of sqlapi.yaml beside `sql_dir`; relative paths in them mean nothing but to a process. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where the files and the configuration are; a new folder unless given. */
  readonly folder?: string
}

/**
 * Runs the command in this process: what is behind a command line and in front of a terminal is the same for all
 * commands.
 */
export async function runCheck(setting: CheckSetting): Promise<Ended> {
  const { folder, args, env } = prepare(setting)
  const flags = readFlags(args)
  if (flags.action !== 'check') throw new Error(`not the command check: ${args.join(' ')}`)
  const said = { stdout: '', stderr: '' }
  const to = (name: keyof typeof said): TextOutput => {
    return { isTerminal: false, hasColours: false, write: (text) => void (said[name] += text) }
  }
  const code = await check(flags, { env, cwd: folder, stdout: to('stdout'), stderr: to('stderr') })
  return { code, signal: null, ...said }
}

/** The same as a process. */
export function spawnCheck(setting: CheckSetting): Promise<Ended> {
  const { folder, args, env } = prepare(setting)
  return spawnSqlapi({ cwd: folder, args, env }).ended
}

function prepare({ files, config = {}, args = [], env = {}, folder = newFolder() }: CheckSetting) {
  const sqlDir = join(folder, 'sql')
  writeFiles(sqlDir, files)
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: sqlDir, ...config }))
  return { folder, args: ['check', ...args], env }
}

export interface Found {
  readonly code: number | null
  readonly findings: readonly Finding[]
  readonly stderr: string
}

/** The findings, from the report in JSON. */
export async function findingsOf(setting: CheckSetting): Promise<Found> {
  const { code, stdout, stderr } = await runCheck({ ...setting, args: ['--format', 'json', ...(setting.args ?? [])] })
  return { code, stderr, findings: stdout === '' ? [] : (JSON.parse(stdout) as Finding[]) }
}

/** One finding in a line: `error syntax sql/demo/GET/x.sql:1:8 message`. */
export function inBrief({ severity, code, file, line, column, message }: Finding): string {
  return `${severity} ${code} ${file}:${line}:${column} ${message}`
}
