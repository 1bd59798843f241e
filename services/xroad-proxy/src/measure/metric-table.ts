/**
 * The metrics of xroad-proxy, one row each. A new one is a row here, a place where it is counted, and a row in
 * docs/operations.md.
 */
import { counter, gauge, histogram, peak, prefixed, processMetrics, requestMetrics } from '@services/metrics'

const own = {
  http_requests_total: counter(
    'Requests that were answered, or left by their caller (499)',
    'endpoint',
    'method',
    'status',
    'error',
    'source',
  ),
  ...requestMetrics,
  http_request_bytes_total: counter('Bytes that callers have sent, heads included'),
  http_response_bytes_total: counter('Bytes that were sent to callers, heads included'),
  reload_total: counter('Times that files and settings were read anew', 'outcome'),
  build_info: peak('Always 1; the label is the version of xroad-proxy', 'version'),
  upstream_duration_seconds: histogram('From a call to the end of its answer', ['endpoint']),
  upstream_outcomes_total: counter('Calls that have ended, by who made the error', 'endpoint', 'source'),
  upstream_connections: gauge('Connections to upstreams', 'state'),
  calls_waiting: gauge('Calls that wait for a connection or for room'),
  inflight_bytes: gauge('Bytes that all calls together hold'),
  certificate_expiry_seconds: gauge('Seconds until a certificate ends; negative afterwards', 'certificate'),
}

export const metricTable = { ...prefixed('xroad_proxy_', own), ...processMetrics }
