/** The command line of a soak: `--minutes N` and `--write`, which puts the result into the page of the bench. */
import { parseArgs } from 'node:util'
import { describeMachine, writeBetween } from '../report/report.ts'
import { toSoakMarkdown } from './report.ts'
import type { SoakReport } from './soak.ts'

export interface SoakCommand {
  /** Of the service. */
  readonly name: string
  /** The page with the markers of the result. */
  readonly page: URL
  /** What else takes part, with its version. */
  readonly versions: string
  readonly run: (minutes: number) => Promise<SoakReport>
}

const markers = {
  begin: '<!-- soak: written by `npm run soak -- --minutes 20 --write` -->',
  end: '<!-- end of soak -->',
}
const usage = 'Usage: npm run soak -- [--minutes N] [--only SERVICE] [--write]'

/** Ends with 1 where something was wrong, with 2 where the command line is. */
export async function runSoakCommand({ name, page, versions, run }: SoakCommand): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' }, write: { type: 'boolean' } } })
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= 24 * 60)) {
    console.error(`--minutes ${values.minutes}: expected a number up to 1440\n${usage}`)
    process.exitCode = 2
    return
  }
  const report = await run(minutes)
  const markdown = toSoakMarkdown(name, describeMachine(versions), report)
  console.log(markdown)
  if (report.problems.length > 0) process.exitCode = 1
  else if (values.write === true) writeBetween(page, markers, markdown)
}
