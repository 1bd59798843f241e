/** The subcommand `wsdl add`: flags in, report on stdout and exit code out. add.ts does the work. */
import { exitCodes, toPlainLine } from '@services/command-line'
import type { AddAction } from '../../boot/flags.ts'
import { orRefuse, readSettings, refuse, say } from '../terminal.ts'
import { add } from './add.ts'
import { AddProblem } from './add-problem.ts'
import { toReport } from './report.ts'

export async function runAdd(action: AddAction): Promise<void> {
  await orRefuse(async () => {
    try {
      const tell = (sentence: string): void => void process.stderr.write(`xroad-proxy: ${toPlainLine(sentence)}\n`)
      const report = toReport(await add(action, readSettings(action.config), process.env, tell))
      say(report.split('\n').map(toPlainLine).join('\n'))
    } catch (error) {
      if (!(error instanceof AddProblem)) throw error
      if (!error.isUsage) return refuse(`${error.message}; nothing was added`)
      refuse(error.message)
      process.stderr.write('Try: xroad-proxy --help\n')
      process.exitCode = exitCodes.usage
    }
  })
}
