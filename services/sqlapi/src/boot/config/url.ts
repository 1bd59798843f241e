/**
 * Datasource URLs: which database they mean, whose credentials they carry, and how they look without the password.
 * Pure text work. `maskUrl` is the only form of a URL that may leave the process; it prefers hiding too much.
 */
import type { Problem } from '@services/config-file'
import type { UrlRules } from '../../database/url-rules.ts'
import { dialectOf, dialects, urlPrefixes } from '../../dialects.ts'
import type { DatasourceConfig } from './schema.ts'
import { parameterProblems } from './url-parameters.ts'

const hidden = '*****'

/** Query parameters that hold a password: `password`, `sslpassword`, in any case, however the key is escaped. */
const secretKey = /password/i

function rulesOf(url: string): UrlRules | undefined {
  const dialect = dialectOf(url)
  return dialect === undefined ? undefined : dialects[dialect].url
}

/** A user and a password may be in the URL. */
export function hasLogin(url: string): boolean {
  return rulesOf(url)?.hasLogin === true
}

/** A database that only one process can see. */
export function isInMemory(url: string): boolean {
  return rulesOf(url)?.isInMemory(url) === true
}

/** What the author of a URL may not have meant; undefined for nothing. */
export function urlHint(url: string): string | undefined {
  return rulesOf(url)?.hintOf(url)
}

/** What the URL of a datasource asks for and nobody can have behind a pooler in transaction mode. */
export function pooledProblems(
  { url, pooler }: { readonly url: string; readonly pooler: string },
  index: number,
): Problem[] {
  if (pooler !== 'transaction') return []
  const messages = rulesOf(url)?.pooledConflictsOf(split(url).query) ?? []
  return messages.map((message) => ({ path: ['datasources', index, 'url'], message }))
}

/** The field and the parameter of a URL that say the same: which of them counts nobody should have to know. */
export function timeoutProblems(
  {
    url,
    replicas,
    connectTimeoutSeconds,
  }: Pick<DatasourceConfig, 'url' | 'replicas'> & { readonly connectTimeoutSeconds?: number | undefined },
  index: number,
): Problem[] {
  if (connectTimeoutSeconds === undefined) return []
  const named = [['url', url], ...replicas.map((each, at) => [`replicas[${at}]`, each])] as [string, string][]
  const both = named.filter(([, each]) => hasLogin(each) && split(each).query.has('connect_timeout'))
  if (both.length === 0) return []
  const places = both.map(([place]) => place).join(', ')
  const message = `cannot be combined with connect_timeout in ${places}; leave one of them out`
  return [{ path: ['datasources', index, 'connect_timeout_seconds'], message }]
}

/** The URL with every password replaced. Never throws, whatever the text is. */
export function maskUrl(url: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:(?:\/\/)?)?(.*)$/is.exec(url) ?? []
  const query = rest.indexOf('?')
  const shown = query < 0 ? rest : rest.slice(0, query + 1) + maskQuery(rest.slice(query + 1))
  return scheme + (rulesOf(url)?.hasLogin === false ? shown : maskUserInfo(shown))
}

function maskQuery(query: string): string {
  let secret = false
  const shown = query.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    // Without "=" it is the rest of a password that holds a bare "&".
    if (equals < 0) return secret ? hidden : pair
    const key = pair.slice(0, equals)
    secret = secretKey.test(decode(key) ?? key)
    return secret ? `${key}=${hidden}` : pair
  })
  return shown.join('&')
}

/**
 * A password may hold any of `@ : / ? #` unescaped, so it reaches from the first colon to the last "@". Without an "@"
 * a colon announces the port of a host; what is not a port may be half a password.
 */
function maskUserInfo(rest: string): string {
  if (rest.includes('@')) return rest.replace(/^([^:]*):.*@/s, `$1:${hidden}@`)
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? ''
  let at = 0
  for (const host of authority.split(',')) {
    const colon = host.replace(/^\[[^\]]*\]/, (address) => ' '.repeat(address.length)).indexOf(':')
    if (colon >= 0 && !/^\d*$/.test(host.slice(colon + 1))) return `${rest.slice(0, at + colon)}:${hidden}`
    at += host.length + 1
  }
  return rest
}

