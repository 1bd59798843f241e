/** What a start remembers of WSDL files: used as long as nothing has changed, and never beyond. */
import { deepStrictEqual, notDeepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { ingestWsdls, type IngestOptions } from '../../../src/boot/ingest/ingest.ts'
import { startTypedService } from '../../support/wsdl/typed-service.ts'
import { wsdlAround } from '../../support/wsdl/wsdl.ts'
import { nobody } from '../../support/wsdl/wsdl-folder.ts'

const schema = `<x:include schemaLocation="types.xsd"/><x:element name="op"><x:complexType><x:sequence>
  <x:element name="a" type="t:code"/></x:sequence></x:complexType></x:element><x:element name="opResponse" type="t:code"/>`
const types = (base: string) =>
  `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><x:simpleType name="code"><x:restriction base="x:${base}"/></x:simpleType></x:schema>`

interface Tree {
  readonly options: IngestOptions
  readonly wsdl: (name: string, text: string) => void
  /** Modification times of what is remembered, and the texts of DSL files. */
  readonly state: () => { readonly memory: readonly bigint[]; readonly dsl: readonly string[] }
}

function newTree(): Tree {
  const root = newFolder()
  const dslPath = join(root, 'DSL')
  const dir = join(root, 'wsdl')
  const write = (name: string, text: string): void => {
    mkdirSync(join(dir, 'owner'), { recursive: true })
    writeFileSync(join(dir, 'owner', name), text)
  }
  write('api.wsdl', wsdlAround(schema))
  write('types.xsd', types('string'))
  const list = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name))
  return {
    options: { dir, dslPath, client: nobody, allowHttp: false, hostAllowlist: [], write: true },
    wsdl: write,
    state: () => ({
      memory: list(join(dslPath, '.xroad-proxy')).map((file) => statSync(file, { bigint: true }).mtimeNs),
      dsl: list(join(dslPath, 'owner')).map((file) => readFileSync(file, 'utf8')),
    }),
  }
}

const wordsOf = ({ warnings, report }: ReturnType<typeof ingestWsdls>) => ({ warnings, report })

describe('a start remembers what became of WSDL files [X23]', () => {
  test('what has not changed is not worked out again, and gives the same', () => {
    const { options, state } = newTree()
    const first = ingestWsdls(options)
    const before = state()
    const second = ingestWsdls(options)
    deepStrictEqual(state(), before)
    deepStrictEqual(wordsOf(second), wordsOf(first))
    deepStrictEqual([...second.generated.keys()], [...first.generated.keys()])
    const [[, from] = []] = second.generated
    deepStrictEqual([from?.operation.name, from?.request.children.length, from?.notes], ['op', 1, []])
  })

  const changes: Readonly<Record<string, (tree: Tree) => IngestOptions | void>> = {
    'the WSDL': ({ wsdl }) => wsdl('api.wsdl', wsdlAround(schema.replace('name="a"', 'name="b"'))),
    'a file that it includes': ({ wsdl }) => wsdl('types.xsd', types('int')),
    'a file that it includes is gone': ({ options }) => rmSync(join(options.dir, 'owner/types.xsd')),
    'its sidecar': ({ wsdl }) => wsdl('api.meta.yaml', 'service_code: other\n'),
    'who we are': ({ options }) => ({ ...options, client: { ...nobody, memberCode: '7' } }),
    'which hosts may be called': ({ options }) => ({ ...options, hostAllowlist: ['example.org'] }),
    'what is remembered is broken': ({ options: { dslPath } }) => {
      for (const name of readdirSync(join(dslPath, '.xroad-proxy')))
        writeFileSync(join(dslPath, '.xroad-proxy', name), '{')
    },
    'what is remembered is gone': ({ options: { dslPath } }) =>
      rmSync(join(dslPath, '.xroad-proxy'), { recursive: true }),
  }
  for (const [title, change] of Object.entries(changes)) {
    test(`it is worked out again after a change: ${title}`, () => {
      const tree = newTree()
      ingestWsdls(tree.options)
      const { memory } = tree.state()
      const options = change(tree) ?? tree.options
      const again = ingestWsdls(options)
      notDeepStrictEqual(tree.state().memory, memory)
      rmSync(join(options.dslPath, '.xroad-proxy'), { recursive: true })
      deepStrictEqual(ingestWsdls(options).report, again.report)
    })
  }

  test('a file that was missing and is there now is noticed', () => {
    const tree = newTree()
    rmSync(join(tree.options.dir, 'owner/types.xsd'))
    strictEqual(ingestWsdls(tree.options).generated.size, 0)
    tree.wsdl('types.xsd', types('string'))
    strictEqual(ingestWsdls(tree.options).generated.size, 1)
  })

  test('a DSL file that was edited or removed is made anew, byte for byte', () => {
    const tree = newTree()
    ingestWsdls(tree.options)
    const { dsl } = tree.state()
    const path = join(tree.options.dslPath, 'owner/op.yml')
    writeFileSync(path, `${dsl[0]}# more\n`)
    ingestWsdls(tree.options)
    deepStrictEqual(tree.state().dsl, dsl)
    rmSync(path)
    ingestWsdls(tree.options)
    deepStrictEqual(tree.state().dsl, dsl)
  })

  test('what is remembered of a WSDL that is gone is removed', () => {
    const tree = newTree()
    ingestWsdls(tree.options)
    rmSync(join(tree.options.dir, 'owner/api.wsdl'))
    ingestWsdls(tree.options)
    deepStrictEqual(readdirSync(join(tree.options.dslPath, '.xroad-proxy')), [])
  })

  test('a WSDL that is written between two looks at it is told in words, with the cure, whatever is left of it [O3.1]', () => {
    const rewritten: readonly (readonly [file: string, text: string])[] = [
      ['api.wsdl', wsdlAround(schema).slice(0, 100)],
      ['api.wsdl', wsdlAround(schema.replace('name="a"', 'name="b"'))],
      ['types.xsd', types('int')],
      ['api.meta.yaml', 'service_code: other\n'],
    ]
    for (const [file, text] of rewritten) {
      const { options, wsdl } = newTree()
      ingestWsdls(options)
      const remembered = ingestWsdls(options)
      wsdl(file, text)
      const [[, from] = []] = remembered.generated
      throws(() => from?.request, {
        name: 'StartupFailure',
        code: 'wsdl_lost',
        message: /api\.wsdl: changed while it was read; when it is whole, start the service or send SIGHUP once more$/,
      })
    }
  })

  test('without write nothing is remembered', () => {
    const { options } = newTree()
    ingestWsdls({ ...options, write: false })
    deepStrictEqual(readdirSync(join(options.dir, '..')), ['wsdl'])
  })
})

test('/api is the same at the second start, and follows a change of a DSL file [X23]', async () => {
  const root = newFolder({ 'wsdl/owner/api.wsdl': wsdlAround('<x:element name="op" type="x:int"/>') })
  const config = { wsdl_watch_dir: join(root, 'wsdl'), dsl_path: join(root, 'DSL') }
  const apiOf = async (): Promise<string> => {
    const service = await startTypedService({ config })
    try {
      return JSON.stringify(await service.api())
    } finally {
      await service.close()
    }
  }
  const first = await apiOf()
  ok(first.includes('/owner/op'))
  strictEqual(await apiOf(), first)
  writeFileSync(join(root, 'DSL/owner/mine.yml'), 'params: [x]\nmethod: POST\nenvelope: <a>{{x}}</a>\n')
  const changed = await apiOf()
  ok(changed.includes('/owner/mine') && changed.includes('/owner/op'))
})
