/** The entry point: what services import of this package. */
export { type AnsweredRequest, beginServerSpan, endServerSpan } from './server-span.ts'
export type { Attributes, Span, SpanEnd, SpanKind, SpanStart, Tracing } from './span.ts'
export type { TraceHeaders } from './trace-context.ts'
export { openTracing, type TracingSettings } from './tracing.ts'
