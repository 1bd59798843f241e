/**
 * Fetches one schema file from the network for `wsdl vendor`: by https unless told otherwise, from public addresses
 * only, up to a number of bytes, without following redirects. The service itself never uses this.
 */
import { createPublicContext } from '../boot/tls/keystore.ts'
import { Failure } from '../errors.ts'
import { createGuardedLookup } from '../guard/lookup.ts'
import { openUpstream, withoutCaller } from '../upstream/upstream.ts'
import { judgeAddress } from '../guard/address.ts'

/** Status of an answer -> what helps. */
const remedies: Readonly<Record<number, string>> = {
  401: '; save it with a browser, and name the file',
  403: '; save it with a browser, and name the file',
  404: '; check the address, which often ends in ?wsdl',
}

export interface DownloadRules {
  /** When not empty, the only hosts. */
  readonly allowHosts: readonly string[]
  /** Hosts that may be in our own network. */
  readonly privateHosts: readonly string[]
  readonly allowHttp: boolean
  /** Of one file. */
  readonly maxBytes: number
}

export interface Downloader {
  /** Throws `DownloadError`. */
  get(url: string): Promise<Uint8Array>
  close(): Promise<void>
}

/** The message is the end of a sentence that begins with the address. */
export class DownloadError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DownloadError'
  }
}

const timeoutSeconds = 30

export function openDownloader(rules: DownloadRules): Downloader {
  const bounds = { secureContext: createPublicContext, timeoutSeconds, maxResponseBytes: rules.maxBytes }
  const guarded = openUpstream({ ...bounds, lookup: createGuardedLookup() })
  const open = openUpstream(bounds)
  return {
    async get(address) {
      const { isPrivate, url } = judge(address, rules)
      const call = {
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        headers: ['Accept', 'text/xml, application/xml, */*', 'Accept-Encoding', 'identity'],
        body: undefined,
      }
      try {
        const { status, body } = await (isPrivate ? open : guarded).collect(call, withoutCaller())
        if (status === 200) return body
        const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
        throw new DownloadError(`answers with HTTP ${status}${redirect}${remedies[status] ?? ''}`)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        // The address is the one that was asked for, not one of the configuration.
        const cure = error.code === 'upstream_body_too_large' ? '; --max-bytes allows more' : ''
        throw new DownloadError(
          `cannot be fetched: ${error.message.replace(configured, 'the address').replace(trusted, 'set NODE_EXTRA_CA_CERTS to a PEM file with it')}${cure}`,
        )
      }
    },
    async close() {
      await Promise.all([guarded.close(), open.close()])
    },
  }
}

function judge(address: string, rules: DownloadRules): { isPrivate: boolean; url: URL } {
  const { allowHosts, privateHosts, allowHttp } = rules
  const url = URL.parse(address)
  if (url !== null && privateHosts.includes(url.hostname)) {
    if (url.protocol === 'http:' && !allowHttp) throw new DownloadError(plainHttp)
    if (url.username || url.password) throw new DownloadError('has a user name or a password in it')
    if (url.protocol === 'https:' || url.protocol === 'http:') return { isPrivate: true, url }
  }
  if (url?.protocol === 'http:' && !allowHttp) throw new DownloadError(plainHttp)
  const verdict = judgeAddress(address, { allowHttp, hostAllowlist: allowHosts })
  switch (verdict.kind) {
    case 'direct':
      return { isPrivate: false, url: new URL(verdict.url) }
    case 'security_server':
      throw new DownloadError('stands for a Security Server or has a host of this network only')
    case 'rejected':
      throw new DownloadError(
        verdict.reason.replace('wsdl.upstream_host_allowlist does not list', '--allow-host does not name'),
      )
  }
}

const configured = 'security_server.url (or of the service)'
/** What a Security Server needs. */
const trusted = /put its issuer, or itself .*$/
const plainHttp = 'is plain http; --allow-http allows it'
