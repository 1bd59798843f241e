/** Where a file is looked for, what is told when it cannot be read, and where each value comes from. */
import { execFileSync, spawn } from 'node:child_process'
import { deepStrictEqual, match, strictEqual, throws } from 'node:assert/strict'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  type ConfigFile,
  ConfigFileError,
  findConfigFile,
  inWords,
  list,
  originsOf,
  overlay,
  parse,
  readConfigFile,
  section,
  text,
  wholeNumber,
  withoutFile,
} from '../../src/index.ts'
import { readPipe, SilentPipe } from '../../src/pipe.ts'

const cwd = mkdtempSync(join(tmpdir(), 'config-file-'))
after(() => rmSync(cwd, { recursive: true }))

const search = { variable: 'APP_CONFIG', paths: ['./app.yaml', './app.yml'] }

function read(content: string): ConfigFile {
  writeFileSync(join(cwd, 'read.yaml'), content)
  return readConfigFile({ file: 'read.yaml', source: '--config read.yaml' }, { cwd })
}

test('flag, variable and usual places, in this order', () => {
  const find = (flag: string | undefined, env: Record<string, string>) => findConfigFile({ flag, env, cwd }, search)
  strictEqual(find(undefined, {}), undefined)
  writeFileSync(join(cwd, 'app.yml'), '')
  deepStrictEqual(find(undefined, { APP_CONFIG: '' }), { file: './app.yml', source: './app.yml' })
  symlinkSync('nowhere', join(cwd, 'app.yaml'))
  deepStrictEqual(find(undefined, {}), { file: './app.yaml', source: './app.yaml' })
  deepStrictEqual(find(undefined, { APP_CONFIG: 'b' }), { file: 'b', source: 'APP_CONFIG b' })
  deepStrictEqual(find('c', { APP_CONFIG: 'b' }), { file: 'c', source: '--config c' })
})

test('a file that cannot be read says how it was named, where it was looked for and why', () => {
  mkdirSync(join(cwd, 'directory.yaml'))
  writeFileSync(join(cwd, 'latin1.yaml'), Buffer.from('a: \xe4', 'latin1'))
  const refusal = (file: string, said: RegExp) =>
    throws(
      () => readConfigFile({ file, source: `--config ${file}` }, { cwd }),
      (error) => error instanceof ConfigFileError && said.test(error.message.replace(cwd, '')),
    )
  refusal('no.yaml', /^--config no\.yaml: file \/no\.yaml does not exist; its folder has .*$/)
  refusal('directory.yaml', /^--config directory\.yaml: file \/directory\.yaml is a directory, expected a file/)
  refusal('latin1.yaml', /^--config latin1\.yaml: file \/latin1\.yaml is not UTF-8 text/)
  throws(() => read('a: 1\na: 2\n'), /^ConfigFileError: read\.yaml:2:1: "a" occurs twice; keep one$/)
})

const withoutPipes = process.platform === 'win32' ? 'Windows has no pipes in folders' : false

test('a pipe is read once: a reload would find nothing in it, or wait for ever [O3.1]', { skip: withoutPipes }, () => {
  execFileSync('mkfifo', [join(cwd, 'pipe.yaml')])
  const found = { file: 'pipe.yaml', source: '--config pipe.yaml' }
  throws(
    () => readConfigFile(found, { cwd, isReload: true }),
    /^ConfigFileError: --config pipe\.yaml: .*pipe\.yaml is not a regular file and cannot be read a second time; restart/,
  )
})

test('a pipe that nobody writes to is given up, with the cure [D6.1]', { skip: withoutPipes }, () => {
  const pipe = join(cwd, 'silent.yaml')
  execFileSync('mkfifo', [pipe])
  throws(() => readPipe(pipe, 1), /^SilentPipe: is a pipe that has brought nothing for 0\.001 s; have something write/)
  // A writer that is there and says nothing is waited for no longer.
  const writer = openSync(pipe, constants.O_RDWR)
  throws(() => readPipe(pipe, 1), SilentPipe)
  closeSync(writer)
})

test('a pipe is read to its end, however late its writer comes and in whatever pieces', { skip: withoutPipes }, () => {
  const pipe = join(cwd, 'late.yaml')
  execFileSync('mkfifo', [pipe])
  const text = `a: ${'x'.repeat(200_000)}\n`
  writeFileSync(join(cwd, 'text.yaml'), text)
  const script = 'exec > late.yaml; head -c 10 text.yaml; sleep 0.1; tail -c +11 text.yaml'
  const writer = spawn('sh', ['-c', script], { cwd, stdio: 'ignore' })
  strictEqual(readPipe(pipe, Infinity).toString(), text)
  writer.unref()
})

