/** The manual against the code, in both directions: what a table says is so, and what is so stands in the table. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import type { EventRow } from '@services/observe'
import { declaredFields } from '@services/observe/testing'
import { ListenProblem } from '@services/http-shell'
import { column, inBackquotes, namesIn, tableAfter, testLinks } from '@services/testing'
import { boot } from '../../src/boot/boot.ts'
import { loadConfig, search, variables } from '../../src/boot/config/config.ts'
import { loadEndpoints } from '../../src/boot/endpoints.ts'
import { readFlags } from '../../src/boot/flags.ts'
import { refuseErrors } from '../../src/check/start.ts'
import { configSchema } from '../../src/boot/config/schema.ts'
import { bind, candidateTypes, type Code } from '../../src/database/postgres/types/encode.ts'
import { valueTypes } from '../../src/declarations/value-types.ts'
import { words } from '../../src/declarations/words.ts'
import { maxAttempts } from '../../src/database/postgres/plans/search.ts'
import { oid, scalarKindOf } from '../../src/database/postgres/types/types.ts'
import { codes } from '../../src/findings/codes.ts'
import { failures, StartupFailure, startupFailures } from '../../src/errors.ts'
import { readJson } from '../../src/json/read.ts'
import { eventTable, openEvents } from '../../src/events.ts'
import type { JsonValue } from '../../src/model.ts'
import { toCamelCase } from '../../src/json/keys.ts'
import { createPages } from '../../src/serve/status.ts'
import { startService } from '../../src/service.ts'

const service = resolve(import.meta.dirname, '../..')
const root = resolve(service, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'sqlapi-manual-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const page = (name: string): string => readFileSync(join(service, 'docs', name), 'utf8')

interface JsonSchema {
  readonly type?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

interface Field {
  readonly path: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  const group = schema.items ?? schema
  return Object.entries(group.properties ?? {}).flatMap(([name, field]) => [
    { path: prefix + name, schema: field, isRequired: group.required?.includes(name) === true },
    ...fieldsOf(field, `${prefix}${name}.`),
  ])
}

const fields = fieldsOf(configSchema())

test('configuration.md lists every field with its type, default and bounds', () => {
  const rows = tableAfter(page('configuration.md'), '<!-- table: fields')
  deepStrictEqual(
    rows.map(([path, type, value]) => [path, type, value]),
    fields.map(({ path, schema, isRequired }) => [
      path,
      schema.type,
      isRequired ? 'required' : (JSON.stringify(schema.default) ?? 'absent'),
    ]),
  )
  for (const [index, { path, schema }] of fields.entries()) {
    const bounds = rows[index]?.[3] ?? ''
    if (schema.type === 'integer') strictEqual(bounds, `${schema.minimum} to ${schema.maximum}`, path)
    if (schema.enum !== undefined) deepStrictEqual(namesIn(bounds), schema.enum, path)
  }
})

test('configuration.md has the search order, the variables and the flags', () => {
  const text = page('configuration.md')
  const order = text.slice(text.indexOf('The first of these'), text.indexOf('If a named file'))
  deepStrictEqual(inBackquotes(order), [...search.paths])

  const listed = column(tableAfter(text, '## Environment variables'), 0).filter((name) => /^[A-Z]/.test(name))
  deepStrictEqual(new Set(listed), new Set([search.variable, ...Object.keys(variables)]))

  const help = readFlags(['--help'])
  const usage = 'text' in help ? help.text : ''
  const flags = Array.from(usage.matchAll(/^ +(-\w), (--\w+)(?: (\w+))?/gm), ([, short, long, value]) =>
    [long, short].map((flag) => [flag, value].filter(Boolean).join(' ')),
  )
  deepStrictEqual(
    column(tableAfter(text, '## Command line'), 0).map((cell) => inBackquotes(cell)),
    flags,
  )
})

test('declarations.md lists every word with its form', () => {
  const rows = tableAfter(page('declarations.md'), '<!-- table: words')
  deepStrictEqual(
    rows.map(([word, form]) => [word, form]),
    Object.entries(words).map(([word, { form }]) => [`@${word}`, form]),
  )
})

test('declarations.md lists every type with its example', () => {
  const rows = tableAfter(page('declarations.md'), '<!-- table: types')
  deepStrictEqual(
    rows.map(([type, example]) => [type, example]),
    Object.entries(valueTypes).map(([type, { example }]) => [type, example]),
  )
})

test('errors.md lists every error of a request with its status', () => {
  const rows = tableAfter(page('errors.md'), '<!-- table: failures')
  const promised = Object.values(failures).map(({ error, status }) => `${error} ${status}`)
  deepStrictEqual(new Set(rows.map(([name, status]) => `${name} ${status}`)), new Set(promised))
})

test('errors.md has each message that is always the same, but for the one that nobody is there to read', () => {
  const text = page('errors.md')
  for (const [reason, kind] of Object.entries(failures)) {
    if ('message' in kind) strictEqual(text.includes(`\`${kind.message}\``), reason !== 'client_gone', reason)
  }
})

test('errors.md lists every error of the start with what it concerns', () => {
  const rows = tableAfter(page('errors.md'), '<!-- table: startupFailures')
  deepStrictEqual(Object.fromEntries(rows.map(([name, about]) => [name, about])), startupFailures)
})

test('configuration.md lists every log event with its fields, level and target', () => {
  const logged = Object.entries<EventRow<object>>(eventTable).filter(([, { unlogged }]) => unlogged !== true)
  const rows = tableAfter(page('configuration.md'), '<!-- table: events')
  const listed = rows.map(([name, , , , cell = '']) => [name, namesIn(cell)])
  deepStrictEqual(Object.fromEntries(listed), declaredFields(readFileSync(join(service, 'src/events.ts'), 'utf8')))
  deepStrictEqual(
    Object.fromEntries(rows.map(([event, level, target]) => [event, [level, target]])),
    Object.fromEntries(logged.map(([event, { level, target = 'sqlapi' }]) => [event, [level, target]])),
  )
})

test('check.md lists every code with its severity [N1.2]', () => {
  const rows = tableAfter(page('check.md'), '<!-- table: codes')
  deepStrictEqual(
    rows.map(([code, severity]) => [code, severity]),
    Object.entries(codes).map(([code, { severity }]) => [code, severity]),
  )
})

/**
 * For each reason in the table: how to bring it about. What a case gives is the message, with its path as the manual
 * has it.
 */
