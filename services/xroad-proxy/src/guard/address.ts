/**
 * The first half of the guard: what to make of an address that a WSDL or its sidecar names. The text comes in, a URL to
 * call directly, "through the Security Server" or a rejection in words goes out. Nothing is resolved here: what a name
 * leads to is judged when connecting (lookup.ts).
 *
 * Every check looks at the URL as Node parses it, never at the text, and that URL is what goes out: so the call cannot
 * read `0x7f.1`, full-width digits or a backslash in another way than the check.
 */
import { isIP, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { blockedRange } from './ranges.ts'

export type Verdict =
  | { readonly kind: 'direct'; readonly url: string }
  | { readonly kind: 'security_server' }
  /** `reason` is the end of a sentence that begins with the address, holds no credentials and nothing unprintable. */
  | { readonly kind: 'rejected'; readonly reason: string }

export interface AddressRules {
  readonly allowHttp: boolean
  /** Host names, compared exactly except for case and a trailing dot. Empty: every public host. */
  readonly hostAllowlist: readonly string[]
}

const maxAddressCharacters = 2048
const maxHostCharacters = 253

/** Placeholders first: they are what a WSDL of X-Road is expected to say, so they end without a warning. */
export function judgeAddress(text: string, rules: AddressRules): Verdict {
  const address = text.trim()
  if (address.length > maxAddressCharacters) {
    return { kind: 'rejected', reason: `is longer than ${maxAddressCharacters} characters` }
  }
  const url = URL.parse(address)
  if (isPlaceholder(address, url)) return { kind: 'security_server' }
  if (url === null) return { kind: 'rejected', reason: 'is not a complete URL' }
  for (const problem of problems) {
    const reason = problem(url, rules)
    if (reason !== undefined) return { kind: 'rejected', reason }
  }
  url.hash = ''
  return { kind: 'direct', url: url.href }
}

/** What a host that stands for the Security Server contains; the last one is what generators of WSDLs leave behind. */
const placeholderParts = ['turvaserver', 'security-server', 'security_server', 'securityserver', 'insert_'] as const
const placeholderAddress = 'http://example.org/xroad-endpoint'

function isPlaceholder(address: string, url: URL | null): boolean {
  if (address === placeholderAddress) return true
  const host = url !== null && isWeb(url) ? url.hostname : writtenHost(address)
  if (placeholderParts.some((part) => host.includes(part))) return true
  if (isBracketed(host)) return true
  // Of another scheme only the names above count: `gopher://mainframe` is an address that deserves its warning.
  if (url !== null && !isWeb(url)) return false
  // `localhost` has one label too, but it is what a developer left behind: no placeholder, and the guard says so.
  return /^[a-z0-9_-]+\.?$/.test(host) && !isLocalhost(host)
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:'
}

/** The host of a text that is not a URL, like `http://[host]:[port]/x` or `TURVASERVER`. */
function writtenHost(address: string): string {
  const [authority = ''] = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').split(/[/?#\\]/, 1)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return host.replace(/:[^:\]]*$/, '').toLowerCase()
}

function isBracketed(host: string): boolean {
  const inside = /\[([^\]]*)\]/.exec(host)?.[1]
  if (inside === undefined) return false
  const [ip = ''] = inside.split('%', 1)
  return !isIPv6(ip)
}

function isLocalhost(host: string): boolean {
  return withoutDot(host) === 'localhost'
}

type Problem = (url: URL, rules: AddressRules) => string | undefined

/** In the order in which they run; the first one that objects decides. */
const problems: readonly Problem[] = [
  schemeProblem,
  credentialsProblem,
  hostProblem,
  portProblem,
  ipProblem,
  allowlistProblem,
]

function schemeProblem(url: URL, { allowHttp }: AddressRules): string | undefined {
  if (!isWeb(url)) return allowHttp ? 'begins neither with https:// nor with http://' : 'does not begin with https://'
  if (url.protocol === 'https:' || allowHttp) return undefined
  return 'is plain http, which wsdl.allow_http_upstream does not allow'
}

function credentialsProblem(url: URL): string | undefined {
  return url.username || url.password ? 'has a user name or a password in it' : undefined
}

/** Names that resolve on this machine or in this network only. */
const localNames = ['localhost', 'local', 'internal'] as const

function hostProblem({ hostname }: URL): string | undefined {
  if (hostname.startsWith('[')) return undefined
  const host = withoutDot(hostname)
  if (host.length > maxHostCharacters || !/^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(host)) {
    return 'has no valid host name'
  }
  const suffix = localNames.find((name) => host === name || host.endsWith(`.${name}`))
  return suffix === undefined ? undefined : `has a host of this network only (${suffix})`
}

function portProblem({ port }: URL): string | undefined {
  return port === '0' ? 'has port 0, to which nobody can connect' : undefined
}

function ipProblem({ hostname }: URL): string | undefined {
  const ip = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (isIP(ip) === 0) return undefined
  // Blocked even for a public IPv4 address: only a resolver has reason to write one like this, and it does not write
  // WSDLs.
  if (ip.startsWith('64:ff9b::')) return 'is NAT64 (64:ff9b::/96)'
  const range = blockedRange(ip)
  return range === undefined ? undefined : `is ${range}`
}

function allowlistProblem({ hostname }: URL, { hostAllowlist }: AddressRules): string | undefined {
  if (hostAllowlist.length === 0) return undefined
  const host = withoutDot(hostname)
  if (hostAllowlist.some((entry) => toHost(entry) === host)) return undefined
  const noHost = hostAllowlist.find((entry) => toHost(entry) === '')
  const more = noHost === undefined ? '' : `; ${JSON.stringify(noHost.slice(0, 80))} there is no host name`
  return `has a host that wsdl.upstream_host_allowlist does not list (${host})${more}`
}

/** An entry as the host of a URL; whatever is more than a host (port, path) becomes empty and matches nothing. */
function toHost(entry: string): string {
  const host = entry.trim()
  if (/[/?#\\]/.test(host)) return ''
  return withoutDot(domainToASCII(isIPv6(host) ? `[${host}]` : host))
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}
