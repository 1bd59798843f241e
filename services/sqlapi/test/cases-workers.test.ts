/** Every case once more while two processes serve: each request is answered by the one that did not answer the last. */
import { runCases } from './support/conformance.ts'
import { openPair } from './support/pair.ts'
import { startTestService } from './support/service.ts'

const pair = openPair()

runCases({
  tag: '[D7.6] ',
  start: (options) => startTestService(options, pair),
  reasonAgainst: ({ datasource }, files) => {
    if (datasource?.['url'] === 'sqlite::memory:') return 'a database in memory is refused with several workers'
    const looksAtLocks = Object.values(files).some((text) => Buffer.from(text).includes('pg_locks'))
    return looksAtLocks ? 'a session is cleaned just after the answer, and others see its locks until then' : undefined
  },
})
