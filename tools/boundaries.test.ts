/**
 * Proves the import rules of .oxlintrc.json: each line below is written as a file of its own into a copy of the tree's
 * folders, oxlint runs once over all of them, and exactly the forbidden ones are reported.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

const sqlapi = 'services/sqlapi'
const libraries = ['pg', 'pg-connection-string', 'yaml', 'zod', 'pino', 'node:http', 'node:sqlite']

/** Who may import a library: a file, or a file of that folder. */
const owners: Record<string, string[]> = {
  'src/database/postgres/driver.ts': ['pg', 'pg-connection-string'],
  'src/database/sqlite/library.ts': ['node:sqlite'],
  'src/boot/yaml.ts': ['yaml'],
  'src/boot/schema.ts': ['zod'],
  'src/log.ts': ['pino'],
  'src/serve/server.ts': ['node:http'],
  'src/main.ts': [],
  'src/boot/config.ts': [],
  'src/serve/handle.ts': [],
  'src/database/pool.ts': [],
  'src/sql/lex.ts': [],
  'test/config.test.ts': libraries,
  'bench/run.ts': libraries,
  'tools/write-schema.ts': libraries,
}

const folders: [file: string, imported: string, isAllowed: boolean][] = [
  [`${sqlapi}/src/boot/config.ts`, '../serve/route.ts', false],
  [`${sqlapi}/src/boot/config.ts`, '../database/pool.ts', false],
  [`${sqlapi}/src/boot/yaml.ts`, '../serve/route.ts', false],
  [`${sqlapi}/src/boot/schema.ts`, '../database/pool.ts', false],
  [`${sqlapi}/src/boot/endpoints.ts`, '../sql/lex.ts', true],
  [`${sqlapi}/src/serve/handle.ts`, '../boot/config.ts', false],
  [`${sqlapi}/src/serve/server.ts`, '../boot/config.ts', false],
  [`${sqlapi}/src/serve/handle.ts`, '../model.ts', true],
  [`${sqlapi}/src/database/pool.ts`, '../boot/config.ts', false],
  [`${sqlapi}/src/database/pool.ts`, '../serve/route.ts', false],
  [`${sqlapi}/src/database/postgres/driver.ts`, '../../boot/url.ts', false],
  [`${sqlapi}/src/database/sqlite/worker.ts`, '../../serve/json.ts', false],
  [`${sqlapi}/src/database/sqlite/worker.ts`, '../../errors.ts', true],
  [`${sqlapi}/src/sql/script.ts`, './lex.ts', true],
  [`${sqlapi}/src/sql/script.ts`, '../model.ts', true],
  [`${sqlapi}/src/sql/script.ts`, '../errors.ts', false],
  [`${sqlapi}/src/sql/script.ts`, '../database/pool.ts', false],
  [`${sqlapi}/src/sql/script.ts`, 'node:fs', false],
  [`${sqlapi}/src/main.ts`, '../../xroad-proxy/src/log.ts', false],
  [`${sqlapi}/src/serve/handle.ts`, '../../../xroad-proxy/src/xml.ts', false],
  [`${sqlapi}/test/config.test.ts`, '../../xroad-proxy/src/log.ts', false],
  ['services/xroad-proxy/src/main.ts', '../../sqlapi/src/log.ts', false],
  ['services/xroad-proxy/src/main.ts', 'sqlapi', false],
  ['services/xroad-proxy/test/main.test.ts', '../../sqlapi/src/log.ts', false],
]

const cases = [
  ...folders,
  ...Object.entries(owners).flatMap(([file, allowed]) =>
    libraries.map((name) => [`${sqlapi}/${file}`, name, allowed.includes(name)] as const),
  ),
]

const root = mkdtempSync(join(tmpdir(), 'boundaries-'))
after(() => rmSync(root, { recursive: true }))

test('every import rule reports what it forbids and nothing else', () => {
  copyFileSync(join(import.meta.dirname, '../.oxlintrc.json'), join(root, '.oxlintrc.json'))
  const tree = new Map<string, string[]>()
  for (const [file, imported] of cases) tree.set(file, [...(tree.get(file) ?? []), imported])
  for (const [file, imports] of tree) {
    write(file, imports.map((name, index) => `import * as m${index} from '${name}'\nvoid m${index}\n`).join(''))
  }

  const expected = cases.filter(([, , isAllowed]) => !isAllowed).map(([file, imported]) => `${file}: ${imported}`)
  assert.deepEqual(lint('no-restricted-imports', tree).toSorted(), expected.toSorted())
})

test('a cycle of imports is reported', () => {
  write('cycle/a.ts', "import { b } from './b.ts'\nexport const a = (): unknown => b\n")
  write('cycle/b.ts', "import { a } from './a.ts'\nexport const b = (): unknown => a\n")
  const cycle = new Map([
    ['cycle/a.ts', ['./b.ts']],
    ['cycle/b.ts', ['./a.ts']],
  ])
  assert.deepEqual(lint('no-cycle', cycle).toSorted(), ['cycle/a.ts: ./b.ts', 'cycle/b.ts: ./a.ts'])
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

/** What the rule reports, as `file: import`; the imports of a file stand on its odd lines. */
function lint(rule: string, tree: Map<string, string[]>): string[] {
  const manifest = createRequire(import.meta.url).resolve('oxlint/package.json')
  const oxlint = join(dirname(manifest), 'bin/oxlint')
  const args = [oxlint, '--format=json', ...tree.keys()]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  assert.equal(stderr, '')
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[]
  }
  return diagnostics
    .filter(({ code }) => code.includes(`(${rule})`))
    .map(({ filename, labels }) => {
      const file = filename.replaceAll('\\', '/')
      const line = labels[0]?.span.line ?? 0
      return `${file}: ${tree.get(file)?.[(line - 1) / 2] ?? `line ${line}`}`
    })
}
