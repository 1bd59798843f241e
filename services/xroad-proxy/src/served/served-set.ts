/**
 * All that requests are served with. What is in the files comes in, what the request path reads goes out, or the
 * StartupFailure of what is wrong. Opens what calls need: keystores, connections, the audit file. Changes nothing of
 * what is served meanwhile; sets.ts does.
 */
import type { Environment } from '@services/config-file'
import { CodedContent } from '@services/content-coding'
import type { AuditFiles } from '../audit/audit-files.ts'
import type { Loaded } from '../boot/config/config.ts'
import type { Config } from '../boot/config/schema.ts'
import { calledAs } from '../boot/description/called-as.ts'
import type { Ingested } from '../boot/ingest/ingest.ts'
import { StartupFailure } from '../errors.ts'
import type { Audit } from '../serve/audited-writer.ts'
import type { Service } from '../serve/handle.ts'
import { openDocsPage } from '../serve/pages/docs-page.ts'
import { toRoutes } from '../serve/route.ts'
import { describeSet } from './description.ts'
import { type Lanes, type LanesContext, openLanes } from './lanes.ts'
import type { ReadSet } from './read-set.ts'

/** What is served. Holds nothing of the files but what requests need. */
export interface ServedSet extends Pick<Lanes, 'upstreams' | 'certificates' | 'identities'> {
  readonly config: Config
  readonly service: Service
  /** Whether the directory of DSL files was there. */
  readonly hasDsl: boolean
  /** WSDL files that could be read, with the directory. */
  readonly wsdls: ReadonlySet<string>
}

/** What a set shares with those before it and after it. */
export interface SetContext extends LanesContext {
  readonly auditFiles: AuditFiles
  readonly tracing: Service['tracing']
}

export async function openSet(read: ReadSet, context: SetContext): Promise<ServedSet> {
  const { loaded, endpoints, ingested, types, nameless, found } = read
  const { config } = loaded
  const { env, events, auditFiles, tracing } = context
  const loads = {
    endpoints,
    nameless: new Set(nameless),
    bodies: types.bodies,
    checks: read.checks.checks,
    isTracing: tracing !== undefined,
  }
  const opened = withOrigins(loaded, () => openLanes(config, loads, context))
  const { upstreams, certificates, identities, ...lanes } = opened
  const clients = calledAs(endpoints, config)
  const service: Service = {
    routes: toRoutes(endpoints),
    health: { status: 200, body: Buffer.from('{"status":"ok"}') },
    api: new CodedContent(await describeSet(read, clients)),
    docs: openDocsPage(config, { hasSeveralClients: clients.size > 0 }),
    errorMessageId: config.errorMessageId,
    audit: openAudit(config.audit, env, auditFiles),
    tracing,
    ...lanes,
    events,
  }
  const has = { hasDsl: found.isMissing !== true, wsdls: wsdlsOf(ingested) }
  return { config, service, upstreams, certificates, identities, ...has }
}

/** What is wrong with a file that the configuration names is reported with the line that names it. */
function withOrigins<Opened>({ origins }: Loaded, open: () => Opened): Opened {
  try {
    return open()
  } catch (error) {
    const origin = error instanceof StartupFailure && error.field !== undefined ? origins[error.field] : undefined
    if (origin === undefined) throw error
    const { code, message, field } = error as StartupFailure
    throw new StartupFailure(code, `${origin}: ${message}`, field)
  }
}

function wsdlsOf(ingested: Ingested | undefined): ReadonlySet<string> {
  return new Set(ingested?.report.flatMap(({ file, isRead }) => (isRead ? [file] : [])))
}

function openAudit(settings: Config['audit'], env: Environment, files: AuditFiles): Audit | undefined {
  if (settings === undefined) return undefined
  const { file, required: isRequired, hashKeyEnv, callerHeader } = settings
  return {
    file: files.open(file),
    isRequired,
    hashKey: hashKeyEnv === undefined ? undefined : env[hashKeyEnv],
    callerHeader: callerHeader?.toLowerCase(),
  }
}
