/**
 * `node tools/compare/planted.ts [NAME]`: plants one difference after another into a copy of the last commit and runs
 * `compare` on it. Ends with 1 unless each is found, and nothing in the copy as it is. A plant names its place by a
 * text that occurs once in the sources, wherever the file is; if the text has changed, change it here.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '@services/testing'
import { checkOut, repository } from './sides.ts'

interface Plant {
  readonly name: string
  /** Part of the comparison that must find it. */
  readonly part: string
  /** Text of the sources, and what replaces it. */
  readonly from: string
  readonly to: string
  /** The report has this line. */
  readonly found: RegExp
}

const plants: readonly Plant[] = [
  {
    name: 'case of a header',
    part: 'examples',
    from: `'access-control-expose-headers': 'X-Request-Id'`,
    to: `'Access-Control-Expose-Headers': 'X-Request-Id'`,
    found: /^ {2}\+ Access-Control-Expose-Headers/m,
  },
  {
    name: 'word of a message',
    part: 'examples',
    from: 'there is no endpoint at this path; ',
    to: 'there is no endpoint at that path; ',
    found: /^ {2}\+ .*at that path/m,
  },
  {
    name: 'status',
    part: 'examples',
    from: 'template_not_found: 404',
    to: 'template_not_found: 400',
    found: /^ {2}\+ HTTP\/1\.1 400/m,
  },
  {
    name: 'label of a metric',
    part: 'examples',
    from: `shared with others', 'datasource', 'lane')`,
    to: `shared with others', 'datasource', 'track')`,
    found: /^ {2}\+ sqlapi_calls_total.*track/m,
  },
  {
    name: 'field of the log',
    part: 'examples',
    from: 'waitedMs: waitedMs === undefined',
    to: 'queuedMs: waitedMs === undefined',
    found: /^ {2}\+ .*queuedMs=/m,
  },
  {
    name: 'exit code',
    part: 'commands of sqlapi',
    from: 'usage: 2,',
    to: 'usage: 3,',
    found: /^ {2}\+ exit code 3/m,
  },
  {
    name: 'order of keys in the description',
    part: 'examples',
    from: `      operationId: names.single,
      ...words(operation),
      parameters`,
    to: `      ...words(operation),
      operationId: names.single,
      parameters`,
    found: /asked: GET \/openapi\.json/,
  },
  {
    name: 'byte of a generated DSL file',
    part: 'SOAP cases',
    from: `const sourceMark = '# Source: '`,
    to: `const sourceMark = '# Source:  '`,
    found: /file .*\.yml/,
  },
  {
    name: 'header that is sent to the Security Server',
    part: 'SOAP cases',
    from: '[\'SOAPAction\', `"${action}"`]',
    to: '[\'SoapAction\', `"${action}"`]',
    found: /^ {2}\+ SoapAction/m,
  },
  {
    name: 'line break at the end of what a command prints',
    part: 'commands of sqlapi',
    from: 'process.stdout.write(`${writeDocument(toApi(facts, await askAll(facts, types)), indent)}\\n`)',
    to: 'process.stdout.write(`${writeDocument(toApi(facts, await askAll(facts, types)), indent)}`)',
    found: /asked: sqlapi openapi/,
  },
  {
    name: 'byte of the lock file',
    part: 'commands of sqlapi',
    from: '`"kind": ${JSON.stringify(kind)}`',
    to: '`"kind":  ${JSON.stringify(kind)}`',
    found: /file .*sqlapi\.lock\.json/,
  },
  {
    name: 'version of the lock file, which the old version refuses',
    part: 'way back',
    from: 'export const lockVersion = 1',
    to: 'export const lockVersion = 2',
    found: /the old version reads its own and the files of the new one/,
  },
]

const chosen = plants.filter(({ name }) => name.includes(process.argv[2] ?? ''))
const tree = join(newFolder(), 'tree')
checkOut('HEAD', tree)
const sources = globSync(['packages/*/src/**/*.ts', 'services/*/src/**/*.ts', '{kit,engines,mock}/**/*.ts'], {
  cwd: tree,
})
let isRight = true
for (const part of new Set(chosen.map((plant) => plant.part))) {
  const { status, stdout } = compare(part)
  say(status === 0, `nothing is found without a plant: ${part}`, stdout)
}
for (const { name, part, from, to, found } of chosen) {
  const places = sources.map((path) => join(tree, path)).filter((path) => readFileSync(path, 'utf8').includes(from))
  const [place] = places
  if (place === undefined || places.length > 1) {
    say(false, name, `${places.length} sources have the text ${from}`)
    continue
  }
  const text = readFileSync(place, 'utf8')
  writeFileSync(
    place,
    text.replace(from, () => to),
  )
  const { status, stdout } = compare(part)
  say(status === 1 && found.test(stdout), `found: ${name}`, stdout)
  writeFileSync(place, text)
}
process.exitCode = isRight ? 0 : 1

function compare(part: string): { readonly status: number | null; readonly stdout: string } {
  const program = join(import.meta.dirname, 'compare.ts')
  const base = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: repository, encoding: 'utf8' }).trim()
  return spawnSync(process.execPath, [program, base, '--tree', tree, '--only', part], { encoding: 'utf8' })
}

function say(isAsExpected: boolean, what: string, output: string): void {
  console.log(`${isAsExpected ? 'right' : 'WRONG'}  ${what}`)
  if (isAsExpected) return
  isRight = false
  console.log(output)
}
