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
  readonly service: RunningService
  readonly loaded: Loaded
  readonly environment: StartEnvironment
  readonly events: Events
  /** Told of each configuration that is served, beginning with the first. */
  readonly serves?: (config: Config) => void
  /** For tests. */
  readonly pace?: Pace | undefined
}

/** From now on files are read again when it is asked for, and when they change where they are watched. */
export async function goLive({ service, loaded, environment, events, serves, pace }: Live): Promise<Running> {
  const setFiles = new SetFiles()
  let served = loaded.config
  /** Where it came from. */
  let source: Pick<Loaded, 'source'> = loaded
  /** The one that was read last, which may not be served: a correction of its files is noticed. */
  let read = loaded.config
  const reloads = new Reloads(
    {
      async reload(signal) {
        const fresh = loadConfig({ ...environment, isReload: true })
        refuseLostFile(source, fresh)
        const { config, kept } = keepFields(keptFields, { before: served, after: fresh.config, origins: fresh.origins })
        read = config
        const endpoints = await service.replace({ ...fresh, config }, signal)
        if (endpoints === undefined) return undefined
        source = fresh
        for (const field of kept) events.emit('fieldKept', field)
        await serve(config)
        return { endpoints }
      },
      files: async () => [...possibleFiles(environment), ...(await setFiles.list(read, service.descriptions))],
      explain: (error) => (error instanceof StartupFailure ? { error: error.code, reason: error.message } : undefined),
    },
    events,
    pace,
  )
  const serve = async (config: Config): Promise<void> => {
    served = config
    serves?.(config)
    await reloads.follow(config.reload)
  }
  await serve(served)
  return {
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