const refusals: Readonly<Record<string, () => Promise<string>>> = {
  '`sql_dir` is missing, not a directory or unreadable': async () =>
    (await refusalOfFolder(join(scratch, 'missing'))).replaceAll(/'[^']*'|\([^)]*missing\)/g, (found) =>
      found.startsWith("'") ? "'sql'" : '(/app/sql)',
    ),
  'a folder that links to itself': () => refusalOfTree({}, { 'crm/GET/loop': '..' }),
  'two files for one endpoint': () => refusalOfTree({ 'crm/GET/a.sql': 'SELECT 1', 'crm/GET/A.sql': 'SELECT 1' }),
  'an empty file': () => refusalOfTree({ 'crm/GET/a.sql': ' \n' }),
  'a file that is not UTF-8': () => refusalOfTree({ 'crm/GET/a.sql': Buffer.from([0x53, 0xff]) }),
  'a file with a NUL character': () => refusalOfTree({ 'crm/GET/a.sql': 'SELECT 1\0' }),
  'a link out of `sql_dir`': () => refusalOfTree({}, { 'crm/GET/a.sql': tmpdir() }),
  '`*.sql` that is not a regular file': () => refusalOfTree({ 'crm/GET/a.sql/x': '' }),
  'errors in the files, with `checks: refuse`': refusalOfFiles,
  'two datasources of one name': () =>
    refusalOf('datasources: [{name: crm, url: "sqlite:a"}, {name: crm, url: "sqlite:b"}]'),
  '`username` without `password_env`': () =>
    refusalOf('datasources: [{name: crm, url: "postgresql://db/crm", username: crm}]'),
  'the variable of `password_env` is not set': () =>
    refusalOf('datasources: [{name: crm, url: "postgresql://db/crm", password_env: CRM_PASSWORD}]'),
  '`project_datasource_map` leads to no datasource': () =>
    refusalOf('datasources: [{name: main, url: "sqlite:a"}]\nproject_datasource_map: {crm: mian}'),
  '`default_datasource` is no datasource': () =>
    refusalOf('datasources: [{name: main, url: "sqlite:a"}]\ndefault_datasource: mian'),
  'a database in memory and several workers': () =>
    refusalOf('server: {workers: 2}\ndatasources: [{name: crm, url: "sqlite::memory:"}]'),
  'fewer connections than workers': () =>
    refusalOf('server: {workers: 4}\ndatasources: [{name: crm, url: "sqlite:a", max_connections: 3}]'),
  'an unknown field': () => refusalOf('sqldir: sql'),
  'a password in the file': () => refusalOf('datasources: [{name: crm, url: "postgresql://db/crm", password: x}]'),
  'a field of the wrong type or out of bounds': () => refusalOf('server: {max_body_bytes: 0}'),
  'an unknown time zone': () =>
    refusalOf('datasources: [{name: crm, url: "postgresql://db/crm", time_zone: Europe/Talinn}]'),
  'a URL of another kind': () => refusalOf('datasources: [{name: crm, url: "mysql://db/crm"}]'),
  'the file is not YAML': () => refusal(() => load('sql_dir: [\n')),
  'no file is found, or the named one does not exist': async () => {
    const cwd = mkdtempSync(join(scratch, 'empty-'))
    return (await refusal(() => loadConfig({ flag: 'none.yaml', env: {}, cwd }))).replace(cwd, '/app')
  },
}

