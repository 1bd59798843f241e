/**
 * The admin listener of the service: whether it is ready, and what was counted. Opens before the callers' port and closes after it. Loaded
 * only where it is configured.
 */
import { type AdminListener, type Part, Readiness, sharedWhileRunning, startAdmin } from '@services/admin'
import type { Running } from '@services/command-line'
import { ListenProblem } from '@services/http-shell'
import { textType, Totals } from '@services/metrics'
import type { Config } from '../boot/config/schema.ts'
import { StartupFailure } from '../errors.ts'
import type { Events } from '../events.ts'
import type { ServerIdentity } from '../lanes.ts'
import { metricTable } from '../measure/metric-table.ts'
import { Measures } from '../measure/measures.ts'
import { shakeHands } from './handshake.ts'
import { version } from '../version.ts'

type AdminConfig = NonNullable<Config['admin']>

/** What serves. */
export interface Serving extends Running {
  isListening(): boolean
  readonly identities: readonly ServerIdentity[]
}

/** Each question is a handshake, with a signature on both sides. */
const everyMs = 10_000

export class Admin {
  readonly measures: Measures
  readonly #config: AdminConfig
  readonly #totals = new Totals<object>(metricTable)
  /** Nothing is asked before there is a service. */
  #readiness = new Readiness([], () => false)
  #listener: AdminListener | undefined

  /** Throws a StartupFailure where it cannot listen. */
  static async open(config: AdminConfig, events: Events): Promise<Admin> {
    const admin = new Admin(config, events)
    await admin.#listen(events)
    return admin
  }

  private constructor(config: AdminConfig, events: Events) {
    this.#config = config
    this.measures = new Measures(events, version)
  }

  /** From now on it tells of this service. */
  follow(serving: Serving, { securityServer }: Pick<Config, 'securityServer'>): void {
    const timeoutMs = this.#config.readyTimeoutSeconds * 1000
    const parts = serving.identities.map((identity): Part => {
      return {
        name: identity.name === undefined ? 'security_server' : `security_server/${identity.name}`,
        kind: 'security_server',
        optional: securityServer?.optional === true,
        everyMs,
        timeoutMs,
        ask: (signal) => shakeHands(identity, timeoutMs, signal),
      }
    })
    this.#readiness = new Readiness(parts, () => serving.isListening())
  }

  /** What serves, with the admin listener around it: told first that the end comes, and closed last. */
  around(running: Running): Running {
    return {
      announceEnd: () => {
        this.#readiness.end()
        running.announceEnd?.()
      },
      close: async () => {
        await running.close()
        this.#readiness.close()
        await this.#listener?.close()
        this.measures.close()
      },
      ...(running.hangUp === undefined ? {} : { hangUp: () => running.hangUp?.() }),
    }
  }

  async #listen(events: Events): Promise<void> {
    const { bind } = this.#config
    this.#listener = await startAdmin(bind, {
      health: () => '{"status":"ok"}',
      ready: () => this.#readiness.read(),
      metrics: sharedWhileRunning(async () => {
        this.#totals.heard(this, this.measures.snapshot())
        return { mediaType: textType, text: await this.#totals.text() }
      }),
      version: { name: 'xroad-proxy', version, node: process.version },
    }).catch((error: unknown) => {
      if (!(error instanceof ListenProblem)) throw error
      throw new StartupFailure('listen_failed', `admin.bind ${bind.host}:${bind.port} ${error.message}`)
    })
    events.emit('adminOpened', { address: this.#listener.address })
  }
}