const kind = {
  title: 'app.yaml',
  fields: section({
    port: wholeNumber(0, 9).default(1),
    log: section({ level: text('a level', { shown: true }).regex(/^[a-z]+$/), target: text('a target').default('') }),
    items: list(section({ name: text('a name'), size: wholeNumber(0, 9).default(3) }), 'a list').prefault([]),
    hosts: list(text('a host'), 'a list').prefault([]),
    extra: section({ url: text('a URL') }).exactOptional(),
  }),
  unknownFields: 'refused',
  emptyFields: 'left out',
  bareTexts: 'refused',
} as const

test('the origin of each value is a line, a variable or the default', () => {
  const file = read('\nlog:\n  level: info\nitems:\n  - name: a\n  - name: b\n    size: 4\nport:\nhosts: [a]\n')
  const origins = { 'log.level': 'read.yaml:3', 'log.target': 'default', port: 'default', hosts: 'read.yaml:9' }
  const items = {
    'items[0].name': 'read.yaml:5',
    'items[0].size': 'default',
    'items[1].name': 'read.yaml:6',
    'items[1].size': 'read.yaml:7',
  }
  deepStrictEqual(originsOf(kind, file), { ...origins, ...items })
  const set = overlay(file, { APP_LEVEL: 'warn', APP_PORT: '' }, { APP_LEVEL: ['log', 'level'], APP_PORT: ['port'] })
  deepStrictEqual(parse(kind, set.data).value?.log.level, 'warn')
  deepStrictEqual(originsOf(kind, set), { ...origins, ...items, 'log.level': 'APP_LEVEL' })
  deepStrictEqual(originsOf(kind, withoutFile('built-in defaults')), {
    port: 'default',
    items: 'default',
    hosts: 'default',
  })
})

test('a variable makes the group that its field is in, and leaves alone what is not a group', () => {
  const fields = { APP_LEVEL: ['log', 'level'] }
  const levelIn = (content: string) => overlay(read(content), { APP_LEVEL: 'warn' }, fields).data['log']
  deepStrictEqual(levelIn(''), { level: 'warn' })
  deepStrictEqual(levelIn('log: {target: a}'), { target: 'a', level: 'warn' })
  strictEqual(levelIn('log: loud'), 'loud')
  strictEqual(levelIn('log:'), null)
})

test('without a file a problem is told with what stands in its place, and variables of earlier layers are kept', () => {
  const given = {
    ...withoutFile('environment'),
    variables: new Map([['port', 'OLD_PORT']]),
    data: { port: 10, log: {} },
  }
  const file = overlay(given, { APP_LEVEL: 'LOUD' }, { APP_LEVEL: ['log', 'level'] })
  deepStrictEqual(
    [...parse(kind, file.data).problems, { path: ['hosts'], message: 'missing' }].map((problem) =>
      inWords(file, problem),
    ),
    [
      'OLD_PORT: found the number 10, expected a whole number from 0 to 9',
      'APP_LEVEL: found "LOUD", expected a level',
      'environment: hosts: missing',
    ],
  )
})

test('a problem is told with file, line and field, or with the variable', () => {
  const file = overlay(read('port: 10\nlog: {}\n'), { APP_LEVEL: 'LOUD' }, { APP_LEVEL: ['log', 'level'] })
  deepStrictEqual(
    parse(kind, file.data).problems.map((problem) => inWords(file, problem)),
    [
      'read.yaml:1: port: found the number 10, expected a whole number from 0 to 9',
      'APP_LEVEL: found "LOUD", expected a level',
    ],
  )
})

test('the line is that of the field, of the group around it, or of another spelling of both', () => {
  const file = read('# none\na.b: 1\nc:\n  d.e: 2\n')
  const lines = [['a', 'b'], ['a'], ['a', 'x'], ['c', 'd', 'e'], ['c', 'x'], ['x']].map((path) =>
    file.places.lineOf(path),
  )
  deepStrictEqual(lines, [2, 2, 2, 4, 3, 2])
  match(inWords(file, { path: ['c', 'd', 'e'], message: 'm' }), /^read\.yaml:4: c\.d\.e: m$/)
})
