/**
 * One reload of the service: everything is read again as a start reads it, what serves prepares it, and when all of it
 * is right it is taken. The package reload reports what came of it; here the operator reads what a start would
 * tell. Serves nothing itself.
 */
import type { StartEnvironment } from '@services/config-file'
import { type Reloadable, Reloads } from '@services/reload'
import { type Booted, readAll, tellConfiguration, tellSurprises } from '../boot/boot.ts'
import { type Loaded, loadConfig } from '../boot/config/config.ts'
import { loginProblem } from '../database/open.ts'
import { StartupFailure } from '../errors.ts'
import type { Events, LogSettings } from '../events.ts'
import type { PreparedSet } from '../service.ts'
import { configFiles, namedFiles } from './files.ts'
import { keepFixed } from './fixed-fields.ts'

export interface ReloadOptions {
  /** What the start has loaded. */
  readonly loaded: Loaded
  /** When loading began, by the clock of `Date`. */
  readonly readAt: number
  readonly environment: StartEnvironment
  readonly events: Events
  /** Has the log written in another way. */
  readonly writeLog: (settings: LogSettings) => void
}

/** What runs, as far as a reload touches it. */
export interface Reloaded {
  /** `prepare` rejects with a StartupFailure. */
  readonly serving: { prepare(booted: Booted): Promise<PreparedSet> }
  /** Readiness, where there is an admin listener. */
  readonly admin: { replace(booted: Booted): Promise<void> } | undefined
  /** Of the process, Unix time in milliseconds. */
  readonly startTime: number
}

export class ServiceReload implements Reloadable {
  readonly reloads: Reloads
  readonly #options: ReloadOptions
  readonly #running = Promise.withResolvers<Reloaded>()
  /** What is served. */
  #loaded: Loaded
  /** What was read last, if it could not be served. */
  #tried: Loaded | undefined

  constructor(options: ReloadOptions) {
    this.#options = options
    this.#loaded = options.loaded
    this.reloads = new Reloads(this, options.events, options.readAt)
  }

  /** The service runs: what was asked for before is done now. */
  follow(running: Reloaded): void {
    this.#running.resolve(running)
  }

  /** How long requests are taken after the signal to end. */
  get delaySeconds(): number {
    return this.#loaded.config.shutdown.delaySeconds
  }

  async reload(signal: AbortSignal): Promise<{ endpoints: number } | undefined> {
    const { environment, events, writeLog } = this.#options
    const { serving, admin, startTime } = await this.#running.promise
    this.#tried = undefined
    const next = loadConfig({ ...environment, isReload: true })
    this.#tried = next
    const { loaded, kept } = keepFixed(this.#loaded, next)
    await requireLogins(loaded)
    const found = await readAll(loaded, startTime)
    if (loaded.config.checks === 'refuse') {
      const { refuseErrors } = await import('../check/start.ts')
      await refuseErrors(loaded, environment.cwd)
    }
    if (signal.aborted) return undefined
    const prepared = await serving.prepare(found.booted)
    if (signal.aborted) {
      prepared.drop()
      return undefined
    }
    writeLog(loaded.config.logging)
    prepared.take()
    this.#loaded = loaded
    this.#tried = undefined
    void admin?.replace(found.booted)
    for (const field of kept) events.emit('fieldKept', field)
    tellConfiguration(loaded, events)
    tellSurprises(found, events)
    await this.reloads.follow(loaded.config.reload)
    return { endpoints: found.booted.endpoints.size }
  }

  files(): Iterable<string> {
    const files = new Set(configFiles(this.#loaded, this.#options.environment.cwd))
    for (const loaded of [this.#loaded, this.#tried]) {
      if (loaded === undefined) continue
      const { config, datasources } = loaded
      for (const file of namedFiles({ sqlDir: config.sqlDir, datasources })) files.add(file)
    }
    return files
  }

  explain(error: unknown): { error: string; reason: string } | undefined {
    return error instanceof StartupFailure ? { error: error.name, reason: error.message } : undefined
  }
}

/**
 * A start does not look into these files, because its databases may come later; a reload would take connections away
 * that are good.
 */
async function requireLogins({ datasources, file }: Loaded): Promise<void> {
  for (const [index, datasource] of datasources.entries()) {
    const { name, dialect } = datasource
    for (const url of [datasource.url, ...datasource.replicas]) {
      const problem = await loginProblem({ dialect, url })
      if (problem === undefined) continue
      const text = `${file}: datasources[${index}]: the files with which ${name} logs in cannot be used: ${problem}`
      throw new StartupFailure('InvalidConfigurationException', text)
    }
  }
}
