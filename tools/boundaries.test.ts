/**
 * Proves the import rules of .oxlintrc.json: each line below is written as a file of its own into a copy of the tree's
 * folders, oxlint runs once over all of them, and exactly the forbidden ones are reported.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { after, test } from 'node:test'

const sqlapi = 'services/sqlapi'
const proxy = 'services/xroad-proxy'
const shell = 'packages/http-shell'

const libraries = {
  [sqlapi]: ['pg', 'pg-connection-string', 'yaml', 'zod', 'sonic-boom', 'node:cluster', 'node:http', 'node:sqlite'],
  [proxy]: [
    'undici',
    'saxes',
    'handlebars',
    'node-forge',
    'sonic-boom',
    'yaml',
    'zod',
    'node:http',
    'node:https',
    // How some of them are also called
    'handlebars/runtime',
    'undici/types/dispatcher.js',
    'undici/lib/dispatcher/client.js',
  ],
}

type Service = keyof typeof libraries

/** Who may import a library: a file, or a file of that folder. */
const owners: Record<Service, Record<string, readonly string[]>> = {
  [sqlapi]: {
    'src/database/postgres/wire/driver.ts': ['pg', 'pg-connection-string'],
    'src/database/sqlite/worker/library.ts': ['node:sqlite'],
    'src/boot/config/yaml.ts': ['yaml'],
    'src/boot/config/schema.ts': ['zod'],
    'src/log.ts': [],
    'src/serve/server.ts': [],
    'src/workers/primary.ts': ['node:cluster'],
    'src/main.ts': [],
    'src/boot/config/config.ts': [],
    'src/serve/handle.ts': [],
    'src/database/pool/pool.ts': [],
    'src/sql/lex.ts': [],
    'test/config.test.ts': libraries[sqlapi],
    'bench/run.ts': libraries[sqlapi],
    'tools/write-schema.ts': libraries[sqlapi],
  },
  [proxy]: {
    'src/log.ts': [],
    'src/boot/config/yaml.ts': ['yaml'],
    'src/boot/config/schema.ts': ['zod'],
    'src/serve/server.ts': [],
    'src/serve/inbound.ts': [],
    'src/upstream/client.ts': ['undici', 'undici/types/dispatcher.js', 'undici/lib/dispatcher/client.js'],
    'src/mock/server.ts': ['node:http', 'node:https'],
    'src/mock/pki.ts': ['node-forge', 'node:http', 'node:https'],
    'src/soap/request/template.ts': ['handlebars'],
    'src/soap/json/translate.ts': ['saxes'],
    'src/wsdl/xml/xml.ts': ['saxes'],
    'src/wsdl/request/write.ts': [],
    'src/wsdl-command/download.ts': [],
    'src/doctor/probe.ts': [],
    'src/main.ts': [],
    'src/service.ts': [],
    'src/xroad.ts': [],
    'src/boot/tls/keystore.ts': [],
    'src/serve/lanes/rest.ts': [],
    'src/soap/message/answer.ts': [],
    'test/rest.test.ts': libraries[proxy],
    'bench/run.ts': libraries[proxy],
    'tools/write-schema.ts': libraries[proxy],
  },
}

