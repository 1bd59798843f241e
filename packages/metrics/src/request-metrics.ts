/** What every service measures of its requests, and labels with few values, whatever clients send. */
import { gauge, histogram, type MetricTable } from './metric-table.ts'

export const requestMetrics = {
  http_request_duration_seconds: histogram('From the head of a request to the end of its answer', [
    'endpoint',
    'method',
  ]),
  http_requests_in_flight: gauge('Requests that have begun and are not answered'),
} as const satisfies MetricTable

/** Of requests that reached no endpoint. */
export const noEndpoint = 'none'

const otherMethod = 'other'
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function methodLabel(method: string): string {
  return methods.has(method) ? method : otherMethod
}
