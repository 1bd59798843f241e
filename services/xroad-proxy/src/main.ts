/**
 * The process: command line in, exit code out. Flags, start, signals, orderly end; everything else is service.ts,
 * doctor/command.ts for the check of a configuration, wsdl-command/command.ts for what helps with WSDL files and
 * mock/command.ts for the mock Security Server.
 *
 * Exit codes: 0 after --help, --version and an orderly end; 1 when the start failed or the doctor found reasons why it would;
 * 2 for a wrong flag. A forced end is a kill.
 */
import { loadConfig } from './boot/config.ts'
import { readFlags } from './boot/flags.ts'
import { StartupFailure } from './errors.ts'
import { type Log, openLog } from './log.ts'
import { type RunningService, startService } from './service.ts'
import { logWarnings } from './warnings.ts'

/** Requests in flight at a shutdown get so long to end; longer than the default of a call. */
const shutdownSeconds = 40
/** A forced end waits so long for its line of log, in case nobody reads it. */
const lastLineMs = 1000

export async function main(argv: readonly string[]): Promise<void> {
  const flags = readFlags(argv)
  switch (flags.action) {
    case 'serve':
      return serve(flags.config)
    case 'doctor': {
      const { runDoctor } = await import('./doctor/command.ts')
      return runDoctor(flags)
    }
    case 'wsdl explain': {
      const { runExplain } = await import('./wsdl-command/command.ts')
      return runExplain(flags)
    }
    case 'wsdl vendor': {
      const { runVendor } = await import('./wsdl-command/command.ts')
      return runVendor(flags)
    }
    case 'mock': {
      // Loaded only here: the service itself needs none of it.
      const { runMock } = await import('./mock/command.ts')
      return runMock(flags)
    }
    case 'refuse':
      process.stderr.write(flags.text)
      process.exitCode = 2
      return
    case 'help':
    case 'version':
      process.stdout.write(flags.text)
  }
}

async function serve(configFlag: string | undefined): Promise<void> {
  const { env } = process
  const log = openLog({
    level: env['RUST_LOG'] || 'info',
    format: env['PROXY_LOG_FORMAT'] === 'json' ? 'json' : 'text',
  })
  process.on('exit', () => log.flush())
  logWarnings(log)
  try {
    const loaded = loadConfig({ flag: configFlag, env, cwd: process.cwd() })
    const service = await startService(loaded, env, log)
    endOnSignal(service, log)
    process.on('uncaughtException', (error) => {
      log.write('internalError', { stack: error.stack ?? error.message })
      force(log, 'unexpected error')
    })
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    log.write('startupFailure', { error: error.code, message: error.message })
    await log.drained()
    process.exit(1)
  }
}

function endOnSignal(service: RunningService, log: Log): void {
  let isEnding = false
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) {
      force(log, 'second signal')
      return
    }
    isEnding = true
    log.write('shuttingDown', { signal })
    setTimeout(() => force(log, `${shutdownSeconds} s`), shutdownSeconds * 1000).unref()
    void service
      .close()
      .then(() => {
        log.write('stopped', {})
        return log.drained()
      })
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

function force(log: Log, reason: string): void {
  log.write('stopForced', { reason })
  const end = (): void => void process.kill(process.pid, 'SIGKILL')
  setTimeout(end, lastLineMs)
  void log.drained().then(end)
}
