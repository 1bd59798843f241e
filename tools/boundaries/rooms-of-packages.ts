/** The rooms of the private packages; rooms.ts explains the table. */
import type { Part } from './part.ts'

export const packages: Part = {
  root: 'packages',
  rooms: [
    { room: 'linked-list/src', is: 'the list that queues stand on', isPure: true },
    { room: 'http-shell/src/exchange', is: 'what connections owe, for both readers of requests' },
    { room: 'http-shell/src/node', is: 'requests that Node.js reads', imports: 'http-shell/src/exchange' },
    { room: 'http-shell/src/plain', is: 'plain requests, read here', imports: 'http-shell/src/exchange' },
    {
      room: 'http-shell/src',
      is: 'the HTTP server under both services',
      imports: 'http-shell/src/exchange http-shell/src/node http-shell/src/plain',
    },
    { room: 'content-coding/src', is: 'content in the codings that clients accept' },
    { room: 'docs-page/src', is: 'the page for people', imports: '@services/content-coding' },
    { room: 'docs-page/src/browser/element', is: 'elements of the page', isPure: true },
    { room: 'docs-page/src/browser/text', is: 'JSON and XML without loss', isPure: true },
    { room: 'docs-page/src/browser/description', is: 'what a description says of an operation', isPure: true },
    {
      room: 'docs-page/src/browser/answer',
      is: 'what comes back',
      imports: 'docs-page/src/browser/element docs-page/src/browser/text',
      isPure: true,
    },
    {
      room: 'docs-page/src/browser/request',
      is: 'what is typed in and sent',
      imports:
        'docs-page/src/browser/element docs-page/src/browser/text docs-page/src/browser/description docs-page/src/browser/answer',
      isPure: true,
    },
    {
      room: 'docs-page/src/browser',
      is: 'the page in a browser',
      imports:
        'docs-page/src/browser/element docs-page/src/browser/text docs-page/src/browser/description docs-page/src/browser/request',
      isPure: true,
    },
    { room: 'observe/src', is: 'events, and the log' },
    { room: 'command-line/src/words', is: 'command lines and their help, from one table' },
    {
      room: 'command-line/src',
      is: 'the life of a process',
      imports: 'command-line/src/words @services/observe',
    },
    { room: 'reload/src', is: 'reload of files and settings', imports: '@services/observe' },
    { room: 'trace/src/trace-context.ts', is: 'W3C Trace Context, read and written' },
    { room: 'trace/src', is: 'requests as parts of traces', imports: 'trace/src/trace-context.ts' },
    { room: 'metrics/src', is: 'what services count, and how Prometheus reads it' },
    { room: 'admin/src', is: 'the listener for operators', imports: '@services/http-shell' },
    { room: 'config-file/src/words', is: 'messages about fields', isPure: true },
    { room: 'config-file/src/yaml', is: 'YAML as data, with lines', imports: 'config-file/src/words', isPure: true },
    {
      room: 'config-file/src',
      is: 'YAML files as checked, frozen values',
      imports: 'config-file/src/words config-file/src/yaml',
    },
  ],
  outside: {
    'node:fs':
      'command-line/src/folder.ts config-file/src/config-file.ts config-file/src/missing-file.ts config-file/src/pipe.ts config-file/src/secret-file.ts docs-page/src/docs-page.ts observe/src/stdout.ts reload/src/contents.ts',
    '@opentelemetry/api': 'trace/src/sdk.ts trace/src/tracing.ts',
    'node:http': 'http-shell/src http-shell/src/node',
    'node:module': 'command-line/src/launch.js',
    'node:net':
      'config-file/src/operation.ts http-shell/src http-shell/src/exchange http-shell/src/node http-shell/src/plain',
    'node:perf_hooks': 'metrics/src/process-metrics.ts',
    'node:v8': 'command-line/src/heap.ts',
    'prom-client': 'metrics/src/text.ts',
    'sonic-boom': 'observe/src/stdout.ts',
    yaml: 'config-file/src/yaml',
    zod: 'config-file/src/fields.ts config-file/src/check.ts config-file/src/json-schema.ts',
  },
}
