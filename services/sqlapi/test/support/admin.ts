/** A service with an admin listener on a free port of the loopback. */
import { call, type Reply, until } from '@services/testing'
import { samplesOf } from '@services/testing/prometheus'
import { type Running, type Setting, startSqlapi } from './process.ts'

export interface WithAdmin extends Running {
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

export async function startWithAdmin({ config = {}, ...setting }: Setting): Promise<WithAdmin> {
  const { admin: more, ...others } = config
  const admin = { bind: '127.0.0.1:0', ...(more as object | undefined) }
  const running = await startSqlapi({ ...setting, config: { ...others, admin } })
  const adminPort = Number(/:(\d+)$/.exec(await running.line(/Admin pages/))?.[1])
  const ready = async (): Promise<ReadyReport> => {
    const { status: code, text } = await call(adminPort, '/ready')
    return { code, ...(JSON.parse(text) as Omit<ReadyReport, 'code'>) }
  }
  return {
    ...running,
    adminPort,
    admin: (path) => call(adminPort, path),
    samples: async () => samplesOf((await call(adminPort, '/metrics')).text),
    ready,
    untilReady: (status) => until(async () => (await ready()).status === status, status),
  }
}
