/**
 * The metrics of sqlapi, one row each. A new one is a row here, a place where it is counted, and a row in
 * docs/operations.md.
 */
import { counter, gauge, histogram, peak, prefixed, processMetrics, requestMetrics } from '@services/metrics'

const own = {
  http_requests_total: counter(
    'Requests that were answered, or left by their client (499)',
    'endpoint',
    'method',
    'status',
    'error',
  ),
  ...requestMetrics,
  http_request_bytes_total: counter('Bytes that clients have sent, heads included'),
  http_response_bytes_total: counter('Bytes that were sent to clients, heads included'),
  reload_total: counter('Times that files and settings were read anew', 'outcome'),
  build_info: peak('Always 1; the label is the version of sqlapi', 'version'),
  connection_wait_seconds: histogram('How long calls have waited for a connection', ['datasource']),
  statement_duration_seconds: histogram('How long statements, files of several or batches have taken the database', [
    'datasource',
  ]),
  connections: gauge('Connections of the pool', 'datasource', 'state'),
  jobs_waiting: gauge('Calls that wait for a connection', 'datasource'),
  calls_total: counter('Calls that had a connection, alone or shared with others', 'datasource', 'lane'),
  rows_total: counter('Rows that the database has given', 'datasource'),
  rollbacks_total: counter('Transactions that were rolled back', 'datasource'),
  cancels_total: counter('Statements that the database was asked to stop', 'datasource'),
  replica_up: peak('Whether reads go to the replica', 'datasource'),
  replica_lag_bytes: peak('How far the replica is behind in the log of writes', 'datasource'),
  replica_retries_total: counter('Calls that the replica could not do, and that the first server did', 'datasource'),
}

export const metricTable = { ...prefixed('sqlapi_', own), ...processMetrics }
