/**
 * The datasources and their replicas as parts of which readiness is made: each is asked over a connection beside its
 * pool.
 */
import type { Part } from '@services/admin'
import { settingsOf, type SizedDatasource } from '../boot/sized-datasource.ts'
import { currentPasswordOf } from '../boot/config/passwords.ts'
import { openProbe, openReplicaProbes } from '../database/open.ts'
import type { Probe } from '../metering.ts'

const everyMs = 1000

/** A datasource, and then its replicas. */
interface Asked {
  readonly parts: readonly Part[]
  readonly probes: readonly Probe[]
}

export class DatasourceParts {
  readonly #lastSuccess: (datasource: string) => number
  /** By what they are made of: a datasource that did not change has the same parts. */
  readonly #asked = new Map<string, Asked>()

  /** `lastSuccess` says when a call on the datasource last succeeded, in any process, by the clock of `performance`. */
  constructor(lastSuccess: (datasource: string) => number) {
    this.#lastSuccess = lastSuccess
  }

  /** All datasources come before all replicas. */
  async of(datasources: readonly SizedDatasource[], timeoutSeconds: number): Promise<readonly Part[]> {
    const parts: Part[] = []
    for (const datasource of datasources) {
      const key = JSON.stringify([settingsOf(datasource), datasource.optional, timeoutSeconds])
      let asked = this.#asked.get(key)
      if (asked === undefined) this.#asked.set(key, (asked = await this.#open(datasource, timeoutSeconds)))
      parts.push(...asked.parts)
    }
    return [...parts.filter(({ kind }) => kind === 'datasource'), ...parts.filter(({ kind }) => kind === 'replica')]
  }

  /** The others are not asked any more. */
  keep(kept: readonly Part[]): void {
    for (const [key, { parts, probes }] of this.#asked) {
      if (parts.some((part) => kept.includes(part))) continue
      for (const probe of probes) probe.close()
      this.#asked.delete(key)
    }
  }

  close(): void {
    this.keep([])
  }

  async #open(datasource: SizedDatasource, timeoutSeconds: number): Promise<Asked> {
    const { name, optional } = datasource
    const asked = { ...datasource, password: currentPasswordOf(datasource) }
    const probe = await openProbe(asked, timeoutSeconds)
    const replicas = await openReplicaProbes(asked, timeoutSeconds)
    const timing = { everyMs, timeoutMs: timeoutSeconds * 1000 }
    const part = {
      name,
      kind: 'datasource',
      optional,
      ...timing,
      ask: (signal: AbortSignal) => probe.ask(signal),
      lastSuccess: () => this.#lastSuccess(name),
    }
    const ofReplicas = replicas.map(({ name, probe }) => ({
      name,
      kind: 'replica',
      // The first server does what no replica does.
      optional: true,
      ...timing,
      ask: (signal: AbortSignal) => probe.ask(signal),
    }))
    return { parts: [part, ...ofReplicas], probes: [probe, ...replicas.map(({ probe }) => probe)] }
  }
}
