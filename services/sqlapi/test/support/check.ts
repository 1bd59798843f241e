/** `sqlapi check` as its users meet it: a process over a tree of files; its report and exit code come back. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Ended, type Files, newFolder, writeFiles } from '@services/testing'
import type { Finding } from '../../src/findings/finding.ts'
import { spawnSqlapi } from './process.ts'

export interface CheckSetting {
  /** The tree of `.sql` files. */
  readonly files: Files
  /** Fields of sqlapi.yaml beside `sql_dir`. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Where the files and the configuration are; a new folder unless given. */
  readonly folder?: string
}

/** Runs it as it is called. */
export function runCheck({
  files,
  config = {},
  args = [],
  env = {},
  folder = newFolder(),
}: CheckSetting): Promise<Ended> {
  writeFiles(join(folder, 'sql'), files)
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', ...config }))
  return spawnSqlapi({ cwd: folder, args: ['check', ...args], env }).ended
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
