/**
 * What calls are like where a pooler gives each transaction another connection: nothing may be set for a session, which
 * would be somebody else's with the next transaction. Settings of the start-up message that the pooler carries are left
 * to it. All others go ahead in each flight and end with its transaction.
 */
import { quoted, type Setting, SessionSettings } from './settings.ts'

export class CallSettings extends SessionSettings {
  readonly #reported: ReadonlyMap<string, string>
  #lockTimeoutMs: number | undefined
  /** A query that makes the settings for one transaction; undefined where there are none. */
  ahead: string | undefined
  /**
   * Commands that do so where a file's own statements follow: no query, behind which `SET TRANSACTION` would come too
   * late.
   */
  behindBegin: string | undefined
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
    this.behindBegin = settings.length === 0 ? undefined : settings.map(localText).join('; ')
    this.aheadOfReads = this.textOf([...settings, { name: 'transaction_read_only', value: 'on' }])
  }
}

/**
 * `SET LOCAL` as the file would write it. A list of names is one literal for each, because as one it would be one name.
 */
function localText({ name, value }: Setting): string {
  const variable = name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.')
  const values = listsOfNames.has(name.toLowerCase()) ? readNames(value) : [value]
  return `SET LOCAL ${variable} TO ${values.map(quoted).join(', ')}`
}

/** Settings whose values are lists of names, of those that may be made for a transaction. */
const listsOfNames: ReadonlySet<string> = new Set(['search_path', 'temp_tablespaces'])

/** `crm, "Other", "$user"`: what is not quoted is in lower case. At least one. */
function readNames(list: string): readonly string[] {
  const names = Array.from(list.matchAll(/"((?:[^"]|"")*)"|[^\s,"]+/g), ([name, inQuotes]) =>
    inQuotes === undefined ? name.toLowerCase() : inQuotes.replaceAll('""', '"'),
  )
  return names.length === 0 ? [''] : names
}
