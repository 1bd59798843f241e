/**
 * Cases of PostgreSQL once more behind a real pgbouncer, in session mode as it is and in transaction mode with
 * `pooler: transaction`. What needs a session is refused there, and nothing else. Every tenth case, and in transaction
 * mode those about sessions; by night all of them.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Pgbouncer, startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { runCases } from '../support/conformance.ts'
import { sharedPostgres } from '../support/databases.ts'
import { startTestService } from '../support/service.ts'

/** Cases in which some call needs a session, by topic: all of it is refused that way, and no call of any other case. */
const refused: Readonly<Record<string, string>> = {
  errors: 'copy',
  files: 'one-connection set-config-first',
  rows: 'local-times',
  scanner: 'atomic-bodies do-block unicode-strings',
  session: [
    'advisory-in-with advisory-lock advisory-shared advisory-then-failure advisory-try-lock',
    'batch-transaction-control characteristics client-encoding comment-between cursor date-style',
    'default-setting discard do-block explain failed-transaction function-atomic function-dynamic',
    'function-failing function-format function-listen function-lock function-nested function-set',
    'function-setting function-sql function-temp listen many-in-flight marked-transaction-control',
    'open-cursor open-transaction own-transaction prepared procedure query-in-a-string quoted-set-config',
    'read-only reported-setting reset role role-setting rule-setting savepoint search-path',
    'second-statement sequence session-authorization set-config set-config-batch set-config-marked',
    'setting setting-then-failure start-transaction temp-quoted temp-schema temp-select-into',
    'temp-sequence temp-table temp-table-shadow temp-then-failure temp-view trigger trigger-lock',
    'unicode-set-config view-lock view-setting',
  ].join(' '),
  startup: 'read-once',
}
const needSession = new Set(
  Object.entries(refused).flatMap(([topic, names]) => names.split(' ').map((name) => `${topic}/${name}`)),
)
/** What follows in these rests on a call that is refused. */
const impossible = new Set(['files/later-syntax-error', 'session/function-made-later'])

if (withoutPgbouncer === undefined) {
  const poolers: Promise<Pgbouncer>[] = []
  after(async () => {
    for (const pooler of poolers) await (await pooler).stop()
  })
  /** One for all cases, started by the first. */
  const opener = (mode: string): (() => Promise<Pgbouncer>) => {
    let pooler: Promise<Pgbouncer> | undefined
    return () => {
      if (pooler === undefined) {
        pooler = sharedPostgres().then(({ url }) => startPgbouncer(url, { pool_mode: mode }))
        poolers.push(pooler)
      }
      return pooler
    }
  }

  const ofSessions = opener('session')
  runCases({
    tag: 'behind pgbouncer in session mode [O4.3]',
    engines: ['postgres'],
    sample: () => false,
    start: async (options) => startTestService({ ...options, through: (await ofSessions()).through }),
  })

  const ofTransactions = opener('transaction')
  const met = new Set<string>()
  runCases({
    tag: 'behind pgbouncer in transaction mode [O4.3]',
    engines: ['postgres'],
    canRun: ({ name }) => !impossible.has(name),
    sample: ({ name }) => name.startsWith('session/') || needSession.has(name),
    start: async (options) => {
      const datasource = { ...options.datasource, pooler: 'transaction' }
      return startTestService({ ...options, datasource, through: (await ofTransactions()).through })
    },
    accepts: ({ name }, { text }) => {
      const isRefusal = text.includes('(pooler: transaction)') && needSession.has(name)
      if (isRefusal) met.add(name)
      return isRefusal
    },
  })
  test('calls of each of these cases were refused for their session, and of no other [O4.3]', () => {
    deepStrictEqual(
      [...needSession].filter((name) => !met.has(name)),
      [],
    )
  })
} else {
  test('the cases behind pgbouncer [O4.3]', { skip: withoutPgbouncer }, () => undefined)
}
