/** Mistakes of a new user in files and on the command line: each message says what is wrong, where, and what helps. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { misplacedWsdls, surveyEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { readFlags } from '../../../src/boot/flags.ts'
import { listWsdls } from '../../../src/boot/ingest/folder.ts'

const rest = 'kind: rest\nmethod: get\ntarget: {member_class: A, member_code: B, subsystem_code: C, service_code: D}\n'

test('files that are not read, or directly in dsl_path, are an INFO [G9]', () => {
  const description = JSON.stringify({ openapi: '3.0.3', info: { title: 't', version: '1' }, paths: {} })
  const folder = newFolder({
    'DSL/top.yml': rest,
    'DSL/g/x.json': '{}',
    'DSL/g/x.xml': '<a/>',
    'DSL/g/note.txt': '',
    'DSL/g/x.md': '',
    'DSL/h/api.wsdl': '<a/>',
    'DSL/h/api.vendor.json': '{}',
    'DSL/i/s.yml': rest.replace('method: get', 'openapi: s.json'),
    'DSL/i/s.json': description,
  })
  const { notices, warnings } = surveyEndpoints(join(folder, 'DSL'))
  deepStrictEqual(warnings, [])
  const shown = notices.map((notice) => notice.replaceAll(`${folder}/`, ''))
  const unread = 'is not read; a DSL file ends in .yml or .yaml, so rename it if it is one'
  deepStrictEqual(shown, [
    ...['note.txt', 'x.json', 'x.xml'].map((name) => `DSL/g/${name}: ${unread}`),
    'DSL/top.yml: lies directly in dsl_path, so its path is /DSL/top; in a folder <name>/ it is /<name>/top',
  ])
  const many = newFolder(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`g/${index}.json`, ''])))
  const told = surveyEndpoints(many).notices
  strictEqual(told.length, 11)
  match(told.at(-1) ?? '', /: and 20 more files that are not read$/)
})

test('WSDL files below dsl_path are an INFO, unless wsdl_watch_dir is there [G9]', () => {
  const folder = newFolder({ 'DSL/h/api.wsdl': '<a/>', 'DSL/h/api.xsd': '<a/>', 'DSL/wsdl/o/b.wsdl': '<a/>' })
  const { wsdls } = surveyEndpoints(join(folder, 'DSL'))
  const told = (dir: string | undefined): string[] =>
    misplacedWsdls(wsdls, dir).map((notice) => notice.replaceAll(`${folder}/`, ''))
  const h = 'DSL/h/api.wsdl: is not read here; move it to <owner>/api.wsdl below wsdl_watch_dir'
  deepStrictEqual(told(undefined), [h, h.replace('h/api', 'wsdl/o/b').replace('api', 'b')])
  deepStrictEqual(told(join(folder, 'DSL/wsdl')), [h])
  deepStrictEqual(told(join(folder, 'DSL')), [])
  const many = Array.from({ length: 12 }, (_, index) => `x/${index}.wsdl`)
  deepStrictEqual(misplacedWsdls(many, undefined).at(-1), 'and 2 more WSDL files that are not read')
})

test('an address as target is told as one [G9]', () => {
  const text = 'kind: rest\nmethod: GET\ntarget: https://x.example/a\n'
  throws(() => readDsl(text, { file: 's.yml', group: 'g', service: 's' }), {
    message:
      /^s\.yml:3: target: found a text, expected the fields member_class, .*; an address is not taken here, write/,
  })
})

test('WSDL files that are not read are told with the place or name that is [G9]', () => {
  const folder = newFolder({
    'o/s/deep/er/a.wsdl': '',
    'o/s/deep/b.xsd': '',
    'p/api.xml': '',
    'o/part.xml': '',
    'o/My Service.wsdl': '',
  })
  const { wsdls, warnings } = listWsdls(folder)
  deepStrictEqual(
    wsdls.map(({ file }) => file),
    ['o/My Service.wsdl'],
  )
  const shown = warnings.map((warning) => warning.replaceAll(`${folder}/`, ''))
  deepStrictEqual(shown, [
    'o/s/deep/er/a.wsdl: lies too deep for endpoints of its own; unless another WSDL imports it, move it to <owner>/ or <owner>/<subsystem>/',
    'p/api.xml: is not read as a WSDL; if it is one, give it a name that ends in .wsdl',
  ])
})

test('a sidecar without its WSDL names the one that lacks a sidecar [G9]', () => {
  const folder = newFolder({ 'o/a.wsdl': '', 'o/a.meta.yaml': '', 'o/b.wsdl': '', 'o/c.meta.yaml': '' })
  deepStrictEqual(
    listWsdls(folder).warnings.map((warning) => warning.replaceAll(`${folder}/`, '')),
    ['o/c.meta.yaml: has no c.wsdl beside it; for b.wsdl it is called b.meta.yaml'],
  )
})

test('commands of other programs lead to ours [G9]', () => {
  for (const [given, meant] of Object.entries({ validate: 'doctor', check: 'doctor', start: 'serve', serv: 'serve' })) {
    const told = readFlags([given])
    ok('text' in told)
    match(told.text, new RegExp(`unknown command "${given}"; did you mean ${meant}\\?`))
  }
})
