/**
 * WSDLs of real registers, which are not part of the project: a folder of folders, named by XROAD_PROXY_REAL_WSDLS.
 * Whatever they hold, every operation is generated or skipped for a reason, the service reads what was generated, and
 * the schemas of callers and answers can be made.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { loadEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { ingestWsdls } from '../../../src/boot/ingest/ingest.ts'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { ResponseSchemas } from '../../../src/wsdl/description/response-schema.ts'
import { generatedFloors } from '../../support/wsdl/real-floors.ts'
import { realFolder, realWsdls, withoutRealWsdls } from '../../support/wsdl/real-wsdls.ts'
import { generateAll, resolveIn } from '../../support/wsdl/wsdl.ts'
import { nobody } from '../../support/wsdl/wsdl-folder.ts'

const skip = withoutRealWsdls

describe(
  'real WSDLs: every operation is generated or has a reason, and none is lost [S-wsdl.1 S-wsdl.2 S-wsdl.4 X23 P2.4]',
  { skip },
  () => {
    for (const name of realWsdls) {
      test(name, () => {
        const path = join(realFolder, name)
        const wsdl = readWsdl(readFileSync(path), name, resolveIn(dirname(path)))
        const answers = new ResponseSchemas(wsdl, (key) => `#/${key}`)
        const results = generateAll(wsdl)
        ok(results.length > 0)
        const floor = generatedFloors[`${name} ${results.length}`] ?? 0
        ok(
          results.filter(({ kind }) => kind === 'generated').length >= floor,
          `fewer than ${floor} operations are generated`,
        )
        for (const result of results) {
          if (result.kind === 'skipped') continue
          const { endpoint } = readDsl(result.text, { file: result.name, group: 'group', service: result.name })
          ok(endpoint.kind === 'soap')
          const { schema, example } = describeRequest(result.request)
          deepStrictEqual(Object.keys((schema['properties'] ?? {}) as object), endpoint.params)
          const others = endpoint.choices.flatMap(({ branches }) => branches.slice(1).flatMap(({ params }) => params))
          const ruledOut = new Set(others)
          const shown = endpoint.params.filter((name) => Object.hasOwn(example, name) || !ruledOut.has(name))
          deepStrictEqual(Object.keys(example), shown)
        }
        for (const operation of wsdl.operations) {
          if (operation.kind === 'operation' && operation.output !== undefined)
            ok('properties' in answers.describe(operation.output))
        }
        const references = JSON.stringify([...answers.definitions.values()]).matchAll(/"\$ref":"#\/([^"]+)"/g)
        for (const [, key = ''] of references) strictEqual(answers.definitions.has(key), true, key)
      })
    }
  },
)

test(
  'a folder of real WSDLs is read in moments, and twice to the same bytes [S-wsdl.1 S-generated.3]',
  { skip },
  () => {
    const dslPath = join(newFolder(), 'DSL')
    const read = () =>
      ingestWsdls({ dir: realFolder, dslPath, client: nobody, allowHttp: false, hostAllowlist: [], write: true })
    const bytes = ({ generated }: ReturnType<typeof read>) =>
      [...generated.keys()].map((path) => [path, readFileSync(path, 'utf8'), statSync(path, { bigint: true }).mtimeNs])
    const first = bytes(read())
    deepStrictEqual(bytes(read()), first)
    ok(first.length > 0)
    const { endpoints, warnings } = loadEndpoints(dslPath)
    deepStrictEqual([endpoints.length, warnings], [first.length, []])
  },
)
