/**
 * The admin listener of the service, in the process that the operator has started: whether it is ready, what all
 * processes have counted. Opens before the callers' port and closes after it. Loaded only where it is configured.
 */
import { type AdminListener, type Part, Readiness, sharedWhileRunning, startAdmin } from '@services/admin'
import type { Running } from '@services/command-line'
import { ListenProblem } from '@services/http-shell'
import { textType, Totals } from '@services/metrics'
import { stackOf } from '@services/observe'
import type { Booted } from '../boot/boot.ts'
import { StartupFailure } from '../errors.ts'
import type { Events } from '../events.ts'
import { metricTable } from '../measure/metric-table.ts'
import { Measures } from '../measure/measures.ts'
import { healthText } from '../serve/status.ts'
import { packagingTime, version } from '../version.ts'
import { DatasourceParts } from './datasource-parts.ts'

/** Who serves, in this process or in others. */
export interface Serving {
  /** Whether requests are taken. */
  isListening(): boolean
  /** When a call on the datasource last succeeded, by the clock of `performance`. */
  lastSuccess(datasource: string): number
  /** Reports what other processes have counted; what this one has counted is included anyway. */
  gather?(totals: Totals<object>): Promise<void>
}

/** Nobody yet. */
const nobody: Serving = { isListening: () => false, lastSuccess: () => -Infinity }

export class Admin {
  /** Of this process. */
  readonly measures: Measures
  readonly #totals = new Totals<object>(metricTable)
  #serving = nobody
  #readiness: Readiness | undefined
  #wanted: readonly Part[] = []
  #listener: AdminListener | undefined
  readonly #parts = new DatasourceParts((datasource) => this.#serving.lastSuccess(datasource))

  /** Throws a StartupFailure where it cannot listen. */
  static async open(booted: Booted, events: Events): Promise<Admin> {
    const admin = new Admin(events)
    await admin.#open(booted, events)
    return admin
  }

  private constructor(events: Events) {
    this.measures = new Measures(events)
    this.measures.tellVersion(version)
  }

  /** From now on it reports these. */
  follow(serving: Serving): void {
    this.#serving = serving
  }

  /** What serves, with the admin listener around it: told first that the end comes, and closed last. */
  around(running: Running): Running {
    return {
      announceEnd: () => {
        this.#readiness?.end()
        running.announceEnd?.()
      },
      close: async () => {
        await running.close()
        await this.#close()
      },
      abandon: () => running.abandon?.(),
    }
  }

  /** Readiness is made of the datasources of this from now on, once those that are new have been asked. */
  async replace({ config, datasources }: Pick<Booted, 'config' | 'datasources'>): Promise<void> {
    if (config.admin === undefined) return
    const parts = await this.#parts.of(datasources, config.admin.readyTimeoutSeconds)
    this.#wanted = parts
    await this.#readiness?.replace(parts)
    // The next replacement may have come in between.
    if (this.#wanted === parts) this.#parts.keep(parts)
  }

  async #close(): Promise<void> {
    this.#readiness?.close()
    this.#parts.close()
    await this.#listener?.close()
    this.measures.close()
  }

  async #open({ config, datasources, startTime }: Booted, events: Events): Promise<void> {
    if (config.admin === undefined) return
    const { bind, readyTimeoutSeconds } = config.admin
    const parts = await this.#parts.of(datasources, readyTimeoutSeconds)
    const readiness = new Readiness(parts, () => this.#serving.isListening())
    this.#readiness = readiness
    const facts = { version, packagingTime, startTime }
    this.#listener = await startAdmin(bind, {
      health: () => healthText(facts, Date.now()),
      ready: () => readiness.read(),
      metrics: sharedWhileRunning(() => this.#write()),
      version: { name: 'sqlapi', version, node: process.version },
      failed: (error) => events.emit('internalError', { stack: stackOf(error) }),
    }).catch((error: unknown) => {
      if (!(error instanceof ListenProblem)) throw error
      throw new StartupFailure('ListenException', `admin.bind ${bind.host}:${bind.port} ${error.message}`)
    })
    events.emit('adminOpened', { address: this.#listener.address })
  }

  async #write(): Promise<{ mediaType: string; text: string }> {
    await this.#serving.gather?.(this.#totals)
    this.#totals.heard(this, this.measures.snapshot())
    return { mediaType: textType, text: await this.#totals.text() }
  }
}
