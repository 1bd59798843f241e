/**
 * Envelopes of generated files against the schemas that they were generated from, as a validator judges them that knows
 * nothing of this service: with only what has to be there, and with everything that may be.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import type { TemplateObject } from '../../../src/model.ts'
import { decodeXml } from '../../../src/soap/message/charset.ts'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { leastOf } from '../../support/bodies/least-body.ts'
import { realFolder, realWsdls, withoutRealWsdls } from '../../support/wsdl/real-wsdls.ts'
import { anchored, openSchemas, standAlone, whyNotCompiled, whyNoXmllint } from '../../support/wsdl/xml-schema.ts'
import { generateAll, renderDsl, resolveIn } from '../../support/wsdl/wsdl.ts'

const skip = withoutRealWsdls === false ? whyNoXmllint() : withoutRealWsdls

describe('envelopes of real WSDLs are valid [D5.1 D5.3 D5.4 P2.4]', { skip }, () => {
  for (const name of realWsdls) {
    test(name, (t) => {
      const path = join(realFolder, name)
      const bytes = readFileSync(path)
      const reason = whyNotCompiled(path, decodeXml(bytes, undefined))
      if (reason !== undefined) return t.skip(reason)
      const wsdl = readWsdl(bytes, path, resolveIn(dirname(path)))
      const minimal = new Map<string, string>()
      const full = new Map<string, string>()
      for (const result of generateAll(wsdl)) {
        if (result.kind === 'skipped') continue
        const { schema, example } = describeRequest(result.request)
        minimal.set(result.name, standAlone(renderDsl(result.text, leastOf(example, schema) as TemplateObject)))
        full.set(result.name, standAlone(renderDsl(result.text, example)))
      }
      if (minimal.size === 0) return
      const schemas = openSchemas(path, decodeXml(bytes, undefined))
      deepStrictEqual(problemsOf(schemas.validate(minimal)), [])
      for (const [name, problem] of problemsOf(schemas.validate(full)))
        ok(anchored.test(problem), `${name}: ${problem}`)
    })
  }
})

function problemsOf(found: ReadonlyMap<string, readonly string[]>): (readonly [name: string, problem: string])[] {
  return [...found].flatMap(([name, problems]) => problems.map((problem) => [name, problem] as const))
}
