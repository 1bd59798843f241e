/**
 * Trees of SQL files that other projects have written for the predecessor. None is kept here: `SQLAPI_REAL_TREES` names
 * a folder with check-outs, every folder called `Resql` below it is a tree. Their tables are not here either, so what
 * is tested is what needs none: that each file loads, that its statements are cut where PostgreSQL's own grammar cuts
 * them, and that each endpoint answers in the shape of the manual on both engines.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'libpg-query'
import { loadEndpoints } from '../../../src/boot/endpoints.ts'
import { render } from '../../../src/database/postgres/plans/plan.ts'
import { dialectNames } from '../../../src/dialects.ts'
import type { Endpoint, Script } from '../../../src/model.ts'
import { startTestService } from '../../support/service.ts'

const folder = process.env['SQLAPI_REAL_TREES'] ?? ''
const skip = existsSync(folder) ? false : 'SQLAPI_REAL_TREES names no folder with check-outs'

/** What a parameter is given: a scalar, a list, nothing. */
const shapes = ['t', 'T', 'n'] as const

describe('files of other projects', { skip }, () => {
  let root = ''
  let endpoints: readonly Endpoint[] = []

  before(async () => {
    root = collect()
    endpoints = [...(await loadEndpoints(root, new Set(dialectNames))).values()]
  })
  after(() => {
    rmSync(root, { recursive: true, force: true })
  })

  test('every file is an endpoint [S-intro.1]', (t) => {
    strictEqual(endpoints.length, sqlFiles(root).length)
    ok(endpoints.length > 0, 'there are no files')
    t.diagnostic(`${endpoints.length} files`)
  })

  test('statements end and parameters stand where the grammar of PostgreSQL says so [D3.1]', async (t) => {
    const wrong: string[] = []
    let checked = 0
    for (const { file, scripts } of endpoints) {
      const { statements } = scripts.postgres as Script
      const whole = await tryParse(
        readFileSync(join(root, file), 'utf8').replaceAll(/(?<![:\w]):[A-Za-z_]\w*/g, 'NULL'),
      )
      // A file that PostgreSQL does not read either is its author's affair.
      if (whole !== statements.length && whole !== undefined) wrong.push(`${file}: ${statements.length} not ${whole}`)
      for (const statement of whole === undefined ? [] : statements) {
        for (const shape of shapes) {
          const rendering = { membership: shape === 'T', perSlot: false }
          const { text } = render(statement, shape.repeat(statement.names.length), rendering)
          checked++
          if ((await tryParse(text)) !== 1) wrong.push(`${file}, line ${statement.line}, ${shape}`)
        }
      }
    }
    t.diagnostic(`${checked} statements parsed`)
    deepStrictEqual(wrong, [])
  })

  for (const kind of dialectNames) {
    test(`${kind}: every endpoint answers rows or a named error [S-errors.1]`, async (t) => {
      const files = Object.fromEntries(sqlFiles(root).map((path) => [path, readFileSync(join(root, path))]))
      const projects = new Set(endpoints.map(({ project }) => project))
      const map = Object.fromEntries(Array.from(projects, (project) => [project, 'demo']))
      const config = { project_datasource_map: map, logging: { level: 'error' } }
      const service = await startTestService({ kind, files, config })
      const wrong: string[] = []
      let succeeded = 0
      try {
        for (const endpoint of endpoints) {
          const { status, text } = await callWith(service, endpoint)
          const isRows = status === 200 && Array.isArray(JSON.parse(text))
          if (isRows) succeeded++
          else if (status !== 400 || !text.startsWith('{"error":"BadSqlGrammarException"')) {
            wrong.push(`${endpoint.file}: ${status} ${text}`)
          }
        }
      } finally {
        await service.close()
      }
      t.diagnostic(`${succeeded} of ${endpoints.length} need no table`)
      deepStrictEqual([wrong, service.log.filter((line) => line.includes('ERROR'))], [[], []])
    })
  }
})

/** All trees in one, each project under the name of its check-out. */
function collect(): string {
  const root = mkdtempSync(join(tmpdir(), 'sqlapi-trees-'))
  const trees = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.name === 'Resql' && entry.isDirectory(),
  )
  for (const [index, { parentPath, name }] of trees.entries()) {
    for (const project of readdirSync(join(parentPath, name), { withFileTypes: true })) {
      if (project.isDirectory())
        cpSync(join(parentPath, name, project.name), join(root, `${index}-${project.name}`), copy)
    }
  }
  return root
}

const copy = { recursive: true }

/** The files that are to be endpoints. */
function sqlFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join('/'))
    .filter((path) => /^[^/]+\/(?:GET|POST)\//.test(path))
}

/** How many statements PostgreSQL's grammar finds, if it finds any. */
async function tryParse(text: string): Promise<number | undefined> {
  try {
    const { stmts } = (await parse(text)) as { stmts?: readonly unknown[] }
    return stmts?.length ?? 0
  } catch {
    return undefined
  }
}

function callWith(service: Awaited<ReturnType<typeof startTestService>>, { method, path, scripts }: Endpoint) {
  const names = new Set(Object.values(scripts).flatMap(({ parameters }) => parameters))
  const set = Object.fromEntries(Array.from(names, (name) => [name, '1']))
  const target = encodeURI(path)
  return method === 'POST' ? service.post(target, set) : service.get(`${target}?${new URLSearchParams(set).toString()}`)
}
