/** What a start tells of its files: real files, real log lines. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestService } from './support/service.ts'

interface Line {
  readonly event: string
  readonly level: string
  readonly code?: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

async function linesOfStart(
  files: Record<string, string>,
  config: object = {},
  kind: 'sqlite' | 'postgres' = 'sqlite',
): Promise<Line[]> {
  const service = await startTestService({ kind, files, config: { logging: { format: 'json' }, ...config } })
  await service.close()
  return service.log.map((text) => JSON.parse(text) as Line)
}

function told(lines: readonly Line[]): string[] {
  return lines
    .filter(({ event }) => event === 'finding')
    .map(({ level, code, file, line, column }) => `${level} ${code} ${file}:${line}:${column}`)
}

const files = {
  'demo/GET/a.sql': 'SELECT 1;\nDELETE FROM t WHERE id = :id',
  'demo/POST/b.sql': '-- @transactional\nUPDATE t SET a = 1; COMMIT',
  'demo/POST/c.sql': '-- @allow no-where One row\nDELETE FROM t',
  'demo/POST/d.sql': 'SELECT $1',
  'demo/get/e.sql': 'SELECT 1',
}

describe('findings at start', { concurrency: 4 }, () => {
  for (const kind of ['sqlite', 'postgres'] as const) {
    test(`${kind}: each warning that needs no database is one WARN, infos are none [N1.5]`, async () => {
      const lines = await linesOfStart(files, {}, kind)
      deepStrictEqual(told(lines), [
        'warn write-in-get demo/GET/a.sql:2:1',
        'warn no-where demo/POST/b.sql:2:1',
        'warn transaction-control demo/POST/b.sql:2:21',
        'warn syntax demo/POST/d.sql:1:8',
      ])
      deepStrictEqual(
        lines.filter(({ event }) => event === 'ignored').map(({ level }) => level),
        ['info'],
      )
    })
  }

  test('checks: off tells none of them [N1.5]', async () => {
    deepStrictEqual(told(await linesOfStart(files, { checks: 'off' })), [])
  })

  test('check.rules counts at start too [N1.5]', async () => {
    const rules = { 'write-in-get': 'off', 'no-where': 'info', syntax: 'off', 'session-change': 'warning' }
    deepStrictEqual(told(await linesOfStart(files, { check: { rules } })), [
      'warn transaction-control demo/POST/b.sql:2:21',
      'warn session-change demo/POST/b.sql:2:21',
    ])
  })

  test('a start without findings has no line [N1.5]', async () => {
    const lines = await linesOfStart({ 'demo/GET/a.sql': 'SELECT 1', 'demo/POST/b.sql': 'DELETE FROM t WHERE a = :a' })
    strictEqual(
      lines.some(({ event }) => event === 'finding'),
      false,
    )
  })
})
