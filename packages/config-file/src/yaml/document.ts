/**
 * YAML text -> the nodes of its one document, within limits, or a `YamlError` with line and column that quotes nothing
 * of the text: any piece of it may be a password. Knows the parser's options and its limits.
 */
import { Composer, type Document, Lexer, LineCounter, type Node, Parser, Schema, type YAMLError } from 'yaml'
import { tellProblem } from './problem-words.ts'

/** Of one file. */
export const limits: Limits = { characters: 1_048_576, depth: 50, aliases: 100 }

export interface Limits {
  readonly characters: number
  readonly depth: number
  /** Repetitions of what is in the file once. */
  readonly aliases: number
}

/** Each costs the parser some 500 bytes. */
const maxTokens = 1_500_000

/** The text is not YAML, or it is YAML that no file here needs. Both numbers count from 1. */
export class YamlError extends Error {
  readonly line: number
  readonly column: number

  constructor(problem: string, line: number, column: number) {
    super(problem)
    this.name = 'YamlError'
    this.line = line
    this.column = column
  }

  /** The message for a person. */
  inFile(file: string): string {
    return `${file}:${this.line}:${this.column}: ${this.message}`
  }
}

const options = {
  version: '1.2',
  // One for all files: without known tags nothing is ever added to it.
  schema: new Schema({ schema: 'core', merge: false, resolveKnownTags: false }),
  stringKeys: true,
  // Left to yaml.ts: the parser compares each key with each other one.
  uniqueKeys: false,
  logLevel: 'silent',
} as const

/** Gives the document's top node to `read`, null where the text has no content; `fail` of both is a `YamlError`. */
export function readDocument<Result>(text: string, read: (top: Node | null) => Result, most: Limits = limits): Result {
  try {
    return read(compose(text, most))
  } catch (error) {
    const problem = error instanceof ProblemAt ? error.message : 'not readable as YAML'
    const { line, col } = countLines(text).linePos(error instanceof ProblemAt ? Math.min(error.offset, text.length) : 0)
    throw new YamlError(problem, line, col)
  }
}

/** Finds lines by offsets; only messages need it, so it is made when something is wrong. */
export function countLines(text: string): LineCounter {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return lines
}

/** Carries an offset to where the text is known. */
class ProblemAt extends Error {
  readonly offset: number

  constructor(problem: string, offset: number) {
    super(problem)
    this.offset = offset
  }
}

export function fail(problem: string, offset: number): never {
  throw new ProblemAt(problem, offset)
}

/** 0 for what is not in the text. */
export function offsetOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0
}

function compose(text: string, most: Limits): Node | null {
  if (text.length > most.characters) fail(`longer than ${most.characters} characters`, 0)
  const control = controlCharacters.exec(text)
  if (control !== null) fail(`control character ${codeOf(control[0])}; YAML allows none`, control.index)
  const documents = [...new Composer(options).compose(tokens(text, most.depth))]
  const [document, second] = documents
  for (const parsed of documents) refuseProblems(parsed, text)
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
function* tokens(text: string, depth: number) {
  const parser = new Parser()
  let offset = 0
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    offset += lexeme.length
    count++
    if (count > maxTokens) fail(`more than ${maxTokens} words and marks`, offset)
    if (parser.stack.length > depth) fail(`nested deeper than ${depth} levels`, offset)
  }
  yield* parser.end()
}

/** Warnings count as well: the parser warns where it has to guess, as with a tag that it does not know. */
function refuseProblems(document: Document.Parsed, text: string): void {
  const [problem]: YAMLError[] = [...document.errors, ...document.warnings]
  if (problem === undefined) return
  const told = tellProblem(problem, document, text)
  fail(told.problem, told.offset)
}
