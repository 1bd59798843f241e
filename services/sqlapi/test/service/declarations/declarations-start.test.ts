/** What a start tells of declarations that do not count: real files, real log lines. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../support/service.ts'

interface Line {
  readonly event: string
  readonly level: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly problem?: string
  readonly cure?: string
  readonly more?: number
}

async function linesOfStart(files: Record<string, string>, rest: object = {}): Promise<Line[]> {
  const service = await startTestService({ kind: 'sqlite', files, config: { logging: { format: 'json' } }, ...rest })
  await service.close()
  return service.log
    .map((text) => JSON.parse(text) as Line)
    .filter(({ event }) => event === 'finding' || event === 'moreFindings')
}

test('a line that does not count is one WARN, and the service starts [N3.1]', async () => {
  const lines = await linesOfStart({
    'demo/GET/find.sql': '-- Orders.\n-- @parm id integer\n-- @param idd integer\nSELECT :id AS id',
    'demo/GET/good.sql': '-- @param id integer\nSELECT :id AS id',
  })
  deepStrictEqual(
    lines.map(({ level, file, line, column, problem, cure }) => ({ level, file, line, column, problem, cure })),
    [
      {
        level: 'warn',
        file: 'demo/GET/find.sql',
        line: 2,
        column: 4,
        problem: 'unknown word "@parm"',
        cure: 'did you mean @param?',
      },
      {
        level: 'warn',
        file: 'demo/GET/find.sql',
        line: 3,
        column: 11,
        problem: 'the SQL has no parameter :idd',
        cure: 'did you mean id?',
      },
    ],
  )
})

test('a hundred lines at most, and then the number of the others [N3.1] [N1.5]', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 105 }, (_, index) => [`demo/GET/${index}.sql`, '-- @todo\nSELECT 1']),
  )
  const lines = await linesOfStart(files)
  strictEqual(lines.filter(({ event }) => event === 'finding').length, 100)
  deepStrictEqual(
    lines.filter(({ event }) => event === 'moreFindings').map(({ more }) => more),
    [5],
  )
})

test('names of parameters are not judged where no datasource says how the file is read [N3.1]', async () => {
  const lines = await linesOfStart({ 'demo/GET/a.sql': '-- @param idd date\nSELECT :id' }, { datasources: {} })
  deepStrictEqual(lines, [])
})
