/**
 * The admin listener of the service: whether it is ready, and what was counted. Opens before the callers' port and
 * closes after it. Loaded only where it is configured.
 */
import { type AdminListener, type Part, Readiness, sharedWhileRunning, startAdmin } from '@services/admin'
import type { Running } from '@services/command-line'
import { ListenProblem } from '@services/http-shell'
import { textType, Totals } from '@services/metrics'
import { stackOf } from '@services/observe'
import type { Config } from '../boot/config/schema.ts'
import { StartupFailure } from '../errors.ts'
import type { Events } from '../events.ts'
import type { ServerIdentity } from '../served/lanes.ts'
import { metricTable } from '../measure/metric-table.ts'
import { Measures } from '../measure/measures.ts'
import { shakeHands } from './handshake.ts'
import { version } from '../version.ts'

type AdminConfig = NonNullable<Config['admin']>

/** What serves. */
export interface Serving {
  isListening(): boolean
  readonly identities: readonly ServerIdentity[]
}

/** Each question is a handshake, with a signature on both sides. */
const everyMs = 10_000
/** A state that lasts for ten seconds is not left to one handshake that came to nothing. */
const doubtMs = 1000

export class Admin {
  readonly measures: Measures
  #config: AdminConfig
  readonly #totals = new Totals<object>(metricTable)
  /** Nothing is asked before there is a service. */
  #readiness = new Readiness([], () => false)
  /** As long as nothing about one has changed, it is the same object, and keeps its state. */
  #parts: ReadonlyMap<string, Part> | undefined
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

  /** From now on it reports this service, as it is configured at this moment. */
  follow(serving: Serving, { admin = this.#config, securityServer }: Pick<Config, 'admin' | 'securityServer'>): void {
    this.#config = admin
    const timeoutMs = admin.readyTimeoutSeconds * 1000
    const optional = securityServer?.optional === true
    const known = this.#parts
    const parts = new Map(
      serving.identities.map((identity) => {
        const key = JSON.stringify([identity.name, identity.origin, identity.digest, optional, timeoutMs])
        return [key, known?.get(key) ?? toPart(identity, serving, { optional, timeoutMs })]
      }),
    )
    this.#parts = parts
    if (known === undefined) this.#readiness = new Readiness([...parts.values()], () => serving.isListening())
    else void this.#readiness.replace([...parts.values()])
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
      hangUp: () => running.hangUp?.(),
      reload: (trigger) => running.reload?.(trigger),
      get delaySeconds() {
        return running.delaySeconds ?? 0
      },
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
      failed: (error) => events.emit('internalError', { stack: stackOf(error) }),
    }).catch((error: unknown) => {
      if (!(error instanceof ListenProblem)) throw error
      throw new StartupFailure('listen_failed', `admin.bind ${bind.host}:${bind.port} ${error.message}`)
    })
    events.emit('adminOpened', { address: this.#listener.address })
  }
}

function toPart(identity: ServerIdentity, serving: Serving, terms: Pick<Part, 'optional' | 'timeoutMs'>): Part {
  const { name } = identity
  return {
    name: name === undefined ? 'security_server' : `security_server/${name}`,
    kind: 'security_server',
    ...terms,
    everyMs,
    doubtMs,
    ask: (signal) => shakeHands(identity, terms.timeoutMs, signal),
    // Of the set that is served now: a reload may have kept the identity and changed the connections.
    lastSuccess: () => serving.identities.find((served) => served.name === name)?.lastAnswer() ?? -Infinity,
  }
}
