/** What `check` says of declarations, on both databases. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import { createDatabase } from '../../support/databases.ts'
import { findingsOf, inBrief } from '../../support/check.ts'

const files = {
  'demo/GET/a.sql': `-- @parm id integer
-- @param id integer -- Number
-- @result orderId Number
-- @result orderIdd Number
-- @result quux What
-- @allow no-wher One row
-- @allow no-where One row
SELECT :id AS order_id, 'x' AS state`,
  'demo/GET/yaml.sql': '-- Text.\n/* declaration: [ */\n-- @result state State\nSELECT 1; SELECT 2 AS state; ANALYZE',
  'demo/POST/none.sql': '-- @result a A\nCREATE TABLE IF NOT EXISTS t (a int)',
  'demo/POST/good.sql': '/*\ndeclaration:\n  description: Good\n*/\n-- @result a A\nSELECT 1 AS a',
}

describe('check of declarations', { concurrency: 2 }, () => {
  for (const kind of dialectNames) {
    test(`${kind}: unknown words, codes and keys are told with the nearest name [N3.1] [N3.5]`, async () => {
      const database = await createDatabase(kind)
      try {
        // A file that does not exist is not checked.
        await database.execute('CREATE TABLE x (a int)')
        const datasources = [{ name: 'demo', url: database.url }]
        const { code, findings } = await findingsOf({ files, config: { datasources } })
        const told = findings.filter((finding) => finding.code === 'declaration')
        deepStrictEqual(
          told.map((finding) => `${inBrief(finding)}; ${finding.cure}`.split(', ', 1)[0]),
          [
            'warning declaration sql/demo/GET/a.sql:1:4 unknown word "@parm"; did you mean @param?',
            'warning declaration sql/demo/GET/a.sql:4:12 the rows have no key "orderIdd"; did you mean orderId?',
            'warning declaration sql/demo/GET/a.sql:5:12 the rows have no key "quux"; the keys are orderId',
            'warning declaration sql/demo/GET/a.sql:6:11 there is no code "no-wher"; did you mean no-where?',
            'info declaration sql/demo/GET/yaml.sql:2:17 the comment is not YAML: a [ that no ] closes; a text that begins with [ needs quotes; correct it',
          ],
        )
        strictEqual(code, 0)
      } finally {
        await database.remove()
      }
    })
  }
})
