/**
 * The service as a process that reads its files again: what SIGHUP and the watch ask for. When they do, one after the
 * other, is the package reload; how the new set takes the place of the old one is service.ts.
 */
import type { Running } from '@services/command-line'
import type { StartEnvironment } from '@services/config-file'
import { keepFields, type Pace, Reloads } from '@services/reload'
import { type Loaded, loadConfig, possibleFiles, refuseLostFile } from '../boot/config/config.ts'
import type { Config } from '../boot/config/schema.ts'
import { StartupFailure } from '../errors.ts'
import type { Events } from '../events.ts'
import type { RunningService } from '../service.ts'
import { SetFiles } from './files.ts'

/** They are a part of what stays: the ports, and who reads what arrives on them. */
const keptFields = ['host', 'port', 'server.fast_reader', 'admin.bind']

export interface Live {
  /** Reads what is served, and serves it. */
  readonly open: () => Promise<RunningService>
  readonly loaded: Loaded
  /** When loading began, by the clock of `Date`. */
  readonly readAt: number
  readonly environment: StartEnvironment
  readonly events: Events
  /** Told of each configuration that is served, beginning with the first. */
  readonly serves?: (service: RunningService, config: Config) => void
  /** For tests. */
  readonly pace?: Pace | undefined
}

export interface LiveService extends Running {
  readonly port: number
}

/** From now on files are read again when it is asked for, and when they change where they are watched. */
export async function goLive({ open, loaded, readAt, environment, events, serves, pace }: Live): Promise<LiveService> {
  const setFiles = new SetFiles()
  const opened = Promise.withResolvers<RunningService>()
  /** Descriptions that DSL files name. */
  let described: () => Iterable<string> = () => []
  let served = loaded.config
  /** Where it came from. */
  let source: Pick<Loaded, 'source'> = loaded
  /** The one that was read last, which may not be served: a correction of its files is noticed. */
  let read = loaded.config
  const reloads = new Reloads(
    {
      async reload(signal) {
        const service = await opened.promise
        const fresh = loadConfig({ ...environment, isReload: true })
        refuseLostFile(source, fresh)
        const { config, kept } = keepFields(keptFields, { before: served, after: fresh.config, origins: fresh.origins })
        read = config
        const endpoints = await service.replace({ ...fresh, config }, signal)
        if (endpoints === undefined) return undefined
        source = fresh
        for (const field of kept) events.emit('fieldKept', field)
        await serve(service, config)
        return { endpoints }
      },
      files: async () => [...possibleFiles(environment), ...(await setFiles.list(read, described()))],
      explain: (error) => (error instanceof StartupFailure ? { error: error.code, reason: error.message } : undefined),
    },
    events,
    readAt,
    pace,
  )
  const serve = async (service: RunningService, config: Config): Promise<void> => {
    served = config
    serves?.(service, config)
    await reloads.follow(config.reload)
  }
  // Before they are read: what changes from now on is read again.
  await reloads.follow(served.reload)
  const service = await open().catch(async (error: unknown) => {
    await reloads.close()
    throw error
  })
  described = () => service.descriptions
  await reloads.hasRead()
  await serve(service, served)
  opened.resolve(service)
  return {
    port: service.port,
    get delaySeconds() {
      return served.shutdown.delaySeconds
    },
    hangUp: () => service.reopenAudit(),
    reload: (trigger) => reloads.request(trigger),
    announceEnd: () => service.announceEnd(),
    async close() {
      // What is being read is not waited for: callers are.
      const ending = reloads.close()
      await service.close()
      await ending
    },
  }
}
