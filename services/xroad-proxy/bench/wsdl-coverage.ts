/**
 * `npm run bench:wsdl`: what becomes of the operations of the WSDL files below the folder that XROAD_PROXY_REAL_WSDLS
 * names, and how many of those that are generated send an envelope that xmllint accepts: with what has to be there, and
 * with random bodies, which take all branches of choices. `--write` puts the table into README.md. Ends with 1 where an
 * envelope is not accepted.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { resultMarkers, table, writeBetween } from '@services/bench'
import type { TemplateObject } from '../src/model.ts'
import { decodeXml } from '../src/soap/message/charset.ts'
import { describeRequest } from '../src/wsdl/description/request-schema.ts'
import type { GeneratedDsl } from '../src/wsdl/dsl/write.ts'
import { readWsdl } from '../src/wsdl/operations/operations.ts'
import type { SkipReason } from '../src/wsdl/operations/reasons.ts'
import { leastOf } from '../test/support/bodies/least-body.ts'
import { RandomBodies } from '../test/support/bodies/random-body.ts'
import { generateAll, renderDsl, resolveIn } from '../test/support/wsdl/wsdl.ts'
import { anchored, openSchemas, standAlone, whyNoXmllint, whyNotCompiled } from '../test/support/wsdl/xml-schema.ts'
import { folderVariable } from './boot/wsdl.ts'

/** Of operations whose schema or port type the WSDL does not have. */
const absent: ReadonlySet<SkipReason> = new Set(['no_port_type_operation', 'input_unresolved', 'type_missing'])
const randomBodies = 5

interface Covered {
  readonly file: string
  readonly operations: number
  readonly whole: number
  readonly generated: number
  /** Of the generated ones, those with a choice in their request. */
  readonly withChoice: number
  readonly accepted: number
  readonly envelopes: number
  /** Why others are skipped, and what xmllint says. */
  readonly notes: readonly string[]
}

function cover(folder: string, file: string, seed: number): Covered {
  const path = join(folder, file)
  const bytes = readFileSync(path)
  const results = generateAll(readWsdl(bytes, file, resolveIn(dirname(path))))
  const made = results.flatMap((result) => (result.kind === 'generated' ? [result] : []))
  const skipped = results.flatMap((result) => (result.kind === 'skipped' ? [result.reason] : []))
  const text = decodeXml(bytes, undefined)
  const unread = made.length === 0 ? undefined : whyNotCompiled(path, text)
  const envelopes = new Map(unread === undefined ? made.flatMap((result) => envelopesOf(result, seed)) : [])
  const found =
    envelopes.size === 0 ? new Map<string, readonly string[]>() : openSchemas(path, text).validate(envelopes)
  const refused = [...found].filter(([, problems]) => problems.some((problem) => !anchored.test(problem)))
  const judged = new Set([...found.keys()].map(operationOf))
  for (const [name] of refused) judged.delete(operationOf(name))
  return {
    file,
    operations: results.length,
    whole: results.length - skipped.filter((reason) => absent.has(reason)).length,
    generated: made.length,
    withChoice: made.filter(({ text }) => /^choices:$/m.test(text)).length,
    accepted: judged.size,
    envelopes: envelopes.size,
    notes: [
      ...Array.from(
        Map.groupBy(skipped, (reason) => reason),
        ([reason, all]) => `${all.length} ${reason}`,
      ),
      ...(unread === undefined ? [] : [unread]),
      ...refused.map(([name, [problem = '']]) => `${operationOf(name)}: ${problem}`),
    ],
  }
}

function envelopesOf({ name, text, request }: GeneratedDsl, seed: number): (readonly [string, string])[] {
  const { schema, example } = describeRequest(request)
  const random = new RandomBodies(seed)
  const bodies = [leastOf(example, schema), ...Array.from({ length: randomBodies }, () => random.next(schema))]
  return bodies.map((body, index) => [`${name} ${index}`, standAlone(renderDsl(text, body as TemplateObject))] as const)
}

function operationOf(name: string): string {
  return name.replace(/ \d+$/, '')
}

function toTable(covered: readonly Covered[]): string {
  const sum = (pick: (each: Covered) => number): string =>
    String(covered.reduce((total, each) => total + pick(each), 0))
  const rows = covered.map((wsdl) => [
    wsdl.file,
    ...[wsdl.operations, wsdl.whole, wsdl.generated, wsdl.withChoice, wsdl.accepted, wsdl.envelopes].map(String),
    wsdl.notes.join('; '),
  ])
  const sums = ['all', sum((wsdl) => wsdl.operations), sum((wsdl) => wsdl.whole), sum((wsdl) => wsdl.generated)]
  const others = [sum((wsdl) => wsdl.withChoice), sum((wsdl) => wsdl.accepted), sum((wsdl) => wsdl.envelopes), '']
  const head = [
    'WSDL',
    'operations',
    'with schema and port type',
    'generated',
    'with a choice',
    'accepted by xmllint',
    'envelopes',
    'skipped',
  ]
  return table(head, [...rows, [...sums, ...others]], 1).join('\n')
}

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const folder = process.env[folderVariable]
const obstacle = folder === undefined ? `${folderVariable} names no folder` : whyNoXmllint()
if (folder === undefined || obstacle !== false) throw new Error(String(obstacle))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.wsdl'))
  .toSorted()
const covered = files.map((file, index) => cover(folder, file, index))
const markdown = toTable(covered)
console.log(markdown)
if (values.write) writeBetween(new URL('README.md', import.meta.url), resultMarkers('bench:wsdl'), markdown)
if (covered.some(({ generated, accepted }) => accepted < generated)) process.exitCode = 1
