/**
 * The process: command line in, exit code out. service.ts serves; doctor/command.ts checks a
 * configuration, wsdl-command/ helps with WSDL files, and mock/command.ts is the mock Security Server.
 *
 * Flags, signals, the orderly end and exit codes are those of the package command-line.
 */
import { askHealth, disablePretenuring, live, printTold, type Running } from '@services/command-line'
import { hearWarnings, logFormats, openStdout } from '@services/observe'
import type { StartEnvironment } from '@services/config-file'
import { loadConfig } from './boot/config/config.ts'
import { readFlags } from './boot/flags.ts'
import { StartupFailure } from './errors.ts'
import { type Events, openEvents } from './events.ts'
import type { RunningService } from './service.ts'

/** Time for requests in flight to end at a shutdown; longer than the default time of a call. */
const shutdownSeconds = 40

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
    case 'wsdl add': {
      const { runAdd } = await import('./wsdl-command/add/command.ts')
      return runAdd(flags)
    }
    case 'mock': {
      // Loaded only here: the service itself does not need it.
      const { runMock } = await import('./mock/command.ts')
      return runMock(flags)
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
    name: 'xroad-proxy',
    field: 'port',
    address() {
      const environment = { flag: configFlag, env: process.env, cwd: process.cwd() }
      return loadConfig(environment, { passwords: 'unneeded' }).config
    },
    explain: (error) => (error instanceof StartupFailure ? `${error.code}: ${error.message}` : undefined),
  })
}

async function serve(configFlag: string | undefined): Promise<void> {
  const { env } = process
  const stdout = openStdout()
  const format = logFormats.find((known) => known === env['PROXY_LOG_FORMAT']) ?? 'text'
  const events = openEvents({ level: env['RUST_LOG'] || 'info', format }, stdout)
  stdout.onDropped((count) => events.emit('linesDropped', { count }))
  hearWarnings(({ leftOut, ...warning }) => events.emit('processWarning', { ...warning, left_out: leftOut }), {
    threads: false,
  })
  await live({
    shutdownSeconds,
    events,
    async start() {
      const running = await startWithAdmin({ flag: configFlag, env, cwd: process.cwd() }, events)
      disablePretenuring()
      return running
    },
    explains(error) {
      if (!(error instanceof StartupFailure)) return false
      events.emit('startupFailure', { error: error.code, message: error.message })
      return true
    },
  })
}

/**
 * With the admin listener around it where one is configured, which is loaded only then. Other commands do without the
 * service, and `health` is asked again and again.
 */
export async function startWithAdmin(environment: StartEnvironment, events: Events): Promise<Running> {
  const readAt = Date.now()
  const loaded = loadConfig(environment)
  const { startService } = await import('./service.ts')
  const { goLive } = await import('./reload/live-service.ts')
  const { admin: wanted } = loaded.config
  const given = { loaded, readAt, environment, events }
  if (wanted === undefined) {
    return goLive({ ...given, open: () => startService(loaded, environment.env, events) })
  }
  const { Admin } = await import('./admin/admin.ts')
  const admin = await Admin.open(wanted, events)
  const open = (): Promise<RunningService> => startService(loaded, environment.env, events, admin.measures)
  return admin.around(await goLive({ ...given, open, serves: (service, config) => admin.follow(service, config) }))
}
