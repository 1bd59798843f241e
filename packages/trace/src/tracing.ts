/**
 * How a process takes part in traces: the headers of a request come in, its span goes out. Without an SDK of
 * OpenTelemetry nothing of OpenTelemetry is loaded.
 */
import type { TracerProvider } from '@opentelemetry/api'
import { PassedOn, type Tracing } from './span.ts'
import { readTraceHeaders } from './trace-context.ts'

export interface TracingSettings {
  /** Without it there is tracing only where an SDK is loaded. */
  readonly enabled: boolean
  /** Who makes the spans. */
  readonly name: string
  readonly version: string
}

/** Undefined when it was not asked for. Call it when an SDK that is loaded with `--import` has been. */
export async function openTracing({ enabled, name, version }: TracingSettings): Promise<Tracing | undefined> {
  const provider = findProvider()
  if (provider === undefined) return enabled ? passingOn : undefined
  const { SdkTracing } = await import('./sdk.ts')
  return new SdkTracing(provider, name, version)
}

const passingOn: Tracing = {
  begin(headers) {
    const read = readTraceHeaders(headers)
    return new PassedOn(read?.parent, read?.tracestate)
  },
  drained: () => Promise.resolve(),
}

/**
 * Where every version 1 of the API has what an SDK has registered. Asked here and not through the API, because the copy
 * of the API that belongs to this package refuses an SDK that came with an older one, and then there would be no spans
 * and no word about it.
 */
function findProvider(): TracerProvider | undefined {
  const registered = (globalThis as Record<symbol, unknown>)[Symbol.for('opentelemetry.js.api.1')]
  return (registered as { readonly trace?: TracerProvider } | undefined)?.trace
}
