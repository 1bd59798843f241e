/** What is right in a configuration and has no effect, or may not be meant: values in, one WARN each out. Pure. */
import type { Origins, Problem } from '@services/config-file'
import { dialectOf, dialects, type Lacks } from '../../dialects.ts'
import type { Dialect } from '../../model.ts'
import type { Config, DatasourceConfig } from './schema.ts'
import { urlHint } from './url.ts'

export function remarksOn(config: Config, origins: Origins): Problem[] {
  return [...uselessFields(config), ...uselessSlowness(config, origins), ...hints(config)]
}

function uselessFields({ datasources, cors }: Config): Problem[] {
  return [...uselessOrigins(cors), ...datasources.flatMap(uselessOfDatasource)]
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

/** What somebody has set that is about something that its database lacks. */
function uselessOfDatasource(datasource: DatasourceConfig, index: number): Problem[] {
  // The schema lets no URL of another kind pass.
  const { lacks } = dialects[dialectOf(datasource.url) as Dialect]
  return fieldsAbout.flatMap(([name, subject, isUsual]) => {
    const why = lacks[subject]
    if (why === undefined || isUsual(datasource)) return []
    return [{ path: ['datasources', index, name], message: `has no effect: ${why}` }]
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

/** Each with what a database needs for it, and whether a datasource leaves it as it is. */
const fieldsAbout: readonly (readonly [
  name: string,
  subject: keyof Lacks,
  isUsual: (datasource: DatasourceConfig) => boolean,
])[] = [
  ['connect_timeout_seconds', 'server', ({ connectTimeoutSeconds }) => connectTimeoutSeconds === undefined],
  ['keepalive_seconds', 'server', ({ keepaliveSeconds }) => keepaliveSeconds === 20],
  ['silence_timeout_seconds', 'server', ({ silenceTimeoutSeconds }) => silenceTimeoutSeconds === 10],
  ['max_replica_lag_bytes', 'server', ({ maxReplicaLagBytes }) => maxReplicaLagBytes === 16_777_216],
  ['pooler', 'server', ({ pooler }) => pooler === 'none'],
  ['time_zone', 'timeZones', ({ timeZone }) => timeZone === 'UTC'],
  ['results', 'shapedValues', ({ results }) => results.numeric === 'string' && results.json === 'value'],
]
