/**
 * The process: command line in, exit code out. Flags, start, signals, orderly end; everything else is service.ts.
 *
 * Exit codes: 0 after --help, --version and an orderly end; 1 when the start failed; 2 for a wrong flag. A forced end is a kill.
 */
import { loadConfig } from './boot/config.ts'
import { readFlags } from './boot/flags.ts'
import { StartupFailure } from './errors.ts'
import { type Log, openLog } from './log.ts'
import { type RunningService, startService } from './service.ts'

/** Requests in flight at a shutdown get so long to end. */
const shutdownSeconds = 30

export async function main(argv: readonly string[]): Promise<void> {
  const flags = readFlags(argv)
  switch (flags.action) {
    case 'run':
      return run(flags.config)
    case 'refuse':
      process.stderr.write(flags.text)
      process.exitCode = 2
      return
    case 'help':
    case 'version':
      process.stdout.write(flags.text)
  }
}

async function run(configFlag: string | undefined): Promise<void> {
  let log = openLog({ level: 'info', format: 'text' })
  try {
    const loaded = loadConfig({ flag: configFlag, env: process.env, cwd: process.cwd() })
    log = openLog(loaded.config.logging)
    const service = await startService(loaded, log)
    endOnSignal(service, log)
    process.on('uncaughtException', (error) => {
      log.write('internalError', { method: '', path: '', stack: error.stack ?? error.message })
      force(log, 'unexpected error')
    })
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    if (error.format !== undefined) log = openLog({ level: 'info', format: error.format })
    log.write('startupFailure', { error: error.name, message: error.message })
    // Not left to the event loop: a database that is being probed would keep the process alive.
    process.exit(1)
  }
}

function endOnSignal(service: RunningService, log: Log): void {
  let isEnding = false
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) force(log, 'second signal')
    isEnding = true
    log.write('shuttingDown', { signal })
    setTimeout(() => force(log, `${shutdownSeconds} s`), shutdownSeconds * 1000).unref()
    void service.close().then(() => {
      log.write('stopped', {})
      process.exit(0)
    })
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** Killed, not exited: an exit would wait for a worker that is in the middle of a long SQLite statement. */
function force(log: Log, reason: string): void {
  log.write('stopForced', { reason })
  process.kill(process.pid, 'SIGKILL')
}