test('configuration.md shows the message of every refusal to start', async (t) => {
  const rows = tableAfter(page('configuration.md'), '<!-- table: refusals')
  deepStrictEqual(new Set(column(rows, 1)), new Set(Object.keys(startupFailures)))
  const [listening, ...others] = rows.toReversed()
  const problem = new ListenProblem('EADDRINUSE').message
  deepStrictEqual(listening?.slice(1), ['ListenException', `server.bind 0.0.0.0:8080 ${problem}`])
  deepStrictEqual(
    column(others.toReversed(), 0),
    Object.keys(refusals).map((reason) => reason.replace(/^`([^`]*)`$/, '$1')),
  )
  for (const [reason = '', error, message] of others) {
    await t.test(
      reason,
      { skip: reason === 'two files for one endpoint' && isCaseBlind() && 'file names have no case here' },
      async () => {
        const [name, ...text] = ((await refusals[reason]?.()) ?? '').split(': ')
        deepStrictEqual([name, text.join(': ')], [error, message])
      },
    )
  }
})

function load(yaml: string): unknown {
  writeFileSync(join(scratch, 'sqlapi.yaml'), yaml)
  return loadConfig({ flag: 'sqlapi.yaml', env: {}, cwd: scratch })
}

/** `sql_dir` is added unless the text is about it. */
function refusalOf(yaml: string): Promise<string> {
  return refusal(() => load(`${yaml}\nsql_dir: sql\n`))
}

/** Of a folder of its own with a database. */
function refusalOfFiles(): Promise<string> {
  const cwd = join(scratch, 'refusing')
  mkdirSync(join(cwd, 'sql/crm/GET'), { recursive: true })
  writeFileSync(join(cwd, 'sql/crm/GET/a.sql'), 'SELECT nam FROM t')
  const database = new DatabaseSync(join(cwd, 'crm.db'))
  database.exec('CREATE TABLE t (name)')
  database.close()
  const datasources = [{ name: 'crm', url: `sqlite:${join(cwd, 'crm.db')}` }]
  writeFileSync(join(cwd, 'sqlapi.yaml'), JSON.stringify({ sql_dir: join(cwd, 'sql'), datasources }))
  return refusal(() => refuseErrors(loadConfig({ flag: 'sqlapi.yaml', env: {}, cwd }), cwd))
}

let trees = 0

function refusalOfTree(files: Record<string, string | Buffer>, links: Record<string, string> = {}): Promise<string> {
  const tree = join(scratch, `tree${++trees}`)
  mkdirSync(tree)
  for (const path of [...Object.keys(files), ...Object.keys(links)])
    mkdirSync(dirname(join(tree, path)), { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(tree, path), text)
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(tree, path))
  return refusal(() => loadEndpoints(tree, new Set()))
}

/** With the line of a configuration that names it. */
function refusalOfFolder(folder: string): Promise<string> {
  return refusal(() => loadEndpoints(folder, new Set(), { origin: 'sqlapi.yaml:1' }))
}

async function refusal(start: () => unknown): Promise<string> {
  let found = ''
  await rejects(
    async () => start(),
    (error: Error) => {
      ok(error instanceof StartupFailure, error.message)
      found = `${error.name}: ${error.message}`
      return true
    },
  )
  // Where a link below a link is found depends on the order of the folders.
  return found.replace(/crm\/GET\/loop(\/GET)?(\/loop)?/, 'crm/GET/loop/GET')
}

/** Whether the file system takes `a.sql` and `A.sql` for one file. */
function isCaseBlind(): boolean {
  writeFileSync(join(scratch, 'case'), '')
  return existsSync(join(scratch, 'CASE'))
}

test('http.md lists the fields of the pages of the service, in their order', () => {
  const pages = createPages({
    version: '0.1.0',
    packagingTime: 1,
    startTime: 2,
    datasources: [{ name: 'a', url: 'sqlite:a', dialect: 'sqlite', username: '', driverClassName: '' }],
  })
  const text = page('http.md')
  const jsonOf = (path: string): unknown => JSON.parse(pages.get(path)?.().body.content as string)
  const health = jsonOf('/health') as Record<string, unknown>
  deepStrictEqual(column(tableAfter(text, '## /health, /healthz'), 0), Object.keys(health))
  const [datasource] = jsonOf('/datasources') as [Record<string, unknown>]
  deepStrictEqual(column(tableAfter(text, '## /datasources'), 0), Object.keys(datasource))
})

test('results.md lists the PostgreSQL types that are no strings', () => {
  const names = new Map<number, string>(Object.entries(oid).map(([name, id]) => [id, name]))
  const special = Array.from(
    scalarKindOf.entries().filter(([, kind]) => kind !== 'plain'),
    ([id]) => names.get(id) ?? { 1114: 'timestamp', 1184: 'timestamptz' }[id],
  )
  const listed = tableAfter(page('results.md'), '## PostgreSQL types').flatMap(([type = '']) => namesIn(type))
  const strings = new Set(['numeric', 'date', 'time', 'array of any of these', 'enum', 'domain', 'everything else'])
  deepStrictEqual(new Set(listed.filter((type) => !strings.has(type))), new Set(special))
})

test('results.md shows names as they are changed', () => {
  for (const [from = '', to = ''] of tableAfter(page('results.md'), '## Names')) {
    const keys = namesIn(to)
    for (const [index, name] of namesIn(from).entries()) strictEqual(toCamelCase(name), keys[index] ?? keys[0], name)
  }
})

/** A row of the table of parameters -> a value of that kind. */
const samples: Readonly<Record<string, string>> = {
  null: 'null',
  '`true`, `false`': 'true',
  'number without fraction and exponent: `42`': '42',
  'number with fraction or exponent: `1.0`, `1e3`': '1e3',
  string: '"x"',
  'array of integers': '[1, null]',
  'array of numbers, some with a fraction or exponent': '[1, 1.5]',
  'array of strings': '["x", null]',
  'array of booleans': '[true]',
  'array of mixed kinds, of arrays or of objects': '[1, "x"]',
  'empty array, array of nulls only': '[null]',
  object: '{}',
}

test('parameters.md tells the PostgreSQL type of every kind of value', () => {
  const rows = tableAfter(page('parameters.md'), '## Types')
  deepStrictEqual(column(rows, 0), Object.keys(samples))
  for (const [kind = '', type = ''] of rows) {
    const value = readJson(Buffer.from(`{"x": ${samples[kind]}}`)) as Map<string, JsonValue>
    const { code } = bind('x', value.get('x') as JsonValue)
    const name = Object.entries(oid).find(([, id]) => id === candidateTypes[code][0])?.[0] ?? ''
    const shown = name === 'unspecified' ? 'NULL, without a type' : name.replace(/Array$/, '[]')
    strictEqual(type, shown, kind)
  }
  const codes = Object.values(samples).flatMap((sample) => {
    const value = readJson(Buffer.from(`{"x": ${sample}}`)) as Map<string, JsonValue>
    return bind('x', value.get('x') as JsonValue).code
  })
  // `M` is `m` with arrays or objects inside, which the table has in one row; `l` and `L` are large integers; `z` and
  // `Z` are declared.
  deepStrictEqual(new Set([...codes, 'M', 'l', 'L', 'z', 'Z']), new Set(Object.keys(candidateTypes)))
})

test('parameters.md tells the types that are tried for each kind of value, and how many combinations [S2] [S3]', () => {
  const codes: Record<string, readonly Code[]> = {
    'integer that fits `int4`': ['i'],
    'larger integer': ['l'],
    'number with fraction or exponent': ['f'],
    'array of integers that fit `int4`': ['I'],
    'array of numbers, some with a fraction or exponent': ['F'],
    null: ['n'],
    'everything else': ['b', 't', 'z', 'B', 'T', 'Z', 'L', 'e', 'm', 'M', 'o'],
  }
  const rows = tableAfter(page('parameters.md'), '<!-- table: candidates')
  deepStrictEqual(column(rows, 0), Object.keys(codes))
  deepStrictEqual(new Set(Object.values(codes).flat()), new Set(Object.keys(candidateTypes)))
  const nameOf = (type: number): string =>
    Object.entries(oid)
      .find(([, id]) => id === type)?.[0]
      .replace(/Array$/, '[]') ?? ''
  for (const [kind = '', types = ''] of rows) {
    for (const code of codes[kind] ?? []) {
      const [declared = 0, ...others] = candidateTypes[code]
      const first = kind === 'everything else' ? 'the type of the table above' : nameOf(declared)
      const shown = [first, ...others.map(nameOf)].join(', ')
      const open = kind === 'null' ? 'without a type' : 'left to PostgreSQL'
      strictEqual(types.replaceAll('`', ''), shown.replace('unspecified', open), kind)
    }
  }
  ok(page('parameters.md').replaceAll(/\s+/g, ' ').includes(`Up to ${maxAttempts} combinations are tried`))
})