const folders: [file: string, imported: string, isAllowed: boolean][] = [
  [`${sqlapi}/src/boot/config/config.ts`, '../../serve/route.ts', false],
  [`${sqlapi}/src/boot/config/config.ts`, '../../database/pool/pool.ts', false],
  [`${sqlapi}/src/boot/config/yaml.ts`, '../../serve/route.ts', false],
  [`${sqlapi}/src/boot/config/schema.ts`, '../../database/pool/pool.ts', false],
  [`${sqlapi}/src/boot/endpoints.ts`, '../sql/lex.ts', true],
  [`${sqlapi}/src/serve/handle.ts`, '../boot/config/config.ts', false],
  [`${sqlapi}/src/serve/server.ts`, '../boot/config/config.ts', false],
  [`${sqlapi}/src/serve/handle.ts`, '../workers/messages.ts', false],
  [`${sqlapi}/src/boot/boot.ts`, '../workers/messages.ts', false],
  [`${sqlapi}/src/database/pool/pool.ts`, '../../workers/messages.ts', false],
  [`${sqlapi}/src/workers/primary.ts`, '../serve/server.ts', false],
  [`${sqlapi}/src/workers/primary.ts`, '../database/pool/pool.ts', false],
  [`${sqlapi}/src/workers/worker.ts`, '../boot/boot.ts', true],
  [`${sqlapi}/src/serve/handle.ts`, '../model.ts', true],
  [`${sqlapi}/src/database/pool/pool.ts`, '../../boot/config.ts', false],
  [`${sqlapi}/src/database/pool/pool.ts`, '../../serve/route.ts', false],
  [`${sqlapi}/src/database/postgres/wire/driver.ts`, '../../boot/url.ts', false],
  [`${sqlapi}/src/database/sqlite/worker/worker.ts`, '../../../serve/json.ts', false],
  [`${sqlapi}/src/database/sqlite/worker/worker.ts`, '../../../errors.ts', true],
  [`${sqlapi}/src/sql/script.ts`, './lex.ts', true],
  [`${sqlapi}/src/sql/script.ts`, '../model.ts', true],
  [`${sqlapi}/src/sql/script.ts`, '../errors.ts', false],
  [`${sqlapi}/src/sql/script.ts`, '../database/pool/pool.ts', false],
  [`${sqlapi}/src/sql/script.ts`, 'node:fs', false],
  [`${sqlapi}/src/main.ts`, '../../xroad-proxy/src/log.ts', false],
  [`${sqlapi}/src/serve/handle.ts`, '../../../xroad-proxy/src/xml.ts', false],
  [`${sqlapi}/test/config.test.ts`, '../../xroad-proxy/src/log.ts', false],
  [`${proxy}/src/main.ts`, 'sqlapi', false],
  ...[sqlapi, proxy].flatMap((service): typeof folders => [
    ...['main.ts', 'serve/server.ts', 'boot/boot.ts'].flatMap((file): typeof folders => [
      [`${service}/src/${file}`, '@services/http-shell', true],
      [`${service}/src/${file}`, '@services/http-shell/src/listen.ts', false],
      [`${service}/src/${file}`, '../../../../packages/http-shell/src/listen.ts', false],
      [`${service}/src/${file}`, '@services/http-shell/testing', false],
      [`${service}/src/${file}`, '@services/bench', false],
      [`${service}/src/${file}`, '@services/testing', false],
    ]),
    [`${service}/bench/run.ts`, '@services/bench', true],
    [`${service}/bench/run.ts`, '../../../packages/bench/src/compare.ts', false],
    [`${service}/test/a.test.ts`, '@services/testing', true],
    [`${service}/test/a.test.ts`, '@services/http-shell/testing', true],
    [`${service}/test/a.test.ts`, '../../../packages/http-shell/src/listen.ts', false],
    [`${shell}/src/listen.ts`, `../../../${service}/src/log.ts`, false],
    [`${shell}/test/listen.test.ts`, `../../../${service}/src/log.ts`, false],
  ]),
  [`${shell}/src/listen.ts`, 'sqlapi', false],
  [`${shell}/src/listen.ts`, '@services/other', true],
  [`${shell}/src/listen.ts`, 'sonic-boom', false],
  ['packages/observe/src/stdout.ts', 'sonic-boom', true],
  ['packages/observe/src/stdout.ts', '../../../services/sqlapi/src/log.ts', false],
  [`${shell}/src/listen.ts`, './bounds.ts', true],
]

/** The folders of xroad-proxy that only main.ts loads, as its other folders would import them. */
const subcommands = ['../mock/pki.ts', '../doctor/command.ts', '../wsdl-command/command.ts']

/** The same and the other service, two folders down. */
const deep = [...subcommands, '../../../sqlapi/src/log.ts'].map((each) => `../${each}`)

