/** A file of a method -> the endpoint that `judge` gets, and tables of files with the findings that they must have. */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { readDeclarations } from '../../../src/declarations/read.ts'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import type { Remark } from '../../../src/findings/finding.ts'
import type { Dialect, Endpoint, Method } from '../../../src/model.ts'
import { judge } from '../../../src/rules/judge.ts'
import { readScript } from '../../../src/sql/script.ts'

export function endpointOf(method: Method, text: string): Endpoint {
  const postgres = readScript(text, dialects.postgres.grammar)
  const sqlite = readScript(text, dialects.sqlite.grammar)
  const declared = readDeclarations({ text, method, parameters: postgres.parameters })
  return { method, project: 'demo', path: '/demo/x', file: 'demo/x.sql', scripts: { postgres, sqlite }, ...declared }
}

/** `code line:column`, without what costs nothing but a connection. */
function briefly(remarks: readonly Remark[]): string[] {
  return remarks
    .filter(({ code }) => code !== 'session-change')
    .map(({ code, line, column }) => `${code} ${line}:${column}`)
}

export interface Case {
  readonly title: string
  readonly text: string
  readonly found?: readonly string[]
  readonly method?: Method
  readonly only?: Dialect
}

export function testAll(rule: string, cases: readonly Case[]): void {
  for (const { title, text, found = [], method = 'POST', only } of cases) {
    for (const dialect of only === undefined ? dialectNames : [only]) {
      test(`${rule}, ${dialect}: ${title} [N1.2]`, () => {
        deepStrictEqual(briefly(judge(endpointOf(method, text), dialect)), found)
      })
    }
  }
}
