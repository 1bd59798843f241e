/**
 * The check of a start that is told to refuse wrong files (`checks: refuse`): errors become the reason of the refusal.
 * What cannot be checked, because a database cannot be reached, refuses nothing.
 */
import type { Loaded } from '../boot/config/config.ts'
import { StartupFailure } from '../errors.ts'
import { checkFiles } from './check.ts'
import { readFilesOf } from './project.ts'

/** No more than this are reported; the command reports all. */
const maxTold = 5

/** Does not read the configuration again, which may have come from a pipe. */
export async function refuseErrors(loaded: Loaded, cwd: string): Promise<void> {
  const { findings } = await checkFiles(await readFilesOf(loaded, { cwd }))
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  const told = errors.slice(0, maxTold).map(({ file, line, column, code, message, cure }) => {
    return `${file}:${line}:${column}: ${code}: ${message} (${cure})`
  })
  const more = errors.length > maxTold ? `; and ${errors.length - maxTold} more, see sqlapi check` : ''
  const count = errors.length === 1 ? 'there is an error' : `there are ${errors.length} errors`
  const text = `${count} in the files, and checks is refuse: ${told.join('; ')}${more}`
  throw new StartupFailure('InvalidQueryException', text.replaceAll(/[\r\n]+\s*/g, ' '))
}