test('parameters.md lists the errors after which PostgreSQL chooses the types', () => {
  const source = readFileSync(join(service, 'src/database/postgres/plans/search.ts'), 'utf8')
  const [, codes = ''] = /const typeErrors = new Set\(\[([\s\S]*?)\]\)/.exec(source) ?? []
  const known = Array.from(codes.matchAll(/'(\w{5})'/g), ([, code]) => code)
  const text = page('parameters.md')
  const [, listed = ''] = /because of the types \(SQLSTATE ([^)]*)\)/.exec(text) ?? []
  deepStrictEqual(listed.split(/[\s,]+(?:or\s)?/), known)
})

test('sqlapi.example.yaml is valid, has every field, and shows the defaults', () => {
  const file = join(service, 'sqlapi.example.yaml')
  const { datasources } = loadConfig({ flag: file, env: { CRM_PASSWORD: 'secret' }, cwd: scratch })
  deepStrictEqual(
    datasources.map(({ name }) => name),
    ['crm', 'registry'],
  )
  const text = readFileSync(file, 'utf8')
  for (const { path, schema } of fields) {
    const name = path.split('.').at(-1) as string
    const [, dashes, value = ''] = new RegExp(`^ *(- |# )?${name}:(.*)$`, 'm').exec(text) ?? []
    ok(dashes !== undefined || new RegExp(`^ *${name}:`, 'm').test(text), path)
    if (dashes === '# ') strictEqual(value.trim(), String(schema.default), path)
  }
})

