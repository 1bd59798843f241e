/** Test files that keep a process of their own although their class shares one, each with the reason. */
export const alone: Readonly<Record<string, string>> = {
  'packages/metrics/test/unit/metrics.test.ts': 'looks at the delay of its event loop and at its CPU time',
  'services/xroad-proxy/test/unit/responses/translate.test.ts':
    'looks at what collections of garbage leave in the heap',
}
