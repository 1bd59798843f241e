/**
 * YAML text -> plain data: null, text, lists, mappings; numbers and booleans keep the text that they were written as, so
 * that `4.0` and `00123` can still be strings. The only file that knows the YAML parser. Whatever is wrong with the text
 * becomes a `YamlError` with line and column. Where a field stands is found by reading again: only messages need it.
 * What the data means is decided elsewhere (schema.ts, dsl.ts).
 */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, Parser, Schema } from 'yaml'
import type { Alias, Document, Node, Scalar, YAMLError, YAMLMap } from 'yaml'
import { Literal } from './literal.ts'
import { readPlainYaml } from './yaml-plain.ts'

export type Data = null | string | Literal | readonly Data[] | Mapping
export interface Mapping {
  readonly [key: string]: Data
}

/** Steps from the top of the file to a value. */
export type Path = readonly PropertyKey[]

/** The text is no YAML, or YAML that no file here needs. Both numbers count from 1. */
export class YamlError extends Error {
  readonly line: number
  readonly column: number

  constructor(problem: string, line: number, column: number) {
    super(problem)
    this.name = 'YamlError'
    this.line = line
    this.column = column
  }
}

const limits = { characters: 1_048_576, depth: 50, messageCharacters: 200, aliases: 100 }

const options = {
  version: '1.2',
  // One for all files: without known tags nothing is ever added to it.
  schema: new Schema({ schema: 'core', merge: false, resolveKnownTags: false }),
  stringKeys: true,
  // Left to toMapping: the parser compares each key with each other one.
  uniqueKeys: false,
  logLevel: 'silent',
} as const

/** One document with a mapping at its top; a text without any content is the empty mapping. */
export function readYaml(text: string): Mapping {
  const isLong = text.length > limits.characters
  return (isLong ? undefined : readPlainYaml(text)) ?? readAnyYaml(text)
}

/** Without the short cut. */
export function readAnyYaml(text: string): Mapping {
  return onProblem(text, () => {
    const top = composeDocument(text)
    const data = top === null ? {} : toData(top, { nodes: new Map(), left: limits.aliases })
    if (top === null || isMap(top)) return data as Mapping
    return isScalar(top) && data === null ? {} : fail('expected "field: value" lines at the top of the file', 0)
  })
}

/** The line of a field; of the innermost group around it, where it is missing. For text that `readYaml` has read. */
export function lineOf(text: string, path: Path): number {
  return lineAt(text, find(text, path).offset)
}

/**
 * The line of the first character of a text, where its lines are lines of the file: below the bar of a literal block.
 * Undefined for the other spellings, which fold lines.
 */
export function firstLineOf(text: string, path: Path): number | undefined {
  const { node } = find(text, path)
  return isScalar(node) && node.type === 'BLOCK_LITERAL' && node.range ? lineAt(text, node.range[0]) + 1 : undefined
}

/** Carries an offset to where the text is known. */
class Refusal extends Error {
  readonly offset: number

  constructor(problem: string, offset: number) {
    super(problem)
    this.offset = offset
  }
}

function fail(problem: string, offset: number): never {
  throw new Refusal(problem, offset)
}

function onProblem<Result>(text: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const offset = error instanceof Refusal ? Math.min(error.offset, text.length) : 0
    const problem = firstLine((error as Error).message)
    const before = text.slice(0, offset)
    throw new YamlError(
      error instanceof Refusal ? problem : `not readable as YAML: ${problem}`,
      lineAt(text, offset),
      offset - before.lastIndexOf('\n'),
    )
  }
}

function composeDocument(text: string): Node | null {
  if (text.length > limits.characters) fail(`longer than ${limits.characters} characters`, 0)
  const control = controlCharacters.exec(text)
  if (control !== null) fail(`control character ${codeOf(control[0])}; YAML allows none`, control.index)
  const documents = [...new Composer(options).compose(tokens(text))]
  const [document, second] = documents
  for (const each of documents) refuseProblems(each)
  if (second !== undefined) {
    fail('a second document starts here; keep one document in the file (no second "---")', second.range[0])
  }
  return document?.contents ?? null
}

// oxlint-disable-next-line no-control-regex
const controlCharacters = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** The composer recurses once for each level and deep text would end the process; the parser before it does not. */
function* tokens(text: string) {
  const parser = new Parser()
  let offset = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    offset += lexeme.length
    if (parser.stack.length > limits.depth) fail(`nested deeper than ${limits.depth} levels`, offset)
  }
  yield* parser.end()
}

/** Warnings count as well: the parser warns where it has to guess, as with a tag that it does not know. */
function refuseProblems(document: Document.Parsed): void {
  const [problem]: YAMLError[] = [...document.errors, ...document.warnings]
  if (problem !== undefined) fail(problem.message, problem.pos[0])
}

/** Nodes with a name, as far as they have been read, and how often they may still be repeated. */
interface Anchors {
  readonly nodes: Map<string, Node>
  left: number
}

function toData(node: unknown, anchors: Anchors): Data {
  if (isAlias(node)) return toRepeated(node, anchors)
  const data = toOwnData(node, anchors)
  // Named only now, so that nothing can repeat what it stands in.
  const { anchor } = node as { readonly anchor?: string }
  if (anchor !== undefined) anchors.nodes.set(anchor, node as Node)
  return data
}

function toOwnData(node: unknown, anchors: Anchors): Data {
  if (isScalar(node)) return toScalar(node)
  if (isMap(node)) return toMapping(node, anchors)
  return isSeq(node) ? node.items.map((item) => toData(item, anchors)) : null
}

/** A few repetitions of repetitions would otherwise fill the memory. */
function toRepeated(alias: Alias, anchors: Anchors): Data {
  const node = anchors.nodes.get(alias.source)
  if (node === undefined) return fail(`nothing above is named &${alias.source}`, offsetOf(alias))
  anchors.left -= 1
  if (anchors.left < 0) fail(`more than ${limits.aliases} aliases`, offsetOf(alias))
  return toData(node, anchors)
}

function toScalar({ value, source = '' }: Scalar): Data {
  return typeof value === 'number' || typeof value === 'boolean' ? new Literal(source, value) : (value as string | null)
}

function toMapping({ items }: YAMLMap, anchors: Anchors): Mapping {
  const mapping: Record<string, Data> = {}
  for (const { key, value } of items) {
    // Without a key of its own a line such as `: x` has an empty one.
    const name = isScalar<string | null>(key) ? (key.value ?? '') : fail('a key must be a plain text', offsetOf(key))
    if (name === '__proto__') fail('no field may be called __proto__', offsetOf(key))
    if (Object.hasOwn(mapping, name)) fail(`${JSON.stringify(name)} stands twice; keep one`, offsetOf(key))
    mapping[name] = value === null ? null : toData(value, anchors)
  }
  return mapping
}

function offsetOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}

/** The value at a path, and where its key stands. */
function find(text: string, path: Path): { node: unknown; offset: number } {
  let node: unknown = composeDocument(text)
  let offset = offsetOf(node)
  for (const step of path) {
    const next = stepInto(node, step)
    if (next === undefined) return { node: undefined, offset }
    offset = offsetOf(next.key)
    node = next.node
  }
  return { node, offset }
}

function stepInto(node: unknown, step: PropertyKey): { key: unknown; node: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)]
    return item === undefined ? undefined : { key: item, node: item }
  }
  const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
  return pair && { key: pair.key, node: pair.value }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').slice(0, limits.messageCharacters)
}
