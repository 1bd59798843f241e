/**
 * What a session of the service is like, as commands: our settings, and how a session that others have used becomes
 * like that again. Texts only; when they are sent is session.ts's.
 */

/**
 * What DISCARD ALL does, except dropping the prepared statements, because most are ours: it gives the names of those
 * that are not, which were made by PREPARE.
 */
export const resetText = `
RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *; SELECT pg_catalog.pg_advisory_unlock_all();
DISCARD TEMP; DISCARD SEQUENCES; SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql;`

/** No reset forgets `setseed`, and who knows the seed knows what `random()` gives to others. */
export function newSeedText(): string {
  return `SELECT pg_catalog.setseed(${(Math.random() * 2 - 1).toFixed(15)});`
}

/** Drops prepared statements by their names. */
export function deallocateText(names: readonly string[]): string {
  return names.map((name) => `DEALLOCATE "${name.replaceAll('"', '""')}";`).join('')
}

export interface Setting {
  readonly name: string
  readonly value: string
}

/**
 * What every session of a datasource speaks; its time zone as the configuration has it. Read by rows.ts and by the
 * files.
 */
export function ownSettings(timeZone: string, dateStyle = 'ISO'): readonly Setting[] {
  return [
    { name: 'TimeZone', value: toServerZone(timeZone) },
    { name: 'DateStyle', value: dateStyle },
    { name: 'client_encoding', value: 'UTF8' },
    // The lexer takes no backslash for an escape.
    { name: 'standard_conforming_strings', value: 'on' },
  ]
}

/** To the server an offset is the POSIX way of writing a zone, which counts westwards and has a name in front. */
function toServerZone(timeZone: string): string {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(timeZone) ?? []
  if (sign === undefined) return timeZone
  const size = minutes === '00' ? hours : `${hours}:${minutes}`
  return size === '00' ? 'UTC' : `<${sign}${size}>${sign === '+' ? '-' : '+'}${size}`
}

/** How to set up one session. */
export class SessionSettings {
  #own: readonly Setting[]
  /** Longest time of a statement that the datasource has; 0 leaves that to the server. */
  readonly #ownSeconds: number
  #ofUrl: readonly Setting[] = []
  /** Those of the URL, ours, and the time limit of its statements. */
  all: readonly Setting[]
  /** Seconds after which the server ends a statement; 0 where that is left to the server. */
  timeoutSeconds: number

  constructor(timeZone: string | undefined, timeoutSeconds: number) {
    this.#own = ownSettings(timeZone ?? 'UTC')
    this.#ownSeconds = timeoutSeconds
    this.timeoutSeconds = timeoutSeconds
    this.all = this.#own
  }