/** Files of xroad-proxy and what each of them may import, and may not. */
const borders: { files: string[]; may?: string[]; mayNot: string[] }[] = [
  {
    files: ['boot/dsl/dsl.ts', 'boot/config/yaml.ts', 'boot/config/schema.ts'],
    may: ['../../model.ts', '../../soap/request/template.ts', './nearest.ts', 'node:tls'],
    mayNot: ['../../serve/route.ts', '../../upstream/upstream.ts', ...deep],
  },
  {
    files: ['serve/handle.ts', 'serve/server.ts', 'serve/inbound.ts'],
    may: ['../model.ts', '../soap/message/answer.ts', '../upstream/upstream.ts', 'node:tls'],
    mayNot: ['../boot/config/config.ts', '../wsdl/xml/xml.ts', ...subcommands, '../../../sqlapi/src/log.ts'],
  },
  {
    files: ['upstream/upstream.ts', 'upstream/client.ts'],
    may: ['../model.ts', '../guard/lookup.ts', './causes.ts', 'node:tls'],
    mayNot: ['../serve/handle.ts', '../boot/config/config.ts', ...subcommands, '../../../sqlapi/src/log.ts'],
  },
  {
    files: ['guard/ranges.ts'],
    may: ['../model.ts', './policy.ts', 'node:net'],
    mayNot: ['../upstream/upstream.ts', '../serve/handle.ts', '../boot/config/config.ts', ...subcommands],
  },
  {
    files: ['soap/message/answer.ts', 'soap/request/template.ts', 'soap/json/translate.ts'],
    may: ['./charset.ts', '../json/frame.ts', '../../model.ts', '../../errors.ts', '../../xroad.ts'],
    mayNot: ['../../log.ts', '../../boot/dsl/dsl.ts', '../../serve/handle.ts', 'node:fs', ...deep],
  },
  {
    files: ['mock/server.ts', 'mock/pki.ts'],
    may: ['../errors.ts', './pki.ts', 'node:fs'],
    mayNot: [
      '../boot/yaml.ts',
      '../serve/server.ts',
      '../soap/json/translate.ts',
      '../wsdl/xml/xml.ts',
      '../doctor/command.ts',
      '../wsdl-command/command.ts',
      '../../../sqlapi/src/log.ts',
    ],
  },
  {
    files: ['wsdl/request/write.ts', 'wsdl/xml/xml.ts'],
    may: ['../../model.ts', '../../soap/message/charset.ts', './qname.ts', 'node:fs'],
    mayNot: ['../../boot/dsl/dsl.ts', '../../upstream/upstream.ts', ...deep],
  },
  {
    files: ['wsdl-command/vendor.ts'],
    may: [
      './download.ts',
      '../boot/ingest/files.ts',
      '../guard/lookup.ts',
      '../upstream/upstream.ts',
      '../wsdl/xml/xml.ts',
      '../errors.ts',
      '../model.ts',
      'node:fs',
    ],
    mayNot: [
      '../serve/lanes/soap.ts',
      '../soap/message/answer.ts',
      '../mock/pki.ts',
      '../doctor/facts.ts',
      '../service.ts',
      '../log.ts',
      '../../../sqlapi/src/log.ts',
    ],
  },
  {
    files: ['doctor/facts.ts', 'doctor/probe.ts'],
    may: [
      './finding.ts',
      '../boot/config/config.ts',
      '../soap/message/answer.ts',
      '../wsdl/xml/xml.ts',
      '../upstream/causes.ts',
      '../upstream/upstream.ts',
      '../errors.ts',
      '../model.ts',
      '../xroad.ts',
      'node:tls',
    ],
    mayNot: [
      '../serve/handle.ts',
      '../guard/lookup.ts',
      '../mock/pki.ts',
      '../wsdl-command/explain.ts',
      '../service.ts',
      '../log.ts',
      '../../../sqlapi/src/log.ts',
    ],
  },
  {
    files: ['boot/ingest/ingest.ts'],
    may: ['../../wsdl/request/write.ts', '../config/yaml.ts', '../../guard/policy.ts', 'node:fs'],
    mayNot: ['../../upstream/upstream.ts', ...subcommands.map((each) => `../${each}`)],
  },
  {
    files: ['main.ts'],
    may: [
      './boot/config/config.ts',
      './serve/server.ts',
      './soap/message/answer.ts',
      './mock/command.ts',
      './doctor/command.ts',
      './wsdl-command/command.ts',
    ],
    mayNot: ['../../sqlapi/src/log.ts'],
  },
  {
    files: ['service.ts', 'log.ts', 'xroad.ts'],
    may: ['./errors.ts', './boot/config/config.ts', './serve/server.ts'],
    mayNot: ['./mock/pki.ts', './doctor/command.ts', './wsdl-command/command.ts', '../../sqlapi/src/log.ts'],
  },
  {
    files: ['../test/main.test.ts', '../bench/run.ts', '../tools/a.ts'],
    may: ['../src/mock/pki.ts', '../src/doctor/checks.ts', '../src/wsdl-command/explain.ts'],
    mayNot: ['../../sqlapi/src/log.ts'],
  },
]

const cases = [
  ...folders,
  ...borders.flatMap(({ files, may = [], mayNot }) =>
    files.flatMap((name) => {
      const file = posix.join(proxy, 'src', name)
      return [
        ...may.map((imported) => [file, imported, true] as const),
        ...mayNot.map((imported) => [file, imported, false] as const),
      ]
    }),
  ),
  ...([sqlapi, proxy] as const).flatMap((service) =>
    Object.entries(owners[service]).flatMap(([file, allowed]) =>
      libraries[service].map((name) => [`${service}/${file}`, name, allowed.includes(name)] as const),
    ),
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
