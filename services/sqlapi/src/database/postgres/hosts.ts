/**
 * Which servers a URL of PostgreSQL names: text in, hosts with their ports in the order of the URL out, as libpq reads
 * them. Resolves no name and connects to none; wire/servers.ts does.
 */

export interface Host {
  /** A name, an address without brackets, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
}

const defaultHost = 'localhost'
const defaultPort = '5432'

interface Lists {
  readonly hosts: readonly string[]
  /** One for each host, or one for all; empty where the URL names none. */
  readonly ports: readonly string[]
}

/** Only for URLs without a problem. */
export function hostsOf(url: string): readonly Host[] {
  const { hosts, ports } = listsOf(url) as Lists
  return hosts.map((host, index) => {
    const port = ports.length === 1 ? ports[0] : ports[index]
    return { host: host || defaultHost, port: Number(port || defaultPort) }
  })
}

/**
 * The database that the URL names, and its server, if there is a single one: of several, or none, nobody knows which it
 * will be.
 */
export function placeOf(url: string): { readonly database: string | undefined; readonly server: Host | undefined } {
  const [, hosts = '', name = ''] = /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)(?:\/([^?#]*))?/.exec(url) ?? []
  const database = decode(name) || undefined
  const [, host, port = defaultPort] = /^(\[[^\]]+\]|[^:,]+)(?::(\d+))?$/.exec(hosts) ?? []
  if (host === undefined) return { database, server: undefined }
  return { database, server: { host: decode(host.replace(/^\[|\]$/g, '')), port: Number(port) } }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What is wrong with the hosts, in words that hold nothing of the URL. */
export function hostsProblem(url: string): string | undefined {
  if (bareAddress.test(url)) return 'an IPv6 address without brackets (write [::1]:5432)'
  const lists = listsOf(url)
  if (lists === undefined) return 'a URL that cannot be read (percent-encode special characters of user and password)'
  const { hosts, ports } = lists
  if (severalUrls.test(url)) return 'several URLs in one (write one, with its hosts as in postgres://db1,db2/crm)'
  if (hosts.some((host) => /^[^/]*[\s;]/.test(host)))
    return 'a host with a space or a semicolon (write only commas between hosts)'
  if (ports.some((port) => port !== '' && !(Number(port) >= 1 && Number(port) <= 65_535))) {
    return 'a port that is not a number from 1 to 65535'
  }
  if (ports.length > 1 && ports.length !== hosts.length) {
    return `a URL with ${ports.length} ports for ${counted(hosts.length)} (name one port for all hosts, or one for each)`
  }
  return undefined
}

/** Hosts of the list that have no name; libpq would look for a socket on this machine there. */
export function namelessHosts(url: string): number {
  const hosts = listsOf(url)?.hosts ?? []
  return hosts.length > 1 ? hosts.filter((host) => host === '').length : 0
}

const bareAddress = /^[a-z]+:\/\/(?:[^/?#]*[@,])?[\da-f]*:[\da-f]*:[\da-f:]*(?:[,/?#]|$)/i

/**
 * A URL behind the path of another one would be part of the database's name, which servers repeat in what they tell,
 * password and all.
 */
const severalUrls = /^[a-z]+:\/\/[^?#]*:\/\//i

function counted(hosts: number): string {
  return hosts === 1 ? '1 host' : `${hosts} hosts`
}

/**
 * The same URL with a single host in front, for readers that know of no lists; unchanged where it has no list there.
 */
export function withOneHost(url: string): string {
  return url.replace(/^([a-z]+:\/\/(?:[^/?#]*@)?)[^/?#,]*,[^/?#]*/i, '$1host')
}

/** The parameters `host` and `port` replace what is in front of them. */
function listsOf(url: string): Lists | undefined {
  const [, authority = '', query = ''] = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(url) ?? []
  const inFront = authority.split(',').map(readHost)
  if (inFront.includes(undefined)) return undefined
  const pairs = inFront as readonly Pair[]
  const parameters = new URLSearchParams(query)
  const hosts = parameters.get('host')?.split(',') ?? pairs.map(({ host }) => host)
  const ports = parameters.get('port')?.split(',') ?? pairs.map(({ port }) => port)
  if (hosts.some((host) => /[[\]]/.test(host))) return undefined
  return { hosts, ports: ports.every((port) => port === '') ? [] : ports }
}

interface Pair {
  readonly host: string
  readonly port: string
}

function readHost(text: string): Pair | undefined {
  const [whole, address, name = '', port = ''] = /^(?:\[([^[\]]+)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  try {
    return { host: decodeURIComponent(address ?? name), port }
  } catch {
    return undefined
  }
}
