/** What is right in a configuration and has no effect, or may not be meant: values in, one WARN each out. Pure. */
import type { Origins, Problem } from '@services/config-file'
import { dialectOf } from '../../dialects.ts'
import type { Config, DatasourceConfig } from './schema.ts'
import { urlHint } from './url.ts'

export function remarksOn(config: Config, origins: Origins): Problem[] {
  return [...uselessFields(config), ...uselessSlowness(config, origins), ...hints(config)]
}

/** Of databases that are files. */
function uselessFields({ datasources, cors }: Config): Problem[] {
  return [...uselessOrigins(cors), ...uselessOfSqlite(datasources)]
}

function uselessOrigins({ allowedOrigins }: Config['cors']): Problem[] {
  const useless = allowedOrigins === '*' ? [] : allowedOrigins.filter((origin) => !isOrigin(origin))
  return useless.map((origin) => ({
    path: ['cors', 'allowed_origins'],
    message: `${JSON.stringify(origin)} is not an origin, so it allows no caller; write scheme and host, such as https://crm.example`,
  }))
}

/** As browsers send it: in small letters, without the usual port. Pages without one send `null`. */
function isOrigin(text: string): boolean {
  if (/^(?:http:.*:80|https:.*:443)$/.test(text)) return false
  return text === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*A-Z]+$/.test(text)
}

function uselessOfSqlite(datasources: Config['datasources']): Problem[] {
  return datasources.flatMap((datasource, index) => {
    const { url, timeZone, results } = datasource
    if (dialectOf(url) !== 'sqlite') return []
    const path = ['datasources', index]
    const problems: Problem[] = networkFields
      .filter(([, isUsual]) => !isUsual(datasource))
      .map(([name]) => ({ path: [...path, name], message: 'has no effect: a SQLite file is reached over no network' }))
    if (timeZone !== 'UTC') {
      problems.push({ path: [...path, 'time_zone'], message: 'has no effect: times in SQLite have no time zone' })
    }
    if (results.numeric !== 'string' || results.json !== 'value') {
      problems.push({
        path: [...path, 'results'],
        message: 'has no effect: SQLite has neither numeric nor json values',
      })
    }
    return problems
  })
}

/** Only a value that somebody has written. */
function uselessSlowness({ logging: { requests } }: Config, origins: Origins): Problem[] {
  const path = ['logging', 'slow_ms']
  if (requests === 'slow' || requests === 'all' || origins[path.join('.')] === 'default') return []
  const why = requests === 'off' ? 'no request has a line' : 'only errors have a line'
  return [{ path, message: `has no effect: with logging.requests ${requests} ${why}; write requests: slow` }]
}

/** What may not be meant. */
function hints({ datasources }: Config): Problem[] {
  return datasources.flatMap(({ url, replicas }, index) => {
    const path = ['datasources', index]
    const ofReplicas = replicas.map((each, number) => ({ path: [...path, 'replicas', number], message: urlHint(each) }))
    return [{ path: [...path, 'url'], message: urlHint(url) }, ...ofReplicas].flatMap(({ message, path: at }) =>
      message === undefined ? [] : [{ path: at, message }],
    )
  })
}

/** Each with whether a datasource leaves it as it is. */
const networkFields: readonly (readonly [name: string, isUsual: (datasource: DatasourceConfig) => boolean])[] = [
  ['connect_timeout_seconds', ({ connectTimeoutSeconds }) => connectTimeoutSeconds === undefined],
  ['keepalive_seconds', ({ keepaliveSeconds }) => keepaliveSeconds === 20],
  ['silence_timeout_seconds', ({ silenceTimeoutSeconds }) => silenceTimeoutSeconds === 10],
  ['max_replica_lag_bytes', ({ maxReplicaLagBytes }) => maxReplicaLagBytes === 16_777_216],
  ['pooler', ({ pooler }) => pooler === 'none'],
]
