/**
 * What calls are like where a pooler gives each transaction another connection: nothing may be set for a session, which would be
 * somebody else's with the next transaction. Settings of the start-up message that the pooler carries are left to it. All
 * others go ahead in each flight and end with its transaction.
 */
import { quoted, type Setting, SessionSettings } from './settings.ts'

export class CallSettings extends SessionSettings {
  readonly #reported: ReadonlyMap<string, string>
  #lockTimeoutMs: number | undefined
  /** A query that makes the settings for one transaction; undefined where there are none. */
  ahead: string | undefined
  /** The same for a transaction that cannot write. */
  aheadOfReads = ''

  /** `reported` is what the pooler has said of the settings when the connection began, by lower-cased names. */
  constructor(timeZone: string | undefined, timeoutSeconds: number, reported: ReadonlyMap<string, string>) {
    super(timeZone, timeoutSeconds)
    this.#reported = reported
  }

  /** Those that go ahead. */
  get sent(): readonly Setting[] {
    return this.all.filter((setting) => !this.#carries(setting))
  }

  override take(ofUrl: readonly Setting[]): void {
    super.take(ofUrl)
    this.#write()
  }

  /** There is nothing to be sent: the next flight has the limit. */
  override limit(seconds?: number): string {
    super.limit(seconds)
    return ''
  }

  /** How long statements wait for a lock from the next flight on; without a number as long as the server has it. */
  limitLocks(ms: number | undefined): void {
    this.#lockTimeoutMs = ms
    this.#write()
  }

  /** A setting that goes ahead is another one behind each transaction. */
  override isAsSet(name: string, value: string): boolean {
    return this.sent.some((setting) => setting.name === name) || super.isAsSet(name, value)
  }

  override textOf(settings: readonly Setting[]): string {
    const calls = settings.map(({ name, value }) => `pg_catalog.set_config(${quoted(name)}, ${quoted(value)}, true)`)
    return `SELECT ${calls.join(', ')}`
  }

  #carries({ name, value }: Setting): boolean {
    const reported = this.#reported.get(name.toLowerCase())
    if (reported === undefined) return value === ''
    return reported === value || (this.isOwn(name) && super.isAsSet(name, reported))
  }

  #write(): void {
    const locks = this.#lockTimeoutMs === undefined ? [] : [{ name: 'lock_timeout', value: `${this.#lockTimeoutMs}` }]
    const settings = [...this.sent, ...locks]
    this.ahead = settings.length === 0 ? undefined : this.textOf(settings)
    this.aheadOfReads = this.textOf([...settings, { name: 'transaction_read_only', value: 'on' }])
  }
}