testLinks(root, ['.', 'services/sqlapi', 'services/sqlapi/docs', 'services/sqlapi/bench'])

test('the requests of the quick start have the answers that stand there', async () => {
  const example = join(root, 'examples/sqlapi')
  const file = join(scratch, 'demo.db')
  const database = new DatabaseSync(file)
  database.exec(readFileSync(join(example, 'schema.sql'), 'utf8'))
  database.close()
  const yaml = readFileSync(join(example, 'sqlapi.yaml'), 'utf8')
    .replace('examples/sqlapi/sql', join(example, 'sql'))
    .replace('examples/sqlapi/.data/demo.db', file)
    .replace('127.0.0.1:8080', '127.0.0.1:0')
  writeFileSync(join(scratch, 'example.yaml'), yaml)
  const events = openEvents({ level: 'off', format: 'text' }, { write: () => undefined })
  const running = await startService(
    await boot(loadConfig({ flag: 'example.yaml', env: {}, cwd: scratch }), events),
    events,
  )
  try {
    const readme = readFileSync(join(service, 'README.md'), 'utf8')
    const blocks = Array.from(readme.matchAll(/```curl\n(.*)\n(.*)\n```/g), ([, command = '', answer = '']) => [
      command,
      answer,
    ])
    ok(blocks.length >= 5)
    for (const [command = '', answer] of blocks) strictEqual(await send(command, running.port), answer, command)
  } finally {
    await running.close()
  }
})

/** What the curl line would print, with the day on which the manual was written instead of today. */
async function send(command: string, port: number): Promise<string> {
  const [, url = '', , body] = /^curl '([^']*)'( -d '([^']*)')?$/.exec(command) ?? []
  const days = [new Date().toISOString().slice(0, 10)]
  const response = await fetch(
    url.replace(':8080', `:${port}`),
    body === undefined ? {} : { method: 'POST', body, headers: { connection: 'close' } },
  )
  const text = await response.text()
  days.push(new Date().toISOString().slice(0, 10))
  return days.reduce((shown, day) => shown.replaceAll(day, '2026-11-21'), text)
}
