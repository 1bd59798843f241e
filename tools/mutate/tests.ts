/**
 * Which test files a source is tried with: those of this table, else those that import it. A row is for a file, or for
 * all whose paths begin so. Files that start a database or a process do not belong here: a mutant should be judged
 * within seconds.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'

const table: Readonly<Record<string, readonly string[]>> = {
  'services/sqlapi/src/sql/lex.ts': ['tokens', 'script', 'lex'],
  'services/sqlapi/src/database/pool/pool.ts': ['pool', 'queue', 'simulation-situations', 'simulation'],
  'services/sqlapi/src/database/pool/connections.ts': ['pool', 'queue', 'simulation-situations', 'simulation'],
  'services/sqlapi/src/json/scan.ts': ['scan', 'json'],
  'services/xroad-proxy/src/soap/json/': [
    'xml-cases',
    'schema-response',
    'response',
    'response-inclusions',
    'translate',
  ],
  'services/xroad-proxy/src/soap/request/template': ['template-names', 'template', 'request-attachments'],
}

/** Titles of tests that measure time or memory: they say nothing of a mutant and take long. */
export const skipped = /grows with|garbage at once|leaves others their turn|in no time|take a moment|more time than/

/** Paths are below the root, with forward slashes. */
export function testsFor(source: string): string[] {
  const workspace = source.split('/').slice(0, 2).join('/')
  const row = Object.keys(table).find((start) => source.startsWith(start))
  const listed = table[row ?? '']?.map((name) => `${workspace}/test/${name}.test.ts`)
  return listed ?? globSync(`${workspace}/test/**/*.test.ts`).filter((test) => imports(test, source))
}

function imports(test: string, source: string): boolean {
  return readFileSync(test, 'utf8').includes(`'${posix.relative(dirname(test), source)}'`)
}
