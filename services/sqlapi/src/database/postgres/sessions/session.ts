/**
 * One connection to PostgreSQL with what may be left behind on it: an open transaction, settings, whatever code of
 * others has done. Knows when it is dirty and makes itself clean again. plan-connection.ts runs what leaves it like
 * that.
 */
import { optionsOver } from '../../options-over.ts'
import type { CallSettings } from '../settings/call-settings.ts'
import {
  dateOrderQuery,
  deallocateText,
  floatDigits,
  floatDigitsQuery,
  newSeedText,
  resetBy,
  resetText,
  settableQuery,
} from '../settings/settings.ts'
import { toArrayText } from '../types/arrays.ts'
import { oid } from '../types/types.ts'
import type { Opened } from '../wire/driver.ts'
import { Command } from '../wire/questions.ts'
import { type DriverOptions, openSocket } from '../wire/servers.ts'
import type { Catalog } from './catalog.ts'
import { PlanConnection, type PlanConnectionOptions } from './plan-connection.ts'

export interface SessionOptions extends DriverOptions, PlanConnectionOptions {}

/** The version of PostgreSQL that prints floats with the fewest digits that tell them apart. */
const firstWithShortFloats = 12

/** The part of the time for connecting that reading stored code may take. */
const readingShare = 0.25

export class Session extends PlanConnection {
  /** It is to end as soon as it is free. */
  #isRetired = false
  #settingChanged = false
  /** Settings that the server has reported as others than ours. */
  readonly #wrong = new Set<string>()

  /** `onBroken` is called when the connection ends by itself. */
  static async open(options: SessionOptions, catalog: Catalog, onBroken: () => void): Promise<Session> {
    const { dateStyle } = catalog
    let isWanted = true
    const broken = (): void => {
      if (isWanted) onBroken()
    }
    const session = new Session(await openSocket(optionsOver(options, { dateStyle })), options, catalog, broken)
    const giveUp = (): void => session.wire.destroy()
    const timer = setTimeout(giveUp, options.connectTimeoutSeconds * 1000)
    options.signal?.addEventListener('abort', giveUp)
    try {
      await session.#prepare(options.connectTimeoutSeconds * 1000 * readingShare)
      if (options.isPooled !== true || dateStyle !== undefined) return session
      // The first connection of the datasource finds out. A pooler compares texts: it would set a style that is spelled
      // otherwise again with each transaction.
      catalog.dateStyle = `ISO, ${(await session.list(dateOrderQuery, [])).flat()[0] ?? 'MDY'}`
    } catch (error) {
      giveUp()
      throw error
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', giveUp)
    }
    isWanted = false
    await session.close()
    return Session.open(options, catalog, onBroken)
  }

  private constructor(opened: Opened, options: SessionOptions, catalog: Catalog, onBroken: () => void) {
    super(opened, options, catalog, onBroken)
    this.wire.onSetting = (name, value) => {
      this.#settingChanged = true
      opened.standing.take(name, value)
      if (this.settings.isAsSet(name, value)) this.#wrong.delete(name)
      else this.#wrong.add(name)
      if (name === 'client_encoding') this.setEncoding(opened.isUtf8 && value === 'UTF8')
    }
  }

  get isDirty(): boolean {
    const isLeft = this.#isRetired || this.isInTransaction || this.cancelRequest !== undefined || this.#settingChanged
    const isAsked = this.hasRunDefinition || this.catalog.isOld || this.settings.isLimited
    return isLeft || isAsked || (this.calls === undefined && this.#mayHaveChanged)
  }

  /** Something may be left in the session. */
  get #mayHaveChanged(): boolean {
    return this.hasRunSession || this.hasRunCode || this.catalog.code.isEverywhere
  }

  /** It is to end as soon as nobody uses it: from now on it counts as dirty, and `clean` gives it up. */
  retire(): void {
    this.#isRetired = true
  }

  /** How long statements wait for locks from now on; without a number as long as they usually do. */
  async limitLocks(ms?: number): Promise<void> {
    if (this.calls !== undefined) {
      this.calls.limitLocks(ms)
    } else if (ms !== undefined) {
      await this.command(`SET lock_timeout = ${ms}`)
    } else {
      await this.command('RESET lock_timeout')
      await this.repairSettings('RESET lock_timeout')
    }
  }

  /**
   * For a file with a time limit of its own. Sent ahead of its statements; cleaning brings the datasource's limit back.
   */
  limitStatements(seconds: number): void {
    // Where the connection is lost the statements behind it say so.
    if (seconds !== this.settings.timeoutSeconds) this.#limit(seconds).catch(() => undefined)
  }

