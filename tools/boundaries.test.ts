/**
 * The rooms of the sources: that the table of tools/boundaries/rooms.ts is kept, that lint reports what each of its
 * rows forbids, and that no room and no file grows beyond what a person can overlook.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { after, test } from 'node:test'
import type { Part, Room } from './boundaries/part.ts'
import { computing } from './boundaries/open.ts'
import { parts } from './boundaries/rooms.ts'
import { entriesOf, findRoom, isMeant, objection } from './boundaries/rule.ts'
import { listFiles, listSources, readImports } from './boundaries/sources.ts'

const root = resolve(import.meta.dirname, '..')
const sources = listSources(root)
const imports = sources.flatMap((file) => readImports(root, file).map((specifier) => ({ file, specifier })))

const maxFilesInFolder = 14
const maxLinesInFile = 300

/** Of all private packages, as imports name them. */
const entryPoints = listFiles(root, 'packages/*/package.json').flatMap((manifest) => {
  const { name, exports } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as { name: string; exports: object }
  return Object.keys(exports).map((entry) => posix.join(name, entry))
})

/** Rooms that never reach another, not even by way of a third. */
const promises: [root: string, from: string[], never: string[]][] = [
  ['services/sqlapi/src', ['boot', 'boot/config'], ['serve', 'database', 'workers', 'service.ts']],
  ['services/sqlapi/src', ['database', 'database/pool', 'database/open.ts'], ['boot', 'serve', 'workers']],
  ['services/sqlapi/src', ['serve'], ['boot', 'database', 'database/open.ts', 'workers', 'service.ts']],
  ['services/sqlapi/src', ['service.ts'], ['workers', 'main.ts']],
  ['services/sqlapi/src', ['sql'], ['errors.ts', 'events.ts', 'json', 'database', 'boot', 'serve']],
  ['services/sqlapi/src', ['database/postgres'], ['database/sqlite']],
  ['services/sqlapi/src', ['database/sqlite'], ['database/postgres']],
  [
    'services/xroad-proxy/src',
    ['boot', 'boot/config', 'boot/dsl', 'boot/ingest', 'boot/description'],
    ['serve', 'upstream'],
  ],
  ['services/xroad-proxy/src', ['serve', 'serve/lanes', 'upstream', 'guard'], ['boot', 'wsdl/xml', 'service.ts']],
  [
    'services/xroad-proxy/src',
    ['soap/json', 'soap/message', 'soap/request'],
    ['events.ts', 'boot', 'wsdl/xml', 'upstream'],
  ],
  ['services/xroad-proxy/src', ['wsdl/request', 'wsdl/description'], ['boot', 'serve', 'upstream', 'events.ts']],
  ['services/xroad-proxy/src', ['mock'], ['boot/config', 'serve', 'soap/json', 'wsdl/xml', 'upstream', 'events.ts']],
  ['services/xroad-proxy/src', ['doctor', 'wsdl-command'], ['serve', 'mock', 'service.ts', 'events.ts']],
  ['services/xroad-proxy/src', ['service.ts'], ['mock', 'doctor', 'wsdl-command']],
]

