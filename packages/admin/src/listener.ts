/**
 * The second listener of a service, for operators: `/health`, `/ready`, `/metrics` and `/version`. What the pages
 * say comes from the service as functions; HTTP is that of the package http-shell. Never the port of the callers.
 */
import { type Address, type Exchange, type Refusal, type Refused, type Shell, startShell } from '@services/http-shell'
import type { ReadinessReport } from './readiness.ts'

export interface AdminPages {
  /** JSON text, as `/health` of the callers' port has it. */
  readonly health: () => string
  readonly ready: () => ReadinessReport
  readonly metrics: () => Promise<{ readonly mediaType: string; readonly text: string }>
  /** Fields of `/version`. */
  readonly version: Readonly<Record<string, string>>
  /** Called with the reason why a page could not be made, which its client does not get. */
  readonly failed: (error: unknown) => void
}

export type AdminListener = Pick<Shell, 'address' | 'port' | 'close'>

/**
 * A client that connects more often than that, or keeps a connection without a request, takes nothing from the callers.
 */
const maxConnections = 32
const headMs = 10_000
const maxPipelinedRequests = 4

interface Page {
  readonly status: number
  readonly mediaType: string
  readonly body: string
}

/** Rejects with a ListenProblem. */
export function startAdmin(bind: Address, pages: AdminPages): Promise<AdminListener> {
  const table = toTable(pages)
  const { failed } = pages
  return startShell({
    ...bind,
    limits: { headMs, maxPipelinedRequests },
    maxConnections,
    handle: (exchange) => void answer({ table, failed }, exchange),
    refuse,
  })
}

function toTable({ health, ready, metrics, version }: AdminPages): ReadonlyMap<string, () => Page | Promise<Page>> {
  const versionPage = json(200, JSON.stringify(version))
  return new Map<string, () => Page | Promise<Page>>([
    ['/health', () => json(200, health())],
    [
      '/ready',
      () => {
        const report = ready()
        return json(report.status === 'ready' ? 200 : 503, JSON.stringify(report))
      },
    ],
    ['/metrics', async () => toPage(await metrics())],
    ['/version', () => versionPage],
  ])
}

function toPage({ mediaType, text }: Awaited<ReturnType<AdminPages['metrics']>>): Page {
  return { status: 200, mediaType, body: text }
}

interface Answering extends Pick<AdminPages, 'failed'> {
  readonly table: ReturnType<typeof toTable>
}

async function answer({ table, failed }: Answering, exchange: Exchange): Promise<void> {
  const { method, target } = exchange
  const page = table.get(target.split('?', 1)[0] as string)
  if (page === undefined) {
    send(exchange, refusal(404, 'not_found', `there is no such page; the pages are ${[...table.keys()].join(', ')}`))
  } else if (method !== 'GET' && method !== 'HEAD') {
    send(exchange, refusal(405, 'method_not_allowed', `this page answers GET and HEAD, not ${method}`), 'GET, HEAD')
  } else {
    send(exchange, await madeSafely(page, failed))
  }
}

async function madeSafely(page: () => Page | Promise<Page>, failed: AdminPages['failed']): Promise<Page> {
  try {
    return await page()
  } catch (error) {
    failed(error)
    return refusal(500, 'internal_error', 'the page could not be made')
  }
}

function send(exchange: Exchange, { status, mediaType, body }: Page, allow?: string): void {
  const headers = { 'content-type': mediaType, 'cache-control': 'no-store' }
  exchange.send(status, allow === undefined ? headers : { ...headers, allow }, body)
}

function json(status: number, body: string): Page {
  return { status, mediaType: 'application/json', body }
}

function refusal(status: number, error: string, message: string): Page {
  return json(status, JSON.stringify({ error, message }))
}

function refuse({ reason }: Refusal): Refused {
  const { status, body } = refusal(400, 'malformed_request', `the request is not one that this port answers: ${reason}`)
  return { status, body }
}
