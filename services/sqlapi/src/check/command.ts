/**
 * The subcommand `check`: flags in, a report on stdout and the exit code out. Reads what the service would read at start and
 * runs no statement.
 */
import { exitCodes } from '@services/command-line'
import type { CheckAction } from '../boot/flags.ts'
import { StartupFailure } from '../errors.ts'
import type { Finding } from '../findings/finding.ts'
import { reports } from '../findings/reports.ts'
import { lockFileName } from '../lock/lock.ts'
import { type Checked, checkFiles } from './check.ts'
import { Progress } from './progress.ts'
import { readProject } from './project.ts'
import { ProjectLock } from './project-lock.ts'

export async function runCheck(flags: CheckAction): Promise<void> {
  const begun = performance.now()
  // Whoever reads only the beginning, such as `head`, has had enough: no failure of the check.
  process.stdout.on('error', () => undefined)
  if (flags.offline && (flags.write || flags.explain)) {
    tell(`--${flags.write ? 'write' : 'explain'} asks the databases, and --offline asks none; leave one of them out`)
    process.exitCode = exitCodes.usage
    return
  }
  try {
    const start = { flag: flags.config, env: process.env, cwd: process.cwd() }
    const project = await readProject(start, flags)
    const progress = new Progress(project.endpoints.size, flags.format)
    const lock = new ProjectLock(project, !flags.write)
    const options = { explain: flags.explain, onProgress: progress.at, offline: flags.offline, lock }
    const { findings, files, hindrances, descriptions } = await checkFiles(project, options)
    progress.end()
    const report = {
      findings,
      files,
      ms: performance.now() - begun,
      colours: process.stdout.isTTY && process.stdout.hasColors(),
    }
    process.stdout.write(reports[flags.format](report))
    for (const hindrance of hindrances) tell(hindrance)
    process.exitCode = hindrances.length > 0 ? exitCodes.unable : exitCodeOf(findings, flags.strict)
    if (flags.write) writeLock(lock, descriptions)
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    tell(`${error.name}: ${error.message}`)
    process.exitCode = exitCodes.unable
  }
}

/** Only where all has been found right. */
function writeLock(lock: ProjectLock, descriptions: Checked['descriptions']): void {
  if (process.exitCode !== exitCodes.success) {
    tell(`${lockFileName} is as it was, because not all files are right`)
    return
  }
  try {
    tell(lock.write(descriptions) ? `${lockFileName} is written` : `${lockFileName} says all this already`)
  } catch (error) {
    tell(`${lockFileName} cannot be written: ${(error as Error).message}`)
    process.exitCode = exitCodes.unable
  }
}

/** Not on stdout, which programs read. */
function tell(problem: string): void {
  process.stderr.write(`sqlapi: ${problem}\n`)
}

function exitCodeOf(findings: readonly Finding[], isStrict: boolean): number {
  const isBad = findings.some(({ severity }) => severity === 'error' || (isStrict && severity === 'warning'))
  return isBad ? exitCodes.failure : exitCodes.success
}