test('the sources import what the table of rooms allows, and nothing else', () => {
  const wrong = imports.flatMap(({ file, specifier }) => {
    const message = objection(file, specifier)
    return message === undefined ? [] : [`${file} imports ${specifier}: ${message}`]
  })
  deepStrictEqual(wrong, [])
  deepStrictEqual(
    sources.filter((file) => !/^packages\/(bench|testing)\//.test(file) && findRoom(file) === undefined),
    [],
    'every source belongs to a room',
  )
})

test('the table of rooms names nothing that is gone, and allows nothing that nobody needs', () => {
  for (const part of parts) {
    const used = part.rooms.flatMap(({ room, imports: entries }) => {
      const paths = importsOf(part, room)
      return entriesOf(entries)
        .filter((entry) => !paths.some((path) => path === entry || isMeant(entry, path)))
        .map((entry) => `${room} -> ${entry}`)
    })
    deepStrictEqual(used, [], `imports of ${part.root} that no file has`)
    const owned = Object.entries(part.outside).flatMap(([name, places]) => {
      const owners = ownersOf(part, name)
      return entriesOf(places)
        .filter((place) => !owners.some((path) => isMeant(place, path)))
        .map((place) => `${name} <- ${place}`)
    })
    deepStrictEqual(owned, [], `owners in ${part.root} that do not import what they own`)
    const rooms = part.rooms.map(({ room }) => room)
    deepStrictEqual(rooms, [...new Set(rooms)], 'each room has one row')
    deepStrictEqual(
      rooms.filter((room) => !existsSync(join(root, part.root, room))),
      [],
      'rooms that are gone',
    )
  }
})

test('the table of rooms lets no import lead back up, by whatever way', () => {
  for (const part of parts) {
    for (const [index, { room, imports: entries }] of part.rooms.entries()) {
      const below = new Set(part.rooms.slice(index + 1).map((other) => other.room))
      deepStrictEqual(
        entriesOf(entries).filter((entry) => below.has(entry)),
        [],
        `${room} names only rooms above it`,
      )
    }
  }
  for (const [at, from, never] of promises) {
    const part = parts.find((each) => each.root === at) as Part
    for (const room of [...from, ...never]) strictEqual(part.rooms.filter((each) => each.room === room).length, 1, room)
    for (const room of from)
      deepStrictEqual(
        never.filter((other) => reachable(part, room).has(other)),
        [],
        room,
      )
  }
})

test(`no folder has more than ${maxFilesInFolder} sources side by side, nor test files, nor what benches and tools are made of`, () => {
  const beside = '{packages,services}/*/{bench,test,testing,tools}/**/*.{js,ts}'
  // The tests of tools lie beside them.
  const tools = listFiles(root, 'tools/**/*.{js,ts}').filter((file) => !file.endsWith('.test.ts'))
  const counted = [...sources, ...listFiles(root, beside), ...tools].filter((file) => !file.endsWith('.d.ts'))
  const counts = Map.groupBy(counted, (file) => posix.dirname(file))
  const crowded = [...counts].filter(([, files]) => files.length > maxFilesInFolder)
  deepStrictEqual(
    crowded.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  )
})

test(`no source has more than ${maxLinesInFile} lines`, () => {
  const long = sources.filter(
    (file) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length > maxLinesInFile,
  )
  deepStrictEqual(long, [])
})

/** What the files of a room import from other rooms (paths below the root of the part) and by name. */
function importsOf(part: Part, room: string): string[] {
  return imports
    .filter(({ file }) => findRoom(file)?.part === part && findRoom(file)?.room.room === room)
    .map(({ file, specifier }) => {
      const target = posix.join(posix.dirname(file), specifier)
      return specifier.startsWith('.') ? posix.relative(part.root, target) : specifier
    })
}

/** The files of a part that import a library or a module of Node.js. */
function ownersOf(part: Part, name: string): string[] {
  return imports
    .filter(
      ({ file, specifier }) => file.startsWith(part.root) && (specifier === name || specifier.startsWith(`${name}/`)),
    )
    .map(({ file }) => posix.relative(part.root, file))
}

/** The rooms that one imports, and those that they import. */
function reachable(part: Part, room: string, found = new Set<string>()): Set<string> {
  for (const other of part.rooms) {
    if (other.room !== room && !found.has(other.room) && allowed(part, room, targetOf(other), 'any file')) {
      found.add(other.room)
      reachable(part, other.room, found)
    }
  }
  return found
}

// How lint is tried: a tree with one more file in each room, which imports everything that the table knows of.

const tree = mkdtempSync(join(tmpdir(), 'boundaries-'))
after(() => rmSync(tree, { recursive: true }))

test('lint reports what each row of the table forbids, and nothing else', () => {
  const expected: string[] = []
  const written = new Map<string, string[]>()
  const add = (file: string, specifier: string, isAllowed: boolean): void => {
    written.set(file, [...(written.get(file) ?? []), specifier])
    if (!isAllowed) expected.push(`${file}: ${specifier}`)
  }
  for (const part of parts) {
    for (const { room, isPure = false } of part.rooms) {
      const file = posix.join(part.root, targetOf({ room }))
      for (const target of targetsOf(part)) {
        if (roomOf(part, target) === room) continue
        const path = posix.relative(posix.dirname(file), posix.join(part.root, target))
        add(file, path.startsWith('.') ? path : `./${path}`, allowed(part, room, target))
      }
      for (const name of ['pg', ...new Set(parts.flatMap(({ outside }) => Object.keys(outside)))]) {
        add(
          file,
          name,
          entriesOf(part.outside[name]).some((place) => isPlace(place, targetOf({ room }))),
        )
      }
      for (const name of computing) if (part.outside[name] === undefined) add(file, name, !isPure)
      for (const entry of entryPoints) {
        add(file, entry, entriesOf(part.rooms.find((each) => each.room === room)?.imports).includes(entry))
      }
      add(file, '@services/http-shell/src/listen.ts', false)
      add(file, 'sqlapi', false)
      for (const other of [
        'packages/http-shell/src/other.ts',
        'services/sqlapi/src/other/a.ts',
        'services/sqlapi/test/a.ts',
      ]) {
        if (!other.startsWith(`${part.root}/`)) add(file, posix.relative(posix.dirname(file), other), false)
      }
    }
  }
  for (const own of ['services/sqlapi', 'services/xroad-proxy', 'packages/http-shell']) {
    const file = `${own}/test/a.test.ts`
    for (const name of ['pg', 'node:http', '@services/testing', '@services/http-shell/testing']) add(file, name, true)
    for (const path of ['../src/model.ts', '../../../tools/a.ts']) add(file, path, true)
    for (const path of [
      '../../../services/other/src/model.ts',
      '../../../packages/observe/src/index.ts',
      'xroad-proxy',
    ]) {
      add(file, path, false)
    }
  }
  deepStrictEqual(lint('boundaries(imports)', written).toSorted(), expected.toSorted())
})

test('lint sees every way to import', () => {
  const file = 'services/sqlapi/src/sql/ways.ts'
  const ways = [
    "import '../errors.ts'",
    "export * from '../errors.ts'",
    "export { Failure } from '../errors.ts'",
    "import type { Failure as A } from '../errors.ts'",
    "type B = import('../errors.ts').Failure",
    "void import('../errors.ts')",
    "new URL('../errors.ts', import.meta.url)",
  ]
  write(file, ways.join('\n'))
  const seen = new Set(report('boundaries(imports)', [file]).map(({ line }) => ways[line - 1]))
  deepStrictEqual(
    ways.filter((way) => !seen.has(way)),
    [],
  )
})

test('a cycle of imports is reported', () => {
  write('cycle/a.ts', "import { b } from './b.ts'\nexport const a = (): unknown => b\n")
  write('cycle/b.ts', "import { a } from './a.ts'\nexport const b = (): unknown => a\n")
  const found = report('import(no-cycle)', ['cycle/a.ts', 'cycle/b.ts']).map(({ file }) => file)
  deepStrictEqual(found.toSorted(), ['cycle/a.ts', 'cycle/b.ts'])
})

/** A file of a room: itself, or one more in the folder. */
function targetOf({ room }: Pick<Room, 'room'>): string {
  return room.endsWith('.ts') ? room : `${room}/one-more.ts`
}

/** A file of each room, and each single file that a row opens. */
function targetsOf(part: Part): string[] {
  const single = part.rooms
    .flatMap(({ imports: entries }) => entriesOf(entries))
    .filter((entry) => entry.endsWith('.ts'))
  return [...new Set([...part.rooms.map(targetOf), ...single])]
}

function roomOf(part: Part, target: string): string | undefined {
  return [target, posix.dirname(target)].find((name) => part.rooms.some(({ room }) => room === name))
}

/**
 * What the table says, read in the simplest way. With `any file`, a row that opens one file of a room counts as well.
 */
function allowed(part: Part, room: string, target: string, reading?: 'any file'): boolean {
  const order = part.rooms.map((each) => each.room)
  const other = roomOf(part, target) as string
  if (order.indexOf(other) > order.indexOf(room)) return false
  const entries = entriesOf(part.rooms.find((each) => each.room === room)?.imports)
  return entries.some((entry) => isPlace(entry, target) || (reading === 'any file' && roomOf(part, entry) === other))
}

function isPlace(entry: string, path: string): boolean {
  const folder = entry.replace(/\/\*\*$/, '')
  return path === entry || posix.dirname(path) === folder || (folder !== entry && path.startsWith(`${folder}/`))
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true })
  writeFileSync(join(tree, file), text)
}