  async #limit(seconds?: number): Promise<void> {
    const text = this.settings.limit(seconds)
    if (text !== '') await this.command(text)
  }

  /** Undoes what other requests may have left for a statement that looks at the session. */
  async reset(): Promise<void> {
    if (this.calls !== undefined) return
    const command = new Command(resetText + newSeedText() + this.settings.textOf(this.settings.all))
    await this.silence.answered(this.wire.ask(command))
    if (command.names.length > 0) await this.command(deallocateText(command.names))
  }

  /** Ends a transaction that was left open and undoes what may have been left behind. False when that failed. */
  async clean(): Promise<boolean> {
    try {
      this.silence.isOver()
      if (this.#isRetired) return false
      // A cancel request that is still in progress would hit the next statement.
      await this.cancelRequest
      this.cancelRequest = undefined
      if (this.isInTransaction) this.context.meter?.rolledBack()
      if (this.isInTransaction) await this.silence.answered(this.command('ROLLBACK'))
      if (this.settings.isLimited) await this.silence.answered(this.#limit())
      if (this.hasRunDefinition || this.catalog.isOld) await this.silence.answered(this.#lookAtCode())
      if (this.calls === undefined) await this.#undo()
      this.hasRunDefinition = false
      this.hasRunSession = false
      this.hasRunCode = false
      this.newPlans = undefined
      this.#settingChanged = false
      return this.#wrong.size === 0 && !this.#isRetired
    } catch {
      return false
    }
  }

  /** What may have been left in the session. */
  async #undo(): Promise<void> {
    if (this.hasRunSession) {
      // DISCARD ALL has to be alone, so what follows it is sent behind it.
      const discard = [this.command('DISCARD ALL'), this.command(newSeedText()), this.applySettings()]
      await this.silence.answered(Promise.all(discard))
      this.prepared.forget()
    } else if (this.hasRunCode || this.#settingChanged || this.catalog.code.isEverywhere) {
      await this.reset()
    }
  }

  /** What takes more than the start-up message. */
  async #prepare(readingMs: number): Promise<void> {
    if (this.calls === undefined) await this.#makeSettings()
    else await this.#makeSettingsOfCalls(this.calls)
    // Better now than during the first requests.
    for (const since = performance.now(); this.#mustLook && performance.now() - since < readingMs;)
      await this.#lookAtCode()
    this.#settingChanged = false
  }

  /** Where no session is kept nothing is served before the stored code is known. */
  get #mustLook(): boolean {
    return this.catalog.isOld || (this.calls !== undefined && !this.catalog.code.isKnown)
  }

  async #makeSettings(): Promise<void> {
    const { settings, lacksOptions } = this.opened
    const names = settings.map(({ name }) => name)
    // A single setting is the application's name, which everybody may set.
    const isPlain = names.length === 1
    const settable = new Set(isPlain ? names : (await this.list(settableQuery, [toArrayText(names)])).flat())
    const refused = names.filter((name) => !settable.has(name))
    if (lacksOptions && refused.length > 0) throw new Error(`The setting ${refused.join(', ')} cannot be made`)
    this.settings.take(settings.filter(({ name }) => settable.has(name)))
    await Promise.all([
      this.applySettings(),
      this.#setFloatDigits(),
      this.catalog.poolers.look(this, { isFirst: true }),
    ])
  }

  /** Floats are to be the same digits whoever prints them. */
  async #setFloatDigits(): Promise<void> {
    const version = Number.parseInt(this.opened.reported.get('server_version') ?? '', 10)
    if (!(version >= firstWithShortFloats)) return
    const isSet = this.settings.all.some(({ name }) => name.toLowerCase() === floatDigits)
    const [value] = (await this.list(floatDigitsQuery, [String(isSet)])).flat()
    if (typeof value !== 'string') return
    this.settings.add({ name: floatDigits, value })
    if (Number(value) > 0) this.textTypes.delete(oid.float8)
  }

  /** None is sent now. */
  async #makeSettingsOfCalls(calls: CallSettings): Promise<void> {
    calls.take(this.opened.settings)
    const names = calls.sent.map(({ name }) => name)
    if (names.length === 0) return
    const settable = new Set((await this.list(settableQuery, [toArrayText(names)])).flat())
    const refused = names.filter((name) => !settable.has(name))
    if (refused.length > 0) throw new Error(`The setting ${refused.join(', ')} cannot be made for a transaction`)
  }

  /** Makes the session what the service expects, after something that the server's own settings come back with. */
  applySettings(): Promise<void> {
    return this.command(this.settings.textOf(this.settings.all))
  }

  /** After a statement of a file: behind a pooler a reset brings back what the server has, and not what we have set. */
  async repairSettings(statement: string): Promise<void> {
    const reset = resetBy(statement, this.settings.all)
    if (reset.length > 0) await this.command(this.settings.textOf(reset))
  }

  async #lookAtCode(): Promise<void> {
    this.catalog.touch()
    try {
      await this.catalog.poolers.look(this)
      if (!(await this.catalog.code.look((query, values) => this.list(query, values)))) this.catalog.expire()
    } catch {
      // The last answer stays: a cancel may have hit the question, or the server has another catalogue.
      if (this.calls !== undefined && !this.catalog.code.isKnown) this.catalog.expire()
    }
  }
}
