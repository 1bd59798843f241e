/**
 * Whatever passes the check of a request makes an envelope that is valid against the WSDL, and whatever fits the JSON
 * Schema of /api passes: random bodies and what is left of them after somebody has changed them, as xmllint judges
 * their envelopes. Made-up WSDLs always, those of real registers where a folder is named.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import type { TemplateObject } from '../../../../src/model.ts'
import { toRequestCheck } from '../../../../src/soap/check/check.ts'
import { CompiledContracts } from '../../../../src/soap/check/compiled-contracts.ts'
import type { JsonObject } from '../../../../src/soap/check/values.ts'
import { decodeXml } from '../../../../src/soap/message/charset.ts'
import { readDocument } from '../../../../src/soap/request/params.ts'
import { RequestContracts } from '../../../../src/wsdl/description/request-contract.ts'
import { describeRequest } from '../../../../src/wsdl/description/request-schema.ts'
import { readWsdl } from '../../../../src/wsdl/operations/operations.ts'
import { MangledBodies } from '../../../support/bodies/mangled-body.ts'
import { RandomBodies } from '../../../support/bodies/random-body.ts'
import { realFolder, realWsdls, withoutRealWsdls } from '../../../support/wsdl/real-wsdls.ts'
import { requestSchemas } from '../../../support/wsdl/request-schemas.ts'
import { generateAll, rendererOf, resolveIn, wsdlAround } from '../../../support/wsdl/wsdl.ts'
import { anchored, openSchemas, standAlone, whyNotCompiled, whyNoXmllint } from '../../../support/wsdl/xml-schema.ts'

const noXmllint = whyNoXmllint()

interface Judged {
  readonly operations: number
  /** Bodies that were let through, and those that were not. */
  readonly passed: number
  readonly refused: number
  /** What was let through and makes an envelope that is not valid. */
  readonly invalid: readonly string[]
}

function judge(path: string, bytes: Uint8Array, bodies: number, seed: number): Judged {
  const wsdl = readWsdl(bytes, path, resolveIn(dirname(path)))
  const random = new RandomBodies(seed)
  const mangled = new MangledBodies(seed)
  const contracts = new RequestContracts()
  const envelopes = new Map<string, string>()
  let operations = 0
  let refused = 0
  for (const result of generateAll(wsdl)) {
    if (result.kind === 'skipped') continue
    operations += 1
    const root = contracts.add(result.request)
    // As a later start has them.
    const check = toRequestCheck(
      new CompiledContracts(JSON.parse(JSON.stringify(contracts)) as RequestContracts),
      root,
      () => undefined,
    )
    const { schema } = describeRequest(result.request)
    const render = rendererOf(result.text)
    for (let index = 0; index < bodies; index += 1) {
      const fitting = random.next(schema)
      const read = readDocument(Buffer.from(JSON.stringify(fitting)))
      deepStrictEqual(check(read as JsonObject), [], `${result.name}: ${JSON.stringify(fitting)}`)
      const sent = JSON.stringify(mangled.next(fitting)) ?? 'null'
      const document = readDocument(Buffer.from(sent))
      const problems = typeof document === 'string' ? [document] : check(document)
      if (problems.length > 0) refused += 1
      else envelopes.set(`${result.name} ${index} ${sent}`, standAlone(render(JSON.parse(sent) as TemplateObject)))
    }
  }
  if (envelopes.size === 0) return { operations, passed: 0, refused, invalid: [] }
  const found = openSchemas(path, decodeXml(bytes, undefined)).validate(envelopes)
  const invalid = [...found].flatMap(([name, [problem]]) =>
    problem === undefined || spaced.test(problem) ? [] : [`${problem} for ${name}`],
  )
  return { operations, passed: envelopes.size, refused, invalid }
}

/** XML Schema collapses white space around such values, and xmllint forgets that for some types. */
const spaced = /Element '[^']*': '(?:\s[^]*|[^]*\s)' is not a valid value of the (?:local )?atomic type/

describe('what passes the check makes a valid envelope [P4.1 P4.2]', { skip: noXmllint }, () => {
  for (const [title, schema] of Object.entries(requestSchemas)) {
    test(title, (t) => {
      const text = wsdlAround(`${schema}<x:element name="opResponse"/>`, 'elementFormDefault="qualified"')
      const bodies = Number(process.env['XROAD_PROXY_RANDOM_BODIES'] ?? 300)
      const { operations, passed, refused, invalid } = judge(
        join(newFolder(), 'api.wsdl'),
        Buffer.from(text),
        bodies,
        Number(process.env['SEED'] ?? 1),
      )
      t.diagnostic(`${passed} passed, ${refused} refused`)
      deepStrictEqual([operations, invalid], [1, []])
      ok(passed > 20 && refused > 20, `${passed} passed, ${refused} refused`)
    })
  }
})

const skip = withoutRealWsdls === false ? noXmllint : withoutRealWsdls

describe('what passes the check makes a valid envelope for real WSDLs [P4.2]', { skip }, () => {
  for (const [index, name] of realWsdls.entries()) {
    test(name, (t) => {
      const path = join(realFolder, name)
      const bytes = readFileSync(path)
      const reason = whyNotCompiled(path, decodeXml(bytes, undefined))
      if (reason !== undefined) return t.skip(reason)
      const { operations, passed, refused, invalid } = judge(path, bytes, 4, index)
      t.diagnostic(`${operations} operations: ${passed} bodies passed, ${refused} refused`)
      deepStrictEqual(
        invalid.filter((problem) => !anchored.test(problem)),
        [],
      )
    })
  }
})
