/**
 * The process: command line in, exit code out. Flags, start, signals, orderly end; everything else is service.ts, or
 * workers/primary.ts where several processes serve.
 *
 * Exit codes: 0 after --help, --version and an orderly end; 1 when the start failed; 2 for a wrong flag. A forced end is a kill.
 */
import { boot, type Booted } from './boot/boot.ts'
import { loadConfig } from './boot/config.ts'
import { readFlags } from './boot/flags.ts'
import { StartupFailure } from './errors.ts'
import { type Destination, type Log, openLog, openStdout } from './log.ts'
import { logWarnings } from './warnings.ts'

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

/** What serves: in this process, or in others. */
interface Running {
  /** Finishes what is in flight. */
  close(): Promise<void>
  /** Ends other processes at once. */
  abandon?(): void
}

async function run(configFlag: string | undefined): Promise<void> {
  const stdout = openStdout()
  let log = openLog({ level: 'info', format: 'text', destination: stdout })
  logWarnings(() => log)
  try {
    const loaded = loadConfig({ flag: configFlag, env: process.env, cwd: process.cwd() })
    log = openLog({ ...loaded.config.logging, destination: stdout })
    const running = await start(await boot(loaded, log), log, stdout)
    endOnSignal(running, log)
    process.on('uncaughtException', (error) => {
      log.write('internalError', { method: '', path: '', stack: error.stack ?? error.message })
      force(running, log, 'unexpected error')
    })
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    if (error.format !== undefined) log = openLog({ level: 'info', format: error.format, destination: stdout })
    log.write('startupFailure', { error: error.name, message: error.message })
    // Not left to the event loop: a database that is being probed would keep the process alive.
    process.exit(1)
  }
}

/** Only what serves here is loaded: a process that watches over workers stays small. */
async function start(booted: Booted, log: Log, stdout: Destination): Promise<Running> {
  if (booted.config.server.workers > 1) {
    const { startWorkers } = await import('./workers/primary.ts')
    return startWorkers(booted, log, stdout)
  }
  const { startService } = await import('./service.ts')
  return startService(booted, log)
}

function endOnSignal(running: Running, log: Log): void {
  let isEnding = false
  const end = (signal: NodeJS.Signals): void => {
    if (isEnding) force(running, log, 'second signal')
    isEnding = true
    log.write('shuttingDown', { signal })
    setTimeout(() => force(running, log, `${shutdownSeconds} s`), shutdownSeconds * 1000).unref()
    void running.close().then(() => {
      log.write('stopped', {})
      process.exit(0)
    })
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** Killed, not exited: an exit would wait for a worker that is in the middle of a long SQLite statement. */
function force(running: Running, log: Log, reason: string): void {
  log.write('stopForced', { reason })
  log.flush()
  running.abandon?.()
  process.kill(process.pid, 'SIGKILL')
}
