/**
 * For tests of services: starts them with a real SDK of OpenTelemetry (load-sdk.ts), and reads the spans that it has
 * written.
 */
import { existsSync, readFileSync } from 'node:fs'

/** As the SDK has it; numbers of `kind` and `status` are those of OpenTelemetry. */
export interface WrittenSpan {
  readonly pid: number
  /** Who made it. */
  readonly scope: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly name: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: number
  readonly message: string | undefined
  /** How many. */
  readonly events: number
  readonly startMs: number
  readonly ms: number
}

/** Of spans: server and client. */
export const spanKinds = { internal: 0, server: 1, client: 2 } as const

/** Flags of Node.js, as `NODE_OPTIONS` has them. */
export const loadSdk: string = `--import=${new URL('load-sdk.ts', import.meta.url).href}`

/** The same for `refuse-sdk.ts`: with it a program that loads anything of OpenTelemetry fails. */
export const refuseSdk: string = `--import=${new URL('refuse-sdk.ts', import.meta.url).href}`

/** Without those that are not written yet. Throws where a thread has loaded the SDK. */
export function readSpans(file: string): WrittenSpan[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const span = JSON.parse(line) as WrittenSpan & { readonly thread?: true }
    if (span.thread === true) throw new Error('A thread has loaded the SDK')
    return span
  })
}

/** Those below this one, in the order in which they began. */
export function partsOf(spans: readonly WrittenSpan[], { spanId }: Pick<WrittenSpan, 'spanId'>): WrittenSpan[] {
  return spans.filter(({ parentId }) => parentId === spanId).sort((a, b) => a.startMs - b.startMs)
}
