/**
 * JDBC URLs -> the URLs of sqlapi.yaml. Carries over what has a counterpart and names the rest in `dropped`;
 * credentials come out apart, because they may also be elsewhere. Logs nothing and throws nothing.
 */

export interface Translated {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly dropped: readonly string[]
}

/** `undefined` for a database that has no counterpart. */
export function translateJdbc(jdbcUrl: string): Translated | undefined {
  const [, vendor = '', rest = '', search = ''] = /^(?:jdbc:)?([a-z0-9]+):([^?]*)\??(.*)$/is.exec(jdbcUrl) ?? []
  return translators.get(vendor.toLowerCase())?.(rest, [...new URLSearchParams(search)])
}

const translators: ReadonlyMap<string, (rest: string, parameters: Parameters) => Translated> = new Map([
  ['postgres', toPostgres],
  ['postgresql', toPostgres],
  ['sqlite', toSqlite],
])

type Parameters = readonly (readonly [string, string])[]

function toSqlite(path: string, parameters: Parameters): Translated {
  const kept = parameters.filter(([key]) => key === 'mode')
  const dropped = parameters.filter(([key]) => key !== 'mode').map(([key]) => key)
  return { url: withQuery(`sqlite:${path || ':memory:'}`, kept), user: '', password: '', dropped }
}

/** JDBC parameter in lower case -> parameters of the PostgreSQL URL. */
const carried = new Map<string, (value: string) => Parameters>(
  Object.entries({
    sslmode: (value) => [['sslmode', value]],
    ssl: (value): Parameters => (value === 'false' ? [] : [['sslmode', 'verify-full']]),
    sslrootcert: (value) => [['sslrootcert', value]],
    sslcert: (value) => [['sslcert', value]],
    sslkey: (value) => [['sslkey', value]],
    sslpassword: (value) => [['sslpassword', value]],
    sslnegotiation: (value) => [['sslnegotiation', value]],
    // The service supports neither, except for values that ask for nothing; url-parameters.ts refuses the others.
    channelbinding: (value) => [['channel_binding', value]],
    gssencmode: (value) => [['gssencmode', value]],
    // A kind of server without a counterpart is refused there as well.
    targetservertype: (value) => [['target_session_attrs', targets.get(value.toLowerCase()) ?? value]],
    loadbalancehosts: (value) => [['load_balance_hosts', value === 'true' ? 'random' : 'disable']],
    applicationname: (value) => [['application_name', value]],
    options: (value) => [['options', value]],
    currentschema: (value) => [['options', `-c search_path=${value.replaceAll(/[\s\\]/g, String.raw`\$&`)}`]],
  }),
)

/** The kinds of servers of the JDBC driver, older names too. */
const targets: ReadonlyMap<string, string> = new Map([
  ['master', 'primary'],
  ['slave', 'standby'],
  ['secondary', 'standby'],
  ['preferslave', 'prefer-standby'],
  ['prefersecondary', 'prefer-standby'],
])

function toPostgres(rest: string, parameters: Parameters): Translated {
  const given = new Map(parameters.map(([key, value]) => [key.toLowerCase(), value]))
  const query = new Map<string, string>()
  const dropped: string[] = []
  for (const [key, value] of parameters) {
    const translate = carried.get(key.toLowerCase())
    if (translate === undefined && !/^(?:user|password)$/i.test(key)) dropped.push(key)
    for (const [name, text] of translate?.(value) ?? []) {
      const before = query.get(name)
      // Only options add up; sslmode says more than ssl, whichever comes first.
      if (name === 'options' && before !== undefined) query.set(name, `${before} ${text}`)
      else if (before === undefined || key.toLowerCase() === name) query.set(name, text)
    }
  }
  const url = withQuery(
    `postgresql://${rest.startsWith('//') ? rest.slice(2) : `localhost/${rest.replace(/^\//, '')}`}`,
    [...query],
  )
  return { url, user: given.get('user') ?? '', password: given.get('password') ?? '', dropped }
}

function withQuery(url: string, parameters: Parameters): string {
  const pairs = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value.toWellFormed())}`)
  return pairs.length === 0 ? url : `${url}?${pairs.join('&')}`
}