  /** Those of the URL that the session may make. */
  take(ofUrl: readonly Setting[]): void {
    this.#ofUrl = ofUrl
    this.all = [...ofUrl, ...this.#own, ...limitOf(this.timeoutSeconds)]
  }

  /** One more of ours. */
  add(setting: Setting): void {
    this.#own = [...this.#own, setting]
    this.take(this.#ofUrl)
  }

  /** Moments are in UTC. */
  get isUtc(): boolean {
    return this.#own.some(({ name, value }) => name === 'TimeZone' && value.toUpperCase() === 'UTC')
  }

  /** A file has a limit of its own, and the session has it now. */
  get isLimited(): boolean {
    return this.timeoutSeconds !== this.#ownSeconds
  }

  /** Longest time of a statement from now on, by default that of the datasource. Gives the command for it. */
  limit(seconds: number = this.#ownSeconds): string {
    this.timeoutSeconds = seconds
    this.take(this.#ofUrl)
    const limits = this.all.filter(({ name }) => name.toLowerCase() === limitName)
    return limits.length === 0 ? `RESET ${limitName}` : this.textOf(limits)
  }

  /** Commands that make these settings. */
  textOf(settings: readonly Setting[]): string {
    return settingsText(settings)
  }

  /** Ours, and not one of the URL. */
  isOwn(name: string): boolean {
    return this.#own.some((setting) => setting.name === name)
  }

  /** Whether a setting that the server reports is what the service has set. */
  isAsSet(name: string, value: string): boolean {
    if (name === 'DateStyle') return value.startsWith('ISO')
    const own = this.#own.find((setting) => setting.name === name)
    // Casing does not count in names of zones, and the server has its own.
    return own === undefined || own.value.toLowerCase() === value.toLowerCase()
  }
}

const limitName = 'statement_timeout'

function limitOf(seconds: number): readonly Setting[] {
  return seconds === 0 ? [] : [{ name: limitName, value: `${seconds}s` }]
}

/**
 * Commands that follow the start-up message and every reset. The message alone is not enough: a pooler keeps it to
 * itself, and a reset brings back what the server has of its own.
 */
function settingsText(settings: readonly Setting[]): string {
  // The value comes back in a row, where only names of prepared statements are looked for.
  return settings
    .map(
      ({ name, value }) =>
        `SELECT pg_catalog.left(pg_catalog.set_config(${quoted(name)}, ${quoted(value)}, false), 0);`,
    )
    .join('')
}

const resetsAll = /^(?:RESET|DISCARD)\s+ALL\b/i
const resetsZone = /^(?:RESET\s+TIME\s+ZONE|SET\s+(?:(?:SESSION|LOCAL)\s+)?TIME\s+ZONE\s+(?:DEFAULT|LOCAL))\b/i
const resetsOne = /^(?:RESET\s+"?([\w.]+)|SET\s+(?:(?:SESSION|LOCAL)\s+)?"?([\w.]+)"?\s*(?:=|\bTO\b)\s*DEFAULT\b)/i

/** Of our settings those that this statement has brought back to the values of the server. */
export function resetBy(text: string, settings: readonly Setting[]): readonly Setting[] {
  if (resetsAll.test(text)) return settings
  const match = resetsOne.exec(text)
  const reset = resetsZone.test(text) ? 'timezone' : (match?.[1] ?? match?.[2])?.toLowerCase()
  return settings.filter(({ name }) => name.toLowerCase() === reset)
}

/** As a literal that reads the same whatever `standard_conforming_strings` says. */
export function quoted(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** The order of day and month that the server has where nobody asks for another one: `DMY` in `German, DMY`. */
export const dateOrderQuery = `SELECT substring(reset_val FROM '[DMY]{3}') FROM pg_catalog.pg_settings WHERE name = 'DateStyle'`

/** Of these names those that the session may set at any time, also names that the server does not know. */
export const settableQuery = `SELECT o.name FROM unnest($1::text[]) AS o(name) LEFT JOIN pg_catalog.pg_settings s ON lower(s.name) = lower(o.name)
WHERE s.context IS NULL OR s.context = 'user' OR s.context = 'superuser' AND current_setting('is_superuser') = 'on'`

/** Above 0 PostgreSQL 12 and newer print as many digits as it takes to tell a float apart. */
export const floatDigits = 'extra_float_digits'

/**
 * Sets it for the session, which a change of the server's configuration then leaves as it is. One that `$1` says is set
 * keeps its value. Gives the value; no row if the server does not know the setting.
 */
export const floatDigitsQuery = `SELECT pg_catalog.set_config(name, CASE WHEN $1 THEN setting ELSE '1' END, false)
FROM pg_catalog.pg_settings WHERE name = '${floatDigits}'`

/** The settings in a URL's `options`: `-c name=value`, `-cname=value`, `--name=value`; a backslash keeps a space. */
export function readOptions(options: string): readonly Setting[] {
  const words = (options.match(/(?:\\.|[^\s\\])+/gs) ?? []).map((word) => word.replaceAll(/\\(.)/gs, '$1'))
  return words.flatMap((word, index) => {
    const text = word === '-c' ? (words[index + 1] ?? '') : (/^(?:-c|--)(.+)$/s.exec(word)?.[1] ?? '')
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    return name === '' ? [] : [{ name: word === '-c' ? name : name.replaceAll('-', '_'), value }]
  })
}
