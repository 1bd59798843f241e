/**
 * Cases once more while two processes serve: each request is answered by the one that did not answer the last. Every
 * tenth case; by night all of them.
 */
import { runCases } from '../support/conformance.ts'
import { openPair } from '../support/cluster/pair.ts'
import { startTestService } from '../support/service.ts'

const pair = openPair()

runCases({
  tag: '[D7.6]',
  sample: () => false,
  start: (options) => startTestService(options, pair),
  canRun: ({ datasource }, files) => {
    // Several workers refuse a database in memory. A session is cleaned just after its answer, and until then the other
    // process sees its locks.
    const looksAtLocks = Object.values(files).some((text) => Buffer.from(text).includes('pg_locks'))
    return datasource?.['url'] !== 'sqlite::memory:' && !looksAtLocks
  },
})
