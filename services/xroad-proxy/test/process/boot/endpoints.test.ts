import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { type LoadedEndpoints, loadEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { StartupFailure } from '../../../src/errors.ts'

type Files = Readonly<Record<string, string | Uint8Array | { readonly link: string }>>

const file = 'method: POST\nenvelope: |\n  <a/>\n'

/** What `use` makes of a folder `DSL` that holds these files. */
function inFolder<Result>(files: Files, use: (folder: string) => Result): Result {
  const root = mkdtempSync(join(tmpdir(), 'xroad-proxy-'))
  const folder = join(root, 'DSL')
  try {
    mkdirSync(folder)
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true })
      if (typeof content === 'string' || content instanceof Uint8Array) writeFileSync(path, content)
      else symlinkSync(content.link, path)
    }
    return use(folder)
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Messages with the folder's path cut off. */
function load(files: Files): LoadedEndpoints {
  return inFolder(files, (folder) => {
    const { warnings, ...loaded } = loadEndpoints(folder)
    return { ...loaded, warnings: warnings.map((warning) => warning.replaceAll(`${folder}/`, '')) }
  })
}

function urls(files: Files): string[] {
  return load(files).endpoints.map(({ group, service }) => `/${group}/${service}`)
}

function refusal(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    ok(error instanceof StartupFailure, String(error))
    strictEqual(error.code, 'invalid_dsl')
    ok(!/[\r\n]/.test(error.message), 'one line')
    return error.message
  }
  throw new Error('it was not refused')
}

function problems(files: Files): string[] {
  return inFolder(files, (folder) => refusal(() => loadEndpoints(folder)).replaceAll(`${folder}/`, '')).split('; ')
}

test('the folder is the group, the name without its last extension the service, in sorted order [D1.9 S-what.1]', () => {
  deepStrictEqual(
    urls({
      'b/z.yml': file,
      'b/a.yaml': file,
      'a/x.v1.yml': file,
      'B/x.yml': file,
      'deep/er/c/x.yml': file,
      'top.yml': file,
    }),
    ['/B/x', '/a/x.v1', '/b/a', '/b/z', '/c/x', '/DSL/top'],
  )
})

test('only .yml and .yaml in this case, no dot files, no sidecars [S-config.dsl_path]', () => {
  const ignored: Files = {
    'a/x.YML': '{',
    'a/x.Yaml': '{',
    'a/x.yml.bak': '{',
    'a/x.yml~': '{',
    'a/x.json': '{',
    'a/yml': '{',
    'a/.yml': '{',
    'a/.x.yml': '{',
    'a/.#x.yml': '{',
    '.git/x.yml': '{',
    '..data/x.yml': '{',
    'a/api.meta.yaml': 'member_code: 1',
    'a/broken': { link: 'nowhere' },
  }
  deepStrictEqual(urls({ ...ignored, 'a/ok.yml': file, 'a/meta.yaml': file, 'a/y.meta.yml': file }), [
    '/a/meta',
    '/a/ok',
    '/a/y.meta',
  ])
})

test('names with spaces and other letters are taken as they are [D1.9]', () => {
  deepStrictEqual(urls({ 'rahvastiku register/päring 1.yml': file, 'a/__proto__.yml': file, 'a/%2F.yml': file }), [
    '/a/%2F',
    '/a/__proto__',
    '/rahvastiku register/päring 1',
  ])
})

test('a folder may be called like a file [D1.9]', () => {
  deepStrictEqual(urls({ 'x.yml/y.yml': file }), ['/x.yml/y'])
})

test('links to files and folders are followed, once around [D1.9]', () => {
  const files: Files = {
    '../outside/x.yml': file,
    linked: { link: '../outside' },
    'a/x.yml': { link: '../../outside/x.yml' },
    'a/loop': { link: '..' },
    'a/self': { link: '.' },
  }
  const { endpoints, warnings } = load(files)
  deepStrictEqual(
    endpoints.map(({ group, service }) => `/${group}/${service}`),
    ['/a/x', '/linked/x'],
  )
  strictEqual(warnings.length, 2)
  match(warnings.join('\n'), /^a\/loop is a link to a folder that contains it; .*\na\/self is a link/)
})

test('a mounted ConfigMap: the files are links into ..data [D1.9]', () => {
  deepStrictEqual(
    urls({ 'a/..2026/x.yml': file, 'a/..data': { link: '..2026' }, 'a/x.yml': { link: '..data/x.yml' } }),
    ['/a/x'],
  )
})

