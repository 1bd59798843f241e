/** The mock Security Server of a side, started by its command. */
import type { Ended } from '@services/testing'
import { spawnSide } from '../programs.ts'
import type { Side } from '../sides.ts'

export interface Mock {
  readonly port: number
  /** Of direct calls; NaN without `--service-port`. */
  readonly servicePort: number
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

export async function startMock(side: Side, cwd: string, args: readonly string[]): Promise<Mock> {
  const spawned = spawnSide(side, 'xroad-proxy', ['mock', '--port', '0', ...args], { cwd })
  const port = portIn(await spawned.line(/ on https:/))
  const servicePort = args.includes('--service-port') ? portIn(await spawned.line(/^service: /)) : Number.NaN
  side.ports.set(port, 'mock')
  side.ports.set(servicePort, 'mock, direct')
  return {
    port,
    servicePort,
    stop(signal = 'SIGTERM') {
      spawned.kill(signal)
      return spawned.ended
    },
  }
}

function portIn(line: string): number {
  return Number(/:(\d+)\D*$/.exec(line)?.[1])
}
