/**
 * Cases -> their outcomes. Each runs on the service itself, with one datasource only: a copy of the prepared database,
 * to which every project leads, whatever the configuration or a header says.
 */
import { isMapping, nearest } from '@services/config-file'
import type { Endpoints } from '../boot/endpoints.ts'
import type { Datasource } from '../boot/config/config.ts'
import type { Config } from '../boot/config/schema.ts'
import type { PreparedDatabase } from '../database/prepared-database.ts'
import type { Events } from '../events.ts'
import { answersInstead, findEndpoint, readTarget } from '../serve/route.ts'
import { startService } from '../service.ts'
import { compareRows, readAnswer } from './compare.ts'
import { type TestCase, toJson } from './test-file.ts'

/** What all cases are run with. */
export interface RunSetting {
  readonly config: Config
  /** Its URL is replaced. */
  readonly datasource: Datasource
  readonly endpoints: Endpoints
  readonly prepared: PreparedDatabase
  readonly events: Events
  /** Ends the run after the cases that have begun. */
  readonly signal: AbortSignal
}

export interface Outcome {
  readonly file: string
  readonly given: TestCase
  readonly ms: number
  /** What is wrong, a line each; empty where the case holds. */
  readonly problems: readonly string[]
}

/** Cases in progress at the same time. */
const lanes = 4
const answerSeconds = 60

/** In the order of the cases; those that had not begun at the signal are left out. Never rejects. */
export async function runCases(
  cases: readonly { file: string; given: TestCase }[],
  setting: RunSetting,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const work = cases.entries()
  const run = async (): Promise<void> => {
    for (const [index, { file, given }] of work) {
      if (setting.signal.aborted) return
      const begun = performance.now()
      const problems = await runCase(given, setting)
      outcomes[index] = { file, given, ms: performance.now() - begun, problems }
    }
  }
  await Promise.all(Array.from({ length: lanes }, run))
  return outcomes.filter((outcome) => outcome !== undefined)
}

/** The key of the endpoint that a case calls; undefined where there is no such file. */
export function endpointOf({ request }: TestCase, endpoints: Endpoints): string | undefined {
  const found = findEndpoint(endpoints, request.method, readTarget(toTarget(request.path)).path)
  return found && `${found.endpoint.method} ${found.endpoint.path}`
}

async function runCase(given: TestCase, setting: RunSetting): Promise<readonly string[]> {
  const { request } = given
  if (endpointOf(given, setting.endpoints) === undefined) {
    return [`no file answers ${request.method} ${request.path}${hintAt(request, setting.endpoints)}`]
  }
  try {
    return await runOnCopy(given, setting)
  } catch (error) {
    const { message, cause } = error as Error
    return [`the case could not be run: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`]
  }
}

/** What the service would say of such a request, else the endpoint with the nearest path. */
function hintAt({ method, path }: TestCase['request'], endpoints: Endpoints): string {
  const instead = answersInstead({ endpoints, pages: new Map() }, method, readTarget(toTarget(path)).path)
  if (instead !== '') return instead
  const meant = nearest(
    path,
    Array.from(endpoints.values(), (endpoint) => endpoint.path),
  )
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

async function runOnCopy(given: TestCase, setting: RunSetting): Promise<readonly string[]> {
  const copy = await setting.prepared.copy()
  try {
    const service = await startService(toBooted(setting, copy.url), setting.events)
    try {
      return judge(given, await send(`http://127.0.0.1:${service.port}`, given))
    } finally {
      await service.close()
    }
  } finally {
    await copy.remove()
  }
}

/** Whatever else is configured is left out: no other database can be reached. */
function toBooted({ config, datasource, endpoints }: RunSetting, url: string): Parameters<typeof startService>[0] {
  const { name, maxConnections } = datasource
  return {
    config: {
      ...config,
      server: { ...config.server, bind: { host: '127.0.0.1', port: 0 }, workers: 1 },
      datasources: config.datasources.filter((each) => each.name === name),
      projectDatasourceMap: {},
      defaultDatasource: name,
      allowDatasourceHeader: false,
      openapi: false,
      errors: 'full',
    },
    datasources: [{ ...datasource, url, login: '', poolSize: maxConnections, sqlComment: false }],
    endpoints,
    lockedTypes: new Map(),
    startTime: Date.now(),
  }
}

interface Reply {
  readonly status: number
  readonly text: string
}

async function send(origin: string, { request }: TestCase): Promise<Reply> {
  const { method, path, query, headers, body } = request
  const signal = AbortSignal.timeout(answerSeconds * 1000)
  const given = { method, headers, signal, ...(body === undefined ? {} : { body }) }
  const response = await fetch(`${origin}${toTarget(path)}${query}`, given)
  return { status: response.status, text: await response.text() }
}

/** As it is written, with what a URL cannot hold escaped. */
function toTarget(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent)
}

/** Texts that are not understood are shown up to this length. */
const longest = 500

function judge({ expect: { status, error, rows, ordered } }: TestCase, reply: Reply): readonly string[] {
  const answered = `the answer was ${reply.text.slice(0, longest)}`
  if (reply.status !== status) return [`status: expected ${status}, found ${reply.status}`, answered]
  if (rows === undefined && error === undefined) return []
  let found
  try {
    found = readAnswer(reply.text)
  } catch {
    return [`${rows === undefined ? 'error' : 'rows'}: the answer is not JSON`, answered]
  }
  if (error !== undefined) {
    const name = isMapping(found) ? found['error'] : undefined
    return name === error
      ? []
      : [`error: expected ${error}, found ${name === undefined ? 'none' : toJson(name)}`, answered]
  }
  if (rows === undefined) return []
  const difference = compareRows(rows, found, ordered)
  return difference === undefined ? [] : [`${difference.path}: ${difference.message}`, answered]
}