test('a missing dsl_path is a warning, and so is one without files [D1.9]', () => {
  inFolder({}, (folder) => {
    const missing = loadEndpoints(join(folder, 'no'))
    deepStrictEqual(missing.endpoints, [])
    match(missing.warnings.join(), /^dsl_path .*\/no \(.*\/no\) does not exist; there are no endpoints$/)
    match(loadEndpoints(folder).warnings.join(), /holds no \*\.yml or \*\.yaml file/)
  })
})

test('files with almost the name of a DSL file are told [D1.9]', () => {
  const files = { 'a/x.yml': file, 'a/y.YML': file, 'a/z.yaml.txt': file, 'a/note.txt': '', 'a/w.meta.yaml': file }
  const { warnings, endpoints } = load(files)
  const problem = 'is ignored; only names that end in .yml or .yaml, in small letters, are read; rename it'
  deepStrictEqual(warnings, [`a/y.YML: ${problem}`, `a/z.yaml.txt: ${problem}`])
  strictEqual(endpoints.length, 1)
})

test('a dsl_path that is no directory stops the start [D1.9]', () => {
  inFolder({ 'x.yml': file }, (folder) => {
    match(
      refusal(() => loadEndpoints(join(folder, 'x.yml'))),
      /x\.yml \(.*\) is not a directory/,
    )
    match(
      refusal(() => loadEndpoints(join(folder, 'x.yml', 'y'))),
      /cannot be read \(ENOTDIR\)/,
    )
  })
})

test('two files for one endpoint stop the start, both named [D1.4]', () => {
  deepStrictEqual(problems({ 'a/x.yml': file, 'a/x.yaml': file }), [
    'a/x.yml: gives the same endpoint /a/x as a/x.yaml',
    'rename or remove one',
  ])
  match(problems({ 'p/a/x.yml': file, 'q/a/x.yml': file }).join(), /^q\/a\/x\.yml: .* \/a\/x as p\/a\/x\.yml/)
  strictEqual(urls({ 'a/x.yml': file, 'a/X.yml': file, 'b/x.yml': file }).length, 3)
})

test('files that cannot be read stop the start [D1.4]', () => {
  const files: Files = {
    'a/dangling.yml': { link: 'nowhere' },
    'a/latin1.yml': Buffer.from('method: \xe4', 'latin1'),
    'a/large.yml': `${file}#${'x'.repeat(1_048_576)}`,
    'a/loop.yaml': { link: 'loop.yaml' },
  }
  const said = problems(files)
  for (const problem of [
    'a/dangling.yml: cannot be read (ENOENT)',
    'a/latin1.yml: is not UTF-8 text',
    'a/large.yml: is larger than 1048576 bytes, the limit for DSL files',
    'a/loop.yaml: cannot be read (ELOOP)',
  ]) {
    ok(said.includes(problem), problem)
  }
})

test('a file of exactly 1 MiB is read [D1.4]', () => {
  strictEqual(urls({ 'a/x.yml': `${file}#`.padEnd(1_048_576, 'x') }).length, 1)
})

test(
  'a pipe is refused, not waited for [D1.4]',
  { skip: process.platform === 'win32' && 'Windows has no such pipes' },
  () => {
    inFolder({ 'a/x.yml': file }, (folder) => {
      execFileSync('mkfifo', [join(folder, 'a/pipe.yml')])
      match(
        refusal(() => loadEndpoints(folder)),
        /a\/pipe\.yml: is not a regular file$/,
      )
    })
  },
)

test('all broken files are told at once, the first problem of each, no more than ten [D1.4]', () => {
  deepStrictEqual(problems({ 'a/x.yml': 'kind: graphql\nmethod: 5\n', 'b/y.yml': file, 'c/z.yml': 'envelope: a\n' }), [
    'a/x.yml:1: kind: found "graphql", expected soap or rest',
    'c/z.yml:1: method: missing, expected an HTTP method such as POST',
  ])
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`a/x${index}.yml`, 'kind: graphql']))
  const said = problems(many)
  deepStrictEqual([said.length, said.at(-1)], [11, 'and 15 more'])
})

test('the warnings of the files come through [D1.2]', () => {
  const { warnings } = load({ 'a/x.yml': `${file}envelop: x\n`, 'b/y.yml': `${file}parms: [x]\n` })
  deepStrictEqual(
    warnings.map((warning) => warning.split(': ').slice(0, 2).join(' ')),
    ['a/x.yml:4 envelop', 'b/y.yml:4 parms'],
  )
})

test('the files that are shipped load without a warning [S-route.4]', () => {
  const { endpoints, warnings } = loadEndpoints(join(import.meta.dirname, '../../../dsl'))
  deepStrictEqual(
    endpoints.map(({ group, service, methods, kind }) => `${kind} ${methods.join()} /${group}/${service}`),
    ['soap POST /xroad/allowedMethods', 'soap POST /xroad/listMethods'],
  )
  deepStrictEqual(warnings, [])
})
