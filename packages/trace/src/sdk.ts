/**
 * Spans of OpenTelemetry: the only file that knows its API, and loaded only where an SDK is. Which spans are recorded
 * and where they go is the SDK's to decide.
 */
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Span, SpanEnd, SpanKind, SpanStart, Tracing } from './span.ts'
import { readTraceHeaders, type TraceHeaders, writeTraceparent } from './trace-context.ts'

const kinds: Readonly<Record<SpanKind, SdkSpanKind>> = {
  internal: SdkSpanKind.INTERNAL,
  server: SdkSpanKind.SERVER,
  client: SdkSpanKind.CLIENT,
}

const randomFlag = 2

export class SdkTracing implements Tracing {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer

  constructor(provider: TracerProvider, name: string, version: string) {
    this.#provider = provider
    this.#tracer = provider.getTracer(name, version)
  }

  begin(headers: TraceHeaders, name: string, start: SpanStart): Span {
    return new RecordedSpan(this.#tracer, name, start, toContext(headers))
  }

  async drained(withinMs: number): Promise<void> {
    const provider = this.#provider as Flushing
    const flushing = (provider.getDelegate?.() ?? provider) as Flushing
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const limit = setTimeout(resolve, withinMs)
    // Nothing can be done about spans that nobody takes; the SDK says so where its own log is on.
    const flushed = Promise.resolve(flushing.forceFlush?.()).catch(() => undefined)
    await Promise.race([flushed, late])
    clearTimeout(limit)
  }
}

/** What the API does not promise of a provider, and SDKs have. */
interface Flushing {
  getDelegate?(): unknown
  forceFlush?(): Promise<void>
}

/** The caller's span is the parent. */
function toContext(headers: TraceHeaders): Context {
  const read = readTraceHeaders(headers)
  if (read === undefined) return ROOT_CONTEXT
  const { parent, tracestate } = read
  const { traceId, spanId, isSampled, isRandom } = parent
  const traceFlags = (isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE) | (isRandom ? randomFlag : 0)
  const traceState = tracestate === undefined ? undefined : createTraceState(tracestate)
  const context = { traceId, spanId, traceFlags, isRemote: true, ...(traceState && { traceState }) }
  return trace.setSpanContext(ROOT_CONTEXT, context)
}

class RecordedSpan implements Span {
  readonly #tracer: Tracer
  readonly #span: SdkSpan
  #traceparent: string | undefined

  constructor(tracer: Tracer, name: string, { kind = 'internal', attributes, started }: SpanStart, parent: Context) {
    this.#tracer = tracer
    this.#span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        ...(attributes && { attributes }),
        ...(started !== undefined && { startTime: started }),
      },
      parent,
    )
  }

  get traceparent(): string {
    if (this.#traceparent === undefined) {
      const { traceId, spanId, traceFlags } = this.#span.spanContext()
      const isRandom = (traceFlags & randomFlag) !== 0
      this.#traceparent = writeTraceparent({ traceId, spanId, isSampled: this.isSampled, isRandom })
    }
    return this.#traceparent
  }

  get tracestate(): string | undefined {
    return this.#span.spanContext().traceState?.serialize() || undefined
  }

  get isSampled(): boolean {
    return (this.#span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
  }

  get isRecording(): boolean {
    return this.#span.isRecording()
  }

  begin(name: string, start: SpanStart = {}): Span {
    return new RecordedSpan(this.#tracer, name, start, trace.setSpan(ROOT_CONTEXT, this.#span))
  }

  end({ name, attributes, error, ended }: SpanEnd = {}): void {
    const span = this.#span
    if (span.isRecording()) {
      if (name !== undefined) span.updateName(name)
      if (attributes !== undefined) span.setAttributes(attributes)
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end(ended)
  }
}
