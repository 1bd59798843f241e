/**
 * The command `dev`: the service for authors of its files. It serves on the loopback only, changed files are served
 * as soon as they are saved, and what to say about them is written to the terminal. Puts together the service, the
 * tree that is read again, the watch that says when, and the findings.
 */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Running } from '@services/command-line'
import type { StartEnvironment } from '@services/config-file'
import type { Destination } from '@services/observe'
import { boot } from '../boot/boot.ts'
import type { Loaded } from '../boot/config/config.ts'
import { toProject } from '../check/project.ts'
import { StartupFailure } from '../errors.ts'
import type { Events } from '../events.ts'
import { type RunningService, startService } from '../service.ts'
import { type FilesNow, LiveFindings } from './live-findings.ts'
import { LiveTree, type ReadTree } from './live-tree.ts'
import { watchFolders } from './watch.ts'

export interface DevStart {
  readonly loaded: Loaded
  readonly environment: StartEnvironment
  readonly events: Events
  readonly stdout: Destination
}

export async function startDev({ loaded, environment, events, stdout }: DevStart): Promise<Running> {
  const own = forDevelopment(loaded)
  const dialects = new Set(own.datasources.map(({ dialect }) => dialect))
  const tree = new LiveTree(own.config.sqlDir, dialects, own.origins['sql_dir'])
  const begun = await tree.read()
  const service = await startService(await boot(own, events, () => Promise.resolve(begun.endpoints)), events)
  service.replaceFiles(begun)
  events.emit('developing', { docs: `http://${service.address}/docs` })
  const findings = new LiveFindings({
    write: (text) => stdout.write(text),
    colours: process.stdout.isTTY && process.stdout.hasColors(),
  })
  findings.update(toFilesNow(begun, own, environment.cwd))
  const tellRestart = configurationWatch(resolve(environment.cwd, own.file), events)
  const look = createLook({ tree, service, events }, (files) =>
    findings.update(toFilesNow(files, own, environment.cwd)),
  )
  const watch = watchFolders(async () => {
    tellRestart()
    const files = await look()
    if (files !== undefined) watch.follow(files.folders)
  })
  watch.follow(begun.folders)
  return {
    async close() {
      watch.close()
      await service.close()
    },
  }
}

/**
 * One process on the loopback that tells all it knows to the author of the files. What the start would say, the
 * findings say.
 */
function forDevelopment({ config, ...loaded }: Loaded): Loaded {
  const { server } = config
  return {
    ...loaded,
    config: {
      ...config,
      server: { ...server, bind: { host: '127.0.0.1', port: server.bind.port }, workers: 1 },
      openapi: true,
      errors: 'full',
      checks: 'off',
    },
  }
}

function toFilesNow({ endpoints, ignored, refusals, changed }: ReadTree, loaded: Loaded, cwd: string): FilesNow {
  return { project: toProject(loaded, { endpoints, ignored }, { cwd }), refusals, changed }
}

interface Served {
  readonly tree: LiveTree
  readonly service: RunningService
  readonly events: Events
}

/** Reads what has changed and serves it. Gives nothing where the tree cannot be read, which is reported once. */
function createLook(
  { tree, service, events }: Served,
  changed: (files: ReadTree) => void,
): () => Promise<ReadTree | undefined> {
  let problem = ''
  let told = ''
  return async () => {
    const begun = performance.now()
    try {
      const files = await tree.read()
      const state = JSON.stringify([files.refusals.map(({ message }) => message), files.ignored])
      problem = ''
      const isNew = files.changed.length + files.removed.length > 0
      if (isNew || state !== told) {
        service.replaceFiles(files)
        changed(files)
      }
      told = state
      const { length: read } = files.changed
      const { length: removed } = files.removed
      const ms = Math.round(performance.now() - begun)
      if (isNew) events.emit('filesRead', { read, removed, endpoints: files.endpoints.size, ms })
      return files
    } catch (error) {
      if (!(error instanceof StartupFailure)) throw error
      if (error.message !== problem) events.emit('filesKept', { error: error.name, reason: error.message })
      problem = error.message
      return undefined
    }
  }
}

/** Tells once for each time that the file is written. */
function configurationWatch(file: string, events: Events): () => void {
  const stamp = (): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.mtimeNs
  let known = stamp()
  return () => {
    const now = stamp()
    if (now === known) return
    known = now
    events.emit('restartNeeded', { file })
  }
}
