/**
 * A span as services see it: a piece of work in a trace, which they begin, begin others below, and end. Nothing here
 * knows OpenTelemetry; without an SDK a span is an identity that is passed on, and nobody records it.
 */
import { newTraceContext, type TraceContext, type TraceHeaders, writeTraceparent } from './trace-context.ts'

/** Names of OpenTelemetry's semantic conventions -> values. */
export type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>

export type SpanKind = 'internal' | 'server' | 'client'

export interface SpanStart {
  /** `internal` unless given. */
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** By the clock of `performance`; now unless given. */
  readonly started?: number
}

export interface SpanEnd {
  /** Instead of the one that it began with. */
  readonly name?: string
  readonly attributes?: Attributes
  /** What the failure is called, where the work has failed: a name or a code, never a text with values. */
  readonly error?: string | undefined
  /** As `started`. */
  readonly ended?: number
}

export interface Span {
  /** Value of the header for this span: it is passed on, and is in log lines. */
  readonly traceparent: string
  readonly tracestate: string | undefined
  readonly isSampled: boolean
  /** Somebody takes what is said about it. */
  readonly isRecording: boolean
  /** A part of it; where nobody records, the span itself stands for all of its parts. */
  begin(name: string, start?: SpanStart): Span
  /** Once. */
  end(end?: SpanEnd): void
}

/** How a process takes part in traces. */
export interface Tracing {
  /** A request has come: goes on with the trace of its caller, or begins one. */
  begin(headers: TraceHeaders, name: string, start: SpanStart): Span
  /** Settles when what was recorded is out, and after `withinMs` in any case. Never rejects. */
  drained(withinMs: number): Promise<void>
}

/** What comes in is given on as it is, as the standard has it for those who record nothing. */
export class PassedOn implements Span {
  readonly traceparent: string
  readonly tracestate: string | undefined
  readonly isSampled: boolean
  readonly isRecording = false

  /** Without a caller's context it begins a trace of its own, which is not sampled. */
  constructor(context: TraceContext = newTraceContext(), tracestate?: string) {
    this.traceparent = writeTraceparent(context)
    this.tracestate = tracestate
    this.isSampled = context.isSampled
  }

  begin(): this {
    return this
  }

  end(): void {}
}
