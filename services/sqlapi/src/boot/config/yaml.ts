/**
 * YAML text -> plain data: null, booleans, numbers, strings, arrays, objects. The only file that knows the YAML parser.
 * Whatever is wrong with the text becomes a StartupFailure with file, line and column. What the data means is decided
 * elsewhere (schema.ts, legacy.ts).
 */
import { Composer, LineCounter, Lexer, Parser } from 'yaml'
import type { Document, YAMLError } from 'yaml'
import { StartupFailure } from '../../errors.ts'

export type Mapping = Readonly<Record<string, unknown>>

const limits = { characters: 1_048_576, depth: 50, aliases: 100 }

const options = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: true,
  logLevel: 'silent',
} as const

/** One document with a mapping at its top; a text without any content is the empty mapping. */
export function readYaml(text: string, file: string): Mapping {
  const lines = new LineCounter()
  lines.addNewLine(0)
  const fail = (problem: string, offset: number): never => {
    const { line, col } = lines.linePos(offset)
    throw new StartupFailure('InvalidConfigurationException', `${file}:${line}:${col}: ${problem}`)
  }
  try {
    return compose(text, lines, fail)
  } catch (error) {
    if (error instanceof StartupFailure) throw error
    return fail(`not readable as YAML: ${withoutSource((error as Error).message)}`, 0)
  }
}

type Fail = (problem: string, offset: number) => never

function compose(text: string, lines: LineCounter, fail: Fail): Mapping {
  if (text.length > limits.characters) fail(`longer than ${limits.characters} characters, which no configuration is`, 0)
  const documents = [...new Composer(options).compose(tokens(text, lines, fail))]
  const [document, second] = documents
  for (const each of documents) refuseProblems(each, fail)
  if (second !== undefined) {
    fail('a second document starts here; keep one document in the file (no second "---")', second.range[0])
  }
  const data: unknown = document?.toJS({ maxAliasCount: limits.aliases, reviver: refusePrototype }) ?? {}
  if (typeof data !== 'object' || Array.isArray(data)) fail('expected "field: value" lines at the top of the file', 0)
  return data as Mapping
}

/** The composer recurses once for each level and deep text would end the process; the parser before it does not. */
function* tokens(text: string, lines: LineCounter, fail: Fail) {
  const parser = new Parser(lines.addNewLine)
  let offset = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    offset += lexeme.length
    if (parser.stack.length > limits.depth)
      fail(`nested deeper than ${limits.depth} levels`, Math.min(offset, text.length))
  }
  yield* parser.end()
}

/** Warnings count as well: the parser warns where it has to guess, as with a tag that it does not know. */
function refuseProblems(document: Document.Parsed, fail: Fail): void {
  const [problem]: YAMLError[] = [...document.errors, ...document.warnings]
  if (problem === undefined) return
  // Its many texts have the tag at the front, in the middle or at the end.
  const isTag = problem.code === 'TAG_RESOLVE_FAILED'
  fail(
    isTag ? 'Unresolved tag; a text that begins with ! needs quotes' : withoutSource(problem.message),
    problem.pos[0],
  )
}

/** Validation would pass over this key without a word. */
function refusePrototype(key: unknown, value: unknown): unknown {
  if (key === '__proto__') throw new RangeError('no field may be called __proto__')
  return value
}

/** The parser's messages that quote the text, which may be a password: what they say of it ends before the quotation. */
const quoting: readonly (readonly [message: RegExp, cure: string])[] = [
  [/^(Unresolved alias).*/s, '; a text that begins with * needs quotes'],
  [/^(Block scalar header includes extra characters).*/s, '; a text that begins with | or > needs quotes'],
  [/^(Invalid escape sequence).*/s, String.raw`; in double quotes a \ is written \\`],
  [/^(Unknown directive|Unsupported YAML version|Unexpected [^:]*|[^:"]*(?=: ")).*/s, ''],
]

function withoutSource(message: string): string {
  const [line = message] = message.split('\n', 1)
  const found = quoting.find(([pattern]) => pattern.test(line))
  return found === undefined ? line : line.replace(found[0], `$1${found[1].replaceAll('$', '$$$$')}`)
}
