/**
 * What a database says while it works -> events of the service, with the name of its datasource and the cure where
 * there is one.
 */
import type { DatasourceOptions } from '../database/open.ts'
import type { Events } from '../events.ts'

type Listeners = Pick<
  DatasourceOptions,
  | 'onReplica'
  | 'onLoginKept'
  | 'onSessionCode'
  | 'onPooler'
  | 'onStatement'
  | 'onDemotion'
  | 'onFileChange'
  | 'onFileMissing'
  | 'onStatementFailure'
  | 'onGivenUp'
  | 'onArrayAsJson'
>

const codeCure =
  'have it set what it sets for the transaction only, or give the datasource a connection of its own to the database'
const poolerCure = 'write pooler: transaction into the datasource, or have the pooler keep sessions'

/** A listener whose arguments cost something to make is undefined where nobody hears its event. */
export function listenersOf({ name, pooler }: Pick<DatasourceOptions, 'name' | 'pooler'>, events: Events): Listeners {
  return {
    onReplica: ({ replica, reason }) =>
      reason === undefined ? events.emit('replicaBack', { replica }) : events.emit('replicaAway', { replica, reason }),
    onLoginKept: (reason) => events.emit('loginKept', { datasource: name, reason }),
    onSessionCode: (finding) => {
      if (pooler === 'transaction') events.emit('sessionCodeRefused', { datasource: name, ...finding, cure: codeCure })
      else events.emit('sessionCode', { datasource: name, ...finding })
    },
    onPooler: (sign) => events.emit('poolerUnnamed', { datasource: name, sign, cure: poolerCure }),
    onStatement: events.isEnabled('statement')
      ? (sql, values, { requestId, trace }) =>
          events.emit('statement', {
            datasource: name,
            sql,
            parameters: showValues(values),
            requestId,
            traceparent: trace?.span?.traceparent,
          })
      : undefined,
    onDemotion: (report) => events.emit('serverDemoted', { datasource: name, ...report }),
    onFileMissing: (reason) => events.emit('fileMissing', { datasource: name, reason }),
    onFileChange: (change) => events.emit('fileChanged', { datasource: name, ...change }),
    onStatementFailure: events.isEnabled('statementFailed')
      ? (report) => events.emit('statementFailed', { ...report })
      : undefined,
    onGivenUp: (report) => events.emit('statementGivenUp', { datasource: name, ...report }),
    onArrayAsJson: events.isEnabled('arrayAsJson')
      ? (parameter, { endpoint, requestId, trace }) =>
          events.emit('arrayAsJson', {
            endpoint: endpoint.path,
            parameter,
            requestId,
            traceparent: trace?.span?.traceparent,
          })
      : undefined,
  }
}

function showValues(values: readonly unknown[]): string {
  return JSON.stringify(values, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
}