/**
 * What the rule reports of files with one import a line, as `file: import`. The files of the rooms import each other in
 * thousands of circles, which nobody asks for here, and looking for them would take nine tenths of the time.
 */
function lint(rule: string, files: Map<string, string[]>): string[] {
  for (const [file, specifiers] of files) {
    write(file, specifiers.map((specifier) => `import '${specifier}'\n`).join(''))
  }
  const without = ['--allow=import/no-cycle', '--allow=import/no-unassigned-import']
  return report(rule, [...files.keys()], without).map(
    ({ file, line }) => `${file}: ${files.get(file)?.[line - 1] ?? `line ${line}`}`,
  )
}

function report(rule: string, files: string[], flags: string[] = []): { file: string; line: number }[] {
  cpSync(join(root, '.oxlintrc.json'), join(tree, '.oxlintrc.json'))
  cpSync(join(root, 'tools/boundaries'), join(tree, 'tools/boundaries'), { recursive: true })
  const manifest = createRequire(import.meta.url).resolve('oxlint/package.json')
  const oxlint = join(dirname(manifest), 'bin/oxlint')
  const options = { cwd: tree, encoding: 'utf8', maxBuffer: 64 << 20 } as const
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '--format=json', ...flags, ...files], options)
  strictEqual(stderr, '')
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; filename: string; labels: { span: { line: number } }[] }[]
  }
  return diagnostics
    .filter(({ code }) => code.endsWith(rule))
    .map(({ filename, labels }) => ({ file: filename.replaceAll('\\', '/'), line: labels[0]?.span.line ?? 0 }))
}
