/** One connection to a real PostgreSQL and what it remembers: database/postgres/sessions/session.ts. */
import { rejects, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { Catalog } from '../../../src/database/postgres/sessions/catalog.ts'
import { NotStarted } from '../../../src/database/postgres/sessions/plan-run.ts'
import { Session } from '../../../src/database/postgres/sessions/session.ts'
import { json } from '../../../src/formats/json.ts'
import { createDatabase } from '../../support/databases.ts'

test('a plan that the server has refused is prepared anew when it is tried again [S25]', async () => {
  const database = await createDatabase('postgres')
  const options = { url: database.url, connectTimeoutSeconds: 5, statementTimeoutSeconds: 0 }
  const session = await Session.open(options, new Catalog(), () => undefined)
  try {
    const plan = { name: 'sqlapi_test_1', text: 'SELECT a FROM later', ends: [], parameters: [], narrow: [] }
    for (let attempt = 0; attempt < 2; attempt++) {
      await rejects(
        session.execute(plan, [], json),
        (error: unknown) => error instanceof NotStarted && error.code === '42P01',
      )
    }
    await database.execute('CREATE TABLE later AS SELECT 1 AS a')
    strictEqual(await session.execute(plan, [], json), '[{"a":1}]')
    strictEqual(await session.execute(plan, [], json), '[{"a":1}]')
  } finally {
    await session.close()
    await database.remove()
  }
})