interface Parts {
  readonly scheme: string
  /** Percent-encoded, empty when absent. */
  readonly user: string
  readonly password: string
  /** Host, port, path and query. */
  readonly rest: string
  readonly query: URLSearchParams
}

function split(url: string): Parts {
  const [, scheme = '', userInfo = '', rest = ''] = /^([a-z]+:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(url) ?? []
  const colon = userInfo.indexOf(':')
  const query = new URLSearchParams(/\?([^#]*)/.exec(rest)?.[1] ?? '')
  if (colon < 0) return { scheme, user: userInfo, password: '', rest, query }
  return { scheme, user: userInfo.slice(0, colon), password: userInfo.slice(colon + 1), rest, query }
}

/** Adds the user and the password that the URL lacks; what it has, in user-info or query, it keeps. */
export function injectCredentials(url: string, user: string, password: string): string {
  if (!hasLogin(url)) return url
  const own = split(url)
  const name = own.user || (own.query.has('user') ? '' : encode(user))
  const secret = own.password || (own.query.has('password') ? '' : encode(password))
  const userInfo = secret === '' ? name : `${name}:${secret}`
  return userInfo === '' ? url : `${own.scheme}${userInfo}@${own.rest}`
}

/** The user that a connection with this URL logs in as, as far as the URL tells. */
export function userOf(url: string): string {
  if (!hasLogin(url)) return ''
  const { user, query } = split(url)
  return query.get('user') || (decode(user) ?? user)
}

/** Paths of the files with which a connection logs in, as far as the URL names them. */
export function filesOfUrl(url: string): readonly string[] {
  const { query } = split(url)
  return (rulesOf(url)?.fileParameters ?? []).flatMap((name) => query.get(name) ?? [])
}

/** What is wrong with a datasource URL, in a text that contains nothing of it; undefined if the URL is good. */
export function urlProblem(url: string): string | undefined {
  const rules = rulesOf(url)
  if (rules === undefined) return foreign.find(({ scheme }) => scheme.test(url))?.problem ?? 'another kind of text'
  const problem = rules.problemOf(url)
  if (problem !== undefined || !rules.hasLogin) return problem
  if (url.includes('#')) return 'a URL with a "#", behind which nothing is read (write %23 for it)'
  const { user, password } = split(url)
  const oneHost = rules.withOneHost(url)
  const readable = URL.canParse(oneHost) || URL.canParse(oneHost.replace('@/', '@host/'))
  const decodable = decode(user) !== undefined && decode(password) !== undefined
  return readable && decodable
    ? undefined
    : 'a URL that cannot be read (percent-encode special characters of user and password)'
}

/** What a URL asks for that the service does not support, each with a cure; no text contains a value of the URL. */
export function urlParameterProblems(url: string): string[] {
  const rules = rulesOf(url)
  if (rules?.hasLogin !== true || urlProblem(url) !== undefined) return []
  const { query } = split(url)
  const isSecret = [...query.keys()].some((key) => secretKey.test(key))
  return parameterProblems(rules, query, isSecret)
}

const schemes = urlPrefixes.map((prefix) => prefix.slice(0, prefix.indexOf(':')))
const jdbcOfSupported = new RegExp(`^jdbc:(?:${schemes.join('|')}):`, 'i')

const foreign = [
  { scheme: /^(?:jdbc:)?h2:/i, problem: 'an H2 URL, a database that is not supported' },
  { scheme: jdbcOfSupported, problem: 'a JDBC URL (drop "jdbc:")' },
  { scheme: /^jdbc:/i, problem: 'a JDBC URL of a database that is not supported' },
  // It may be a password in part, so it is not shown.
  {
    scheme: /^(?:\$\{|\$\w|\{\{|%\w+%)/,
    problem: 'a variable (the file is used as it is; of the environment it gets passwords only, by password_env)',
  },
  { scheme: /^[^:?]*\.(?:db3?|sqlite3?)$/i, problem: 'the path of a file (write sqlite: in front of it)' },
]

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
