/**
 * What users load with `node --import`: a real SDK of OpenTelemetry that writes each span as a line of JSON into the
 * file that `SPANS_FILE` names. It exports nothing before it is asked to flush. With `SPANS_HANG` it never comes to an
 * end with that.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { trace } from '@opentelemetry/api'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { WrittenSpan } from './index.ts'

const { SPANS_FILE: file = '', SPANS_HANG: hang = '' } = process.env

if (!isMainThread) write({ thread: true })

const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext()
      const { name, kind, attributes, status, duration, startTime, instrumentationScope } = span
      write({
        pid: process.pid,
        scope: instrumentationScope.name,
        traceId,
        spanId,
        parentId: span.parentSpanContext?.spanId,
        name,
        kind,
        attributes,
        status: status.code,
        message: status.message,
        events: span.events.length,
        startMs: startTime[0] * 1000 + startTime[1] / 1e6,
        ms: duration[0] * 1000 + duration[1] / 1e6,
      } satisfies WrittenSpan)
    }
    if (hang === '') setImmediate(() => done({ code: 0 }))
  },
  shutdown: () => Promise.resolve(),
}

const hour = 3_600_000
const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: hour, maxQueueSize: 10_000 })
const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() })
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor], sampler }))

function write(line: object): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`)
}
