/** A service with an admin listener on a free port of the loopback. */
import { call, type Reply, until } from '@services/testing'
import { samplesOf } from '@services/testing/prometheus'
import { type Served, startInside } from './inside.ts'
import { type Running, type Setting, startSqlapi } from './process.ts'

export type WithAdmin = Served & AdminPages

export interface AdminPages {
  readonly adminPort: number
  readonly admin: (path: string) => Promise<Reply>
  readonly samples: () => Promise<ReadonlyMap<string, number>>
  readonly ready: () => Promise<ReadyReport>
  /** Waits for the status of `/ready`. */
  readonly untilReady: (status: string) => Promise<void>
}

export interface ReadyReport {
  readonly code: number
  readonly status: string
  readonly parts: readonly { name: string; kind: string; state: string; since: string; optional: boolean }[]
}

/** A process, for tests of signals and workers. */
export async function startProcessWithAdmin(setting: Setting): Promise<Running & AdminPages> {
  const running = await startSqlapi(withAdmin(setting))
  return { ...running, ...(await pagesOf(running)) }
}

export async function startWithAdmin(setting: Setting): Promise<WithAdmin> {
  const running = await startInside(withAdmin(setting))
  return { ...running, ...(await pagesOf(running)) }
}

/** Only workers need a process. */
export function startWorkersWithAdmin(setting: Setting): Promise<WithAdmin> {
  const { workers = 1 } = (setting.config?.['server'] ?? {}) as { workers?: number }
  return workers > 1 ? startProcessWithAdmin(setting) : startWithAdmin(setting)
}

function withAdmin({ config = {}, ...setting }: Setting): Setting {
  const { admin, ...others } = config
  return { ...setting, config: { ...others, admin: { bind: '127.0.0.1:0', ...(admin as object | undefined) } } }
}

async function pagesOf(running: Served): Promise<AdminPages> {
  const adminPort = Number(/:(\d+)$/.exec(await running.line(/Admin pages/))?.[1])
  const ready = async (): Promise<ReadyReport> => {
    const { status: code, text } = await call(adminPort, '/ready')
    return { code, ...(JSON.parse(text) as Omit<ReadyReport, 'code'>) }
  }
  return {
    adminPort,
    admin: (path) => call(adminPort, path),
    samples: async () => samplesOf((await call(adminPort, '/metrics')).text),
    ready,
    untilReady: (status) => until(async () => (await ready()).status === status, status),
  }
}
