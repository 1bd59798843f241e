/**
 * A real Prometheus and its promtool (Debian's package `prometheus`), and the samples of a text that it reads; for
 * tests.
 */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Query } from './dashboard.ts'
import { call } from './network/call.ts'
import { freePort } from './network/free-port.ts'
import { startBeside } from './process/beside.ts'
import { newFolder } from './process/folder.ts'
import { until } from './timing/until.ts'

const programs = { prometheus: '/usr/bin/prometheus', promtool: '/usr/bin/promtool' }

/** Why there is none on this machine; undefined where there is one. */
export const withoutPrometheus: string | undefined = Object.values(programs).every((program) => existsSync(program))
  ? undefined
  : `${programs.prometheus} is not installed`

/** What promtool says; empty where it finds nothing. */
export function promtool(args: readonly string[], input = ''): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(programs.promtool, args, { input, encoding: 'utf8' })
  return { code: status, said: stdout + stderr }
}

export interface Prometheus {
  /** Value of an expression that gives one series; undefined where it gives none. */
  value(expression: string): Promise<number | undefined>
  stop(): Promise<void>
}

/** Settles when a Prometheus that scrapes this port, as the job `name`, has a value for each of the queries. */
export async function untilAnswered(name: string, target: number, queries: readonly Query[]): Promise<void> {
  const prometheus = await startPrometheus(name, target)
  try {
    for (const { panel, expression } of queries) {
      await until(async () => (await prometheus.value(expression)) !== undefined, `${panel}: ${expression}`)
    }
  } finally {
    await prometheus.stop()
  }
}

/** Scrapes `/metrics` of the port once a second, as the job `name`. */
export async function startPrometheus(name: string, target: number): Promise<Prometheus> {
  const folder = newFolder({
    'prometheus.yml': JSON.stringify({
      global: { scrape_interval: '1s' },
      scrape_configs: [{ job_name: name, static_configs: [{ targets: [`127.0.0.1:${target}`] }] }],
    }),
  })
  const port = await freePort()
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const { child, stop } = startBeside(programs.prometheus, args)
  await until(() => isReady(port, child), 'Prometheus to be ready')
  return {
    async value(expression) {
      const { text } = await call(port, `/api/v1/query?query=${encodeURIComponent(expression)}`)
      const { data } = JSON.parse(text) as { data?: { result?: { value: [number, string] }[] } }
      const [first] = data?.result ?? []
      return first === undefined ? undefined : Number(first.value[1])
    },
    stop,
  }
}

async function isReady(port: number, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`prometheus ended with ${child.exitCode}`)
  const { status } = await call(port, '/-/ready').catch(() => ({ status: 0 }))
  return status === 200
}

/** Text of `/metrics` -> series as it is written there, `name{label="value"}` -> value. */
export function samplesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
