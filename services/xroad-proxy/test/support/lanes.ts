/**
 * The whole service in front of a mock Security Server, over real sockets and mutual TLS: DSL files and a configuration
 * are written, read as at any start, and both listen on ports of their own. What is still open ends with `close`.
 */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pace } from '@services/reload'
import {
  type Reply,
  call,
  type CallOptions,
  type Files,
  keptFolder,
  newFolder,
  until,
  writeFiles,
} from '@services/testing'
import { loadConfig } from '../../src/boot/config/config.ts'
import { openEvents } from '../../src/events.ts'
import { type RunningMock, startMock } from '../../src/mock/mock.ts'
import { keystorePassword, type PkiFiles, writePki } from '../../src/mock/pki.ts'
import { goLive } from '../../src/reload/live-service.ts'
import { startService } from '../../src/service.ts'

export interface Lanes {
  readonly port: number
  readonly mock: RunningMock
  readonly folder: string
  /** Every log line so far, as JSON. */
  readonly log: readonly LogLine[]
  /** What the mock has said of each request that is over. */
  readonly events: readonly string[]
  call(path: string, options?: CallOptions): Promise<Reply>
  /** As SIGHUP does. Settles with the line that says what came of it. */
  hangUp(): Promise<LogLine>
  /** Puts these fields in the place of those of proxy.yaml; what is served stays until it is read anew. */
  configure(config: Readonly<Record<string, unknown>>): void
  close(): Promise<void>
}

export type LogLine = Readonly<Record<string, unknown>>

export interface LanesOptions {
  /** Path below the DSL directory -> text. */
  readonly dsl: Files
  /**
   * Fields of proxy.yaml. Those of `security_server` are put over the ones that lead to the mock; null leaves it out.
   */
  readonly config?: Readonly<Record<string, unknown>> | undefined
  /** Files of the mock's folder of answers. */
  readonly answers?: Files | undefined
  /** Variables beside that of the keystore's password. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Called with the folder when the start has read all files, before it is told so. */
  readonly onRead?: ((folder: string) => void) | undefined
  /** Of the watch over files. */
  readonly pace?: Pace | undefined
}

let pki: { readonly folder: string; readonly files: PkiFiles } | undefined

/** What a set of certificates depends on. */
const pkiSource = join(import.meta.dirname, '../../src/mock/pki.ts')

/** Certificates of the mock, the same for all test files, in a folder of this one: keys take their time. */
export function sharedPki(): { readonly folder: string; readonly files: PkiFiles } {
  if (pki === undefined) {
    const folder = newFolder()
    const version = createHash('sha256').update(readFileSync(pkiSource)).digest('hex').slice(0, 16)
    cpSync(keptFolder(`mock-pki-${version}`, writePki), folder, { recursive: true })
    // Made anew where those that were kept have expired.
    pki = { folder, files: writePki(folder) }
  }
  return pki
}

export async function startLanes({
  dsl,
  config = {},
  answers = {},
  env: more = {},
  pace,
  onRead,
}: LanesOptions): Promise<Lanes> {
  const folder = newFolder()
  mkdirSync(join(folder, 'DSL'))
  writeFiles(join(folder, 'DSL'), dsl)
  mkdirSync(join(folder, 'answers'))
  writeFiles(join(folder, 'answers'), answers)
  const events: string[] = []
  const mock = await startMock({
    host: '127.0.0.1',
    port: 0,
    folder: sharedPki().folder,
    answers: join(folder, 'answers'),
    onEvent: (line) => void events.push(line),
  })
  try {
    const log: LogLine[] = []
    const file = writeConfig(folder, config, mock)
    const env = { ...more, PROXY_KEYSTORE_PASSWORD: keystorePassword }
    const written = openEvents({ level: 'debug', format: 'json' }, { write: toLines(log) })
    const environment = { flag: file, env, cwd: folder }
    const readAt = Date.now()
    const loaded = loadConfig(environment)
    const open = async (): ReturnType<typeof startService> => {
      const service = await startService(loaded, env, written)
      onRead?.(folder)
      return service
    }
    const running = await goLive({ open, loaded, readAt, environment, events: written, pace })
    const close = async (): Promise<void> => {
      await Promise.all([running.close(), mock.close()])
    }
    const { port } = running
    const reloads = (): LogLine[] => log.filter(({ event }) => event === 'reloaded' || event === 'reloadFailed')
    return {
      port,
      mock,
      folder,
      log,
      events,
      call: (path, options) => call(port, path, options),
      async hangUp() {
        const count = reloads().length
        running.hangUp?.()
        running.reload?.('SIGHUP')
        await until(() => reloads().length > count, 'the end of a reload')
        return reloads()[count] as LogLine
      },
      configure: (fields) => void writeConfig(folder, fields, mock),
      close,
    }
  } catch (error) {
    await mock.close()
    throw error
  }
}

function toLines(log: LogLine[]): (line: string) => void {
  return (line) => void log.push(JSON.parse(line) as LogLine)
}

/** JSON is YAML. */
function writeConfig(folder: string, config: Readonly<Record<string, unknown>>, { url, files }: RunningMock): string {
  const { security_server: given, ...fields } = config
  const server = { url, keystore_path: files.keystore, trust_ca_path: files.ca, ...(given as object) }
  const all = {
    host: '127.0.0.1',
    port: 0,
    dsl_path: join(folder, 'DSL'),
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
    ...fields,
    ...(given === null ? {} : { security_server: server }),
  }
  const file = join(folder, 'proxy.yaml')
  writeFileSync(file, JSON.stringify(all))
  return file
}
