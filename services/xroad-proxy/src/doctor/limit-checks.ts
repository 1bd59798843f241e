/** The checks of the limits: which are larger than a service needs. */
import type { Config } from '../boot/config/schema.ts'
import { type Check, hitIf, isWrong } from './finding.ts'

const mebibyte = 1_048_576

/** Hits a limit that is larger than that, with its value. */
function over(limit: keyof Config['limits'], most: number): Check['when'] {
  return ({ config: { settings } }) => hitIf(settings.limits[limit] > most, String(settings.limits[limit]))
}

export const limitChecks: readonly Check[] = [
  {
    code: 'weak-limits-request-too-generous',
    severity: 'WEAK',
    field: 'limits.max_request_bytes',
    when: over('maxRequestBytes', 16 * mebibyte),
    headline: 'Requests may have % bytes, more than 16 MiB.',
    rationale: 'Each request of a SOAP endpoint is held in memory, as many at a time as there are callers.',
    recovery: 'Set limits.max_request_bytes to what callers need, 16777216 at most.',
  },
  {
    code: 'weak-limits-response-too-generous',
    severity: 'WEAK',
    field: 'limits.max_response_bytes',
    when: over('maxResponseBytes', 128 * mebibyte),
    headline: 'Answers may have % bytes, more than 128 MiB.',
    rationale: 'Each answer of a SOAP endpoint is held in memory, as many at a time as there are callers.',
    recovery: 'Set limits.max_response_bytes to what providers send, 134217728 at most.',
  },
  {
    code: 'weak-limits-timeout-too-long',
    severity: 'WEAK',
    field: 'limits.request_timeout_secs',
    when: over('requestTimeoutSeconds', 300),
    headline: 'A call may take % s, longer than 300 s.',
    rationale: 'Providers that hang keep connections and callers waiting that long.',
    recovery: 'Set limits.request_timeout_secs to 300 or less.',
  },
  {
    code: 'info-limits-summary',
    severity: 'INFO',
    field: 'limits',
    when: ({ config }) => {
      const { maxRequestBytes, maxResponseBytes, requestTimeoutSeconds } = config.settings.limits
      const words = `requests ${maxRequestBytes} bytes, answers ${maxResponseBytes} bytes, ${requestTimeoutSeconds} s a call`
      return hitIf(!isWrong(config, 'limits'), words)
    },
    headline: 'Limits: %.',
    rationale: 'What is larger is answered with 413 or 502, what takes longer with 504.',
    recovery: '',
  },
]
