/** The checks of the limits: which are larger than a service needs. */
import { type Check, hitIf, isWrong } from './finding.ts'

const mebibyte = 1_048_576
const most = { requestBytes: 16 * mebibyte, responseBytes: 128 * mebibyte, timeoutSeconds: 300 }

export const limitChecks: readonly Check[] = [
  {
    code: 'weak-limits-request-too-generous',
    severity: 'WEAK',
    field: 'limits.max_request_bytes',
    when: ({ config: { settings } }) =>
      hitIf(settings.limits.maxRequestBytes > most.requestBytes, String(settings.limits.maxRequestBytes)),
    headline: 'Requests may have % bytes, more than 16 MiB.',
    rationale: 'Each request of a SOAP endpoint is held in memory, as many at a time as there are callers.',
    recovery: 'Set limits.max_request_bytes to what callers need, 16777216 at most.',
  },
  {
    code: 'weak-limits-response-too-generous',
    severity: 'WEAK',
    field: 'limits.max_response_bytes',
    when: ({ config: { settings } }) =>
      hitIf(settings.limits.maxResponseBytes > most.responseBytes, String(settings.limits.maxResponseBytes)),
    headline: 'Answers may have % bytes, more than 128 MiB.',
    rationale: 'Each answer of a SOAP endpoint is held in memory, as many at a time as there are callers.',
    recovery: 'Set limits.max_response_bytes to what providers send, 134217728 at most.',
  },
  {
    code: 'weak-limits-timeout-too-long',
    severity: 'WEAK',
    field: 'limits.request_timeout_secs',
    when: ({ config: { settings } }) =>
      hitIf(settings.limits.requestTimeoutSeconds > most.timeoutSeconds, String(settings.limits.requestTimeoutSeconds)),
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
