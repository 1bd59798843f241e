/**
 * Which test files a source is tried with: those of this table, else those that import it. A row is for a file, or for
 * all whose paths begin so. Files that start a database or a process do not belong here: a mutant should be judged
 * within seconds.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'

const poolTests = ['pool/pool', 'pool/queue', '../service/pool/simulation-situations', '../service/pool/simulation']
const table: Readonly<Record<string, readonly string[]>> = {
  'services/sqlapi/src/sql/lex.ts': ['sql/tokens', 'sql/script', 'sql/lex'],
  'services/sqlapi/src/database/pool/pool.ts': poolTests,
  'services/sqlapi/src/database/pool/connections.ts': poolTests,
  'services/sqlapi/src/json/scan.ts': ['json/scan', 'json/json'],
  'services/xroad-proxy/src/soap/json/': [
    'responses/xml-cases',
    '../service/responses/schema-response',
    'responses/response',
    '../service/responses/response-inclusions',
    'responses/translate',
  ],
  'services/xroad-proxy/src/soap/request/template': [
    '../service/soap/template-names',
    'soap/template',
    '../service/soap/request-attachments',
  ],
}

/** Titles of tests that measure time or memory: they say nothing of a mutant and take long. */
export const skipped = /grows with|garbage at once|leaves others their turn|in no time|take a moment|more time than/

/** Paths are below the root, with forward slashes. */
export function testsFor(source: string): string[] {
  const workspace = source.split('/').slice(0, 2).join('/')
  const row = Object.keys(table).find((start) => source.startsWith(start))
  const listed = table[row ?? '']?.map((name) => `${workspace}/test/unit/${name}.test.ts`)
  return listed ?? globSync(`${workspace}/test/**/*.test.ts`).filter((test) => imports(test, source))
}

function imports(test: string, source: string): boolean {
  return readFileSync(test, 'utf8').includes(`'${posix.relative(dirname(test), source)}'`)
}
