/** The entry point: what services import of this package. */
export { beginServerSpan, endServerSpan } from './server-span.ts'
export type { Attributes, Span, Tracing } from './span.ts'
export { openTracing } from './tracing.ts'
