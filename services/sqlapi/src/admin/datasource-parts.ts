/** The datasources and their replicas as parts of which readiness is made: each is asked over a connection beside its pool. */
import type { Part } from '@services/admin'
import type { SizedDatasource } from '../boot/boot.ts'
import { openProbe, openReplicaProbes } from '../database/database.ts'
import type { Probe } from '../metering.ts'

const everyMs = 1000

export interface DatasourceParts {
  readonly parts: readonly Part[]
  close(): void
}

/** `lastSuccess` says when a call on the datasource last succeeded, in any process, by the clock of `performance`. */
export async function openDatasourceParts(
  datasources: readonly SizedDatasource[],
  timeoutSeconds: number,
  lastSuccess: (datasource: string) => number,
): Promise<DatasourceParts> {
  const probes = await Promise.all(datasources.map((datasource) => openProbe(datasource, timeoutSeconds)))
  const replicas = (await Promise.all(datasources.map((each) => openReplicaProbes(each, timeoutSeconds)))).flat()
  const timeoutMs = timeoutSeconds * 1000
  const parts = datasources.map(({ name, optional }, index) => ({
    name,
    kind: 'datasource',
    optional,
    everyMs,
    timeoutMs,
    ask: (signal: AbortSignal) => (probes[index] as Probe).ask(signal),
    lastSuccess: () => lastSuccess(name),
  }))
  const ofReplicas = replicas.map(({ name, probe }) => ({
    name,
    kind: 'replica',
    // The first server does what no replica does.
    optional: true,
    everyMs,
    timeoutMs,
    ask: (signal: AbortSignal) => probe.ask(signal),
  }))
  return {
    parts: [...parts, ...ofReplicas],
    close() {
      for (const probe of [...probes, ...replicas.map(({ probe }) => probe)]) probe.close()
    },
  }
}
