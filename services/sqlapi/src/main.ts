/**
 * The process: command line in, exit code out. What serves is service.ts, or workers/primary.ts where several processes
 * serve; each other command has a folder. Flags, signals, the orderly end and exit codes are those of the package
 * command-line.
 */
import { askHealth, disablePretenuring, live, ownTerminal, printTold, type Running } from '@services/command-line'
import type { StartEnvironment } from '@services/config-file'
import { type Destination, EventStream, hearWarnings, openStdout } from '@services/observe'
import type { Admin } from './admin/admin.ts'
import { boot, type Booted } from './boot/boot.ts'
import { type Loaded, loadConfig } from './boot/config/config.ts'
import { readFlags } from './boot/flags.ts'
import { StartupFailure } from './errors.ts'
import type { Measures } from './measure/measures.ts'
import { ServiceReload } from './reload/service-reload.ts'
import type { RunningService } from './service.ts'
import type { Workers } from './workers/primary.ts'
import { type EventFields, type Events, eventTable, type LogSettings, logWriter } from './events.ts'

/** How long requests in flight may take to finish at a shutdown. */
const shutdownSeconds = 30

/** The commands but `run` are loaded only where they are called: the service itself needs none of them. */
export async function main(argv: readonly string[]): Promise<void> {
  const flags = readFlags(argv)
  switch (flags.action) {
    case 'run':
      return serve(flags.config, run)
    case 'dev': {
      const { startDev } = await import('./dev/dev.ts')
      return serve(flags.config, startDev)
    }
    case 'check': {
      const { runCheck } = await import('./check/command.ts')
      process.exitCode = await runCheck(flags, ownTerminal())
      return
    }
    case 'openapi': {
      const { printDescription } = await import('./openapi/command.ts')
      return printDescription(flags)
    }
    case 'test': {
      const { runTests } = await import('./testing/command.ts')
      return runTests(flags)
    }
    case 'init': {
      const { runInit } = await import('./init/command.ts')
      return runInit(flags)
    }
    case 'health':
      return askWhetherUp(flags.config)
    case 'refuse':
    case 'help':
    case 'version':
      return printTold(flags)
  }
}

function askWhetherUp(configFlag: string | undefined): Promise<void> {
  return askHealth({
    name: 'sqlapi',
    field: 'server.bind',
    address() {
      const environment = { flag: configFlag, env: process.env, cwd: process.cwd() }
      return loadConfig(environment, { passwords: 'unneeded' }).config.server.bind
    },
    explain: (error) => (error instanceof StartupFailure ? `${error.name}: ${error.message}` : undefined),
  })
}

/** What a service is started with. */
export interface Start {
  readonly loaded: Loaded
  /** When loading began, by the clock of `Date`. */
  readonly readAt: number
  readonly environment: StartEnvironment
  readonly events: Events
  readonly stdout: Destination
  /** Has the log written in another way from now on. */
  readonly writeLog: (settings: LogSettings) => void
}

/** Serves until the process ends. */
async function serve(configFlag: string | undefined, start: (given: Start) => Promise<Running>): Promise<void> {
  const stdout = openStdout()
  const events = new EventStream<EventFields>(eventTable)
  const writeLog = logWriter(events, stdout)
  // Until the configuration says how the log is written.
  writeLog({ level: 'info', format: 'text' })
  stdout.onDropped((count) => events.emit('linesDropped', { count }))
  hearWarnings((warning) => events.emit('processWarning', warning), { threads: true })
  await live({
    shutdownSeconds,
    events,
    async start() {
      const environment = { flag: configFlag, env: process.env, cwd: process.cwd() }
      const readAt = Date.now()
      const loaded = loadConfig(environment)
      writeLog(loaded.config.logging)
      const running = await start({ loaded, readAt, environment, events, stdout, writeLog })
      disablePretenuring()
      return running
    },
    explains(error) {
      if (!(error instanceof StartupFailure)) return false
      if (error.format !== undefined) writeLog({ level: 'info', format: error.format })
      events.emit('startupFailure', { error: error.name, message: error.message })
      return true
    },
  })
}

/** The service and its admin listener, in this process and its workers; ends by `close`. */
export async function run({ loaded, readAt, environment, events, stdout, writeLog }: Start): Promise<Running> {
  const reload = new ServiceReload({ loaded, readAt, environment, events, writeLog })
  // Before anything is read: what changes from now on is read again.
  await reload.reloads.follow(loaded.config.reload)
  const booted = await boot(loaded, events)
  if (loaded.config.checks === 'refuse') {
    const { refuseErrors } = await import('./check/start.ts')
    await refuseErrors(loaded, environment.cwd)
  }
  const { running, serving, admin } = await startProcesses(booted, events, stdout)
  const { startTime } = booted
  reload.follow({ serving, admin, startTime })
  return changeable(running, reload)
}

interface Started {
  readonly running: Running
  readonly serving: Workers | RunningService
  readonly admin: Admin | undefined
}

async function startProcesses(booted: Booted, events: Events, stdout: Destination): Promise<Started> {
  if (booted.config.admin === undefined) {
    const serving = await startServing(booted, events, stdout)
    return { running: serving, serving, admin: undefined }
  }
  // Opened before the service, on which it reports, and closed after it.
  const { Admin } = await import('./admin/admin.ts')
  const admin = await Admin.open(booted, events)
  const serving = await startServing(booted, events, stdout, admin.measures)
  admin.follow(serving)
  return { running: admin.around(serving), serving, admin }
}

/** Loads only what this process needs: one that watches over workers stays small. */
async function startServing(
  booted: Booted,
  events: Events,
  stdout: Destination,
  measures?: Measures,
): Promise<Workers | RunningService> {
  if (booted.config.server.workers > 1) {
    const { startWorkers } = await import('./workers/primary.ts')
    return startWorkers(booted, events, stdout)
  }
  const { startService } = await import('./service.ts')
  return startService(booted, events, measures)
}

/** From the signal to end on nothing is read again. */
function changeable(running: Running, reload: ServiceReload): Running {
  const { reloads } = reload
  return {
    get delaySeconds() {
      return reload.delaySeconds
    },
    reload: (trigger) => reloads.request(trigger),
    announceEnd() {
      void reloads.close()
      running.announceEnd?.()
    },
    close: () => running.close(),
    abandon: () => running.abandon?.(),
  }
}
