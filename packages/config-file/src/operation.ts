/**
 * Fields that all services have for operators: addresses to listen on, the admin listener, the orderly end, the
 * reload, traces, the log of requests.
 */
import { isIPv6 } from 'node:net'
import { anyText, checked, flag, oneOf, section, wholeNumber } from './fields.ts'
import { found } from './words/problem.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const addressMeaning = 'host:port such as 0.0.0.0:8080 or [::]:8080'

/** `host:port`; without a host all IPv4 addresses. Give it a default where it has one, and then to `toAddress`. */
export const addressText = checked(anyText(addressMeaning, { shown: true }), addressProblem, addressMeaning)

/** Only what is an address comes here. */
export function toAddress(text: string): ListenAddress {
  return readAddress(text) as ListenAddress
}

export const adminSection = section({
  bind: addressText
    .transform(toAddress)
    .describe('Address of the admin pages, host:port; never one that callers reach.'),
  ready_timeout_seconds: wholeNumber(1, 60)
    .default(2)
    .describe('How long a part that the service needs may take to answer before it counts as down.'),
})

export const shutdownSection = section({
  delay_seconds: wholeNumber(0, 3600)
    .default(0)
    .describe('How long requests are still accepted after the signal to end, while /ready answers 503.'),
})

/** SIGHUP always does. */
export const reloadField = oneOf(['off', 'watch'])
  .default('off')
  .describe('watch: files and settings are reloaded when they change; off: only at SIGHUP.')

/** Of the section `trace`. */
export const traceEnabled = flag()
  .default(false)
  .describe(
    'Whether requests have a place in a trace (W3C Trace Context), in log lines and wherever they lead; where an OpenTelemetry SDK is loaded they always have one.',
  )

/** Of the section `logging`, by the default of a service. */
export const requestLogFields = { errors: logsUsually('errors'), all: logsUsually('all') }

function logsUsually(usual: 'errors' | 'all') {
  return {
    requests: oneOf(['off', 'errors', 'slow', 'all'])
      .default(usual)
      .describe('Which requests have a line in the log: none, those with an error, slow ones too, or all.'),
    slow_ms: wholeNumber(1, 3_600_000).default(1000).describe('Milliseconds from which on a request is slow.'),
  }
}

function addressProblem(text: string): string | undefined {
  return readAddress(text) === undefined ? found(text, { shown: true }) : undefined
}

function readAddress(text: string): ListenAddress | undefined {
  const [, ipv6, name = '', port = ''] = /^(?:\[(.+)\]|([\w.-]*)):(\d{1,5})$/.exec(text) ?? []
  if (port === '' || Number(port) > 65_535 || (ipv6 !== undefined && !isIPv6(ipv6))) return undefined
  return Object.freeze({ host: ipv6 ?? (name || '0.0.0.0'), port: Number(port) })
}
