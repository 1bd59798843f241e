/**
 * The subcommand `check`: flags and a terminal in, a report on stdout and the exit code out. Reads what the service
 * would read at start and runs no statement.
 */
import { type ExitCode, exitCodes, type Terminal, type TextOutput } from '@services/command-line'
import type { CheckAction } from '../boot/flags.ts'
import { layoutCure } from '../boot/ignored.ts'
import { StartupFailure } from '../errors.ts'
import type { Finding } from '../findings/finding.ts'
import { reports } from '../findings/reports.ts'
import { lockFileName } from '../lock/lock.ts'
import { type Checked, checkFiles } from './check.ts'
import { Progress } from './progress.ts'
import { type Project, readProject } from './project.ts'
import { ProjectLock } from './project-lock.ts'

export async function runCheck(flags: CheckAction, { env, cwd, stdout, stderr }: Terminal): Promise<ExitCode> {
  const begun = performance.now()
  if (flags.offline && (flags.write || flags.explain)) {
    const flag = flags.write ? 'write' : 'explain'
    tell(stderr, `--${flag} asks the databases, and --offline asks none; leave one of them out`)
    return exitCodes.usage
  }
  try {
    const project = await readProject({ flag: flags.config, env, cwd }, flags)
    for (const diagnostic of project.diagnostics) tell(stderr, `warning: ${diagnostic}`)
    const progress = new Progress(project.endpoints.size, flags.format, stderr)
    const lock = new ProjectLock(project, { isWritten: flags.write, isNeeded: flags.offline })
    const options = { explain: flags.explain, onProgress: progress.at, offline: flags.offline, lock }
    const { findings: found, files, hindrances, descriptions } = await checkFiles(project, options)
    const findings = files === 0 ? [noFile(project), ...found] : found
    progress.end()
    const ms = performance.now() - begun
    stdout.write(
      reports[flags.format]({ findings, files, isPart: hindrances.length > 0, ms, colours: stdout.hasColours }),
    )
    for (const hindrance of hindrances) tell(stderr, hindrance)
    const code = hindrances.length > 0 ? exitCodes.unable : exitCodeOf(findings, flags.strict)
    return flags.write ? writeLock(code, { lock, descriptions, stderr }) : code
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    tell(stderr, `${error.name}: ${error.message}`)
    return exitCodes.unable
  }
}

interface Written extends Pick<Checked, 'descriptions'> {
  readonly lock: ProjectLock
  readonly stderr: TextOutput
}

/** Only where all has been found right. */
function writeLock(code: ExitCode, { lock, descriptions, stderr }: Written): ExitCode {
  if (code !== exitCodes.success) {
    tell(stderr, `${lockFileName} is as it was, because not all files are right`)
    return code
  }
  try {
    tell(stderr, lock.write(descriptions) ? `${lockFileName} is written` : `${lockFileName} says all this already`)
    return code
  } catch (error) {
    tell(stderr, `${lockFileName} cannot be written: ${(error as Error).message}`)
    return exitCodes.unable
  }
}

/** Nothing to report would be misleading: the service would serve nothing. */
function noFile({ shown }: Pick<Project, 'shown'>): Finding {
  const place = { file: shown('') || '.', line: 1, column: 1 }
  return {
    severity: 'error',
    code: 'file',
    ...place,
    message: 'there is no .sql file to serve',
    text: '',
    cure: layoutCure,
  }
}

/** Not on stdout, which programs read. */
function tell(stderr: TextOutput, problem: string): void {
  stderr.write(`sqlapi: ${problem}\n`)
}

function exitCodeOf(findings: readonly Finding[], isStrict: boolean): ExitCode {
  const isBad = findings.some(({ severity }) => severity === 'error' || (isStrict && severity === 'warning'))
  return isBad ? exitCodes.failure : exitCodes.success
}
