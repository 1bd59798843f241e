/**
 * What the parser of YAML complains about -> what is wrong in plain words, with the cure, and where. Quotes nothing of
 * the text: any piece of it may be a password. A bracket or quote that nobody closes is told where it opens.
 */
import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml'

export interface ToldProblem {
  readonly problem: string
  /** Where it is in the text. */
  readonly offset: number
}

export function tellProblem({ code, message, pos }: YAMLError, document: Document.Parsed, text: string): ToldProblem {
  const [at] = pos
  const [line = message] = message.split('\n', 1)
  const opening = /^Missing closing |^Flow (?:map|sequence) /.test(line) ? openingOf(document, at) : undefined
  const isJson = /^\s*[{[]/.test(text)
  const envelope = isJson ? undefined : openEnvelope(text, at)
  if (envelope !== undefined) return { problem: noBar, offset: envelope }
  const unclosed = (isJson ? unclosedInJson : unclosedProblems)[text[opening ?? at] ?? '']
  if (opening !== undefined && unclosed !== undefined) return { problem: unclosed, offset: opening }
  if (isJson && /^Implicit (?:map )?keys need/.test(line)) return { problem: noComma, offset: at }
  if (/^All (?:mapping|sequence) items/.test(line) && isIndentedByTab(text, at)) return { problem: noTabs, offset: at }
  const problem = byCode[code] ?? byMessage.find(([pattern]) => pattern.test(line))?.[1] ?? beforeQuotation(line)
  const item = /^(?:All (?:mapping|sequence) items|Implicit (?:map )?keys) /.test(line) ? itemCure(text, at) : ''
  return { problem: dashProblem(text, at) ?? problem + gluedCure(text, at) + item, offset: at }
}

/** `-name: x` is a field called "-name" to YAML. */
function dashProblem(text: string, offset: number): string | undefined {
  return /^\s*-[A-Za-z_]/.test(lineAt(text, offset)) ? 'a dash needs a space after it: "- " begins an item' : undefined
}

const reachOfItem = 20_000

/** A line in the column of a dash above it, with no dash of its own. */
function itemCure(text: string, offset: number): string {
  const [line, indent = ''] = /^( *)[^\s#-].*/.exec(lineAt(text, offset)) ?? []
  if (line === undefined) return ''
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const above = text
    .slice(Math.max(0, start - reachOfItem), start)
    .split('\n')
    .toReversed()
  const beside = above.find((each) => /^ *[^\s#]/.test(each) && !each.startsWith(`${indent} `))
  const isInList = beside?.startsWith(`${indent}- `) === true
  return isInList ? '; or begin it with "- " if it is the next item of the list' : ''
}

const byCode: Readonly<Record<string, string>> = {
  // Its many texts have the tag at the front, in the middle or at the end.
  TAG_RESOLVE_FAILED: 'Unresolved tag; a text that begins with ! needs quotes',
  // Such as that of {{name}}.
  NON_STRING_KEY: 'a key that is not a text; a text that begins with { or [ needs quotes, or | and lines of its own',
}

const unclosedProblems: Readonly<Record<string, string>> = {
  '[': 'a [ that no ] closes; a text that begins with [ needs quotes',
  '{': 'a { that no } closes; a text that begins with { needs quotes',
  '"': 'a double quote that is not closed',
  "'": "a single quote that is not closed; a text with ' in it needs double quotes",
}

/** A text that begins with a bracket is JSON, in which all texts have quotes. */
const unclosedInJson: Readonly<Record<string, string>> = {
  '[': 'the JSON ends before this [ is closed; add the missing ]',
  '{': 'the JSON ends before this { is closed; add the missing }',
  '"': 'a double quote that is not closed',
  "'": 'a single quote that is not closed; JSON has double quotes',
}

const noComma = 'a comma is missing at the end of this line of the JSON, or a colon in it'

const noColon =
  'a line without a colon and a space behind it; write field: value, or indent what continues the line above'

const noBar = 'envelope: a text of several lines needs a | after the colon: envelope: |'

const noTabs = 'Tabs are not allowed as indentation; indent with spaces'

/** By how the message begins; the parser's own words stay where they are plain. */
const byMessage: readonly (readonly [message: RegExp, problem: string])[] = [
  [/^Unresolved alias/, 'Unresolved alias; a text that begins with * needs quotes'],
  [
    /^(?:Block scalar header includes|Not a YAML token|Unexpected token in block scalar)/,
    'a | or > with extra characters behind it on its line; a text that begins with | or > needs quotes',
  ],
  [/^Tabs are not allowed/, noTabs],
  [/^Invalid escape sequence/, String.raw`Invalid escape sequence; in double quotes a \ is written \\`],
  [
    /^Nested mappings are not allowed/,
    'a text with a colon and a space in it needs quotes; or the line below is indented too far',
  ],
  [
    /^All (?:mapping|sequence) items must start/,
    'a line that is indented in another way than those beside it; begin them all in the same column',
  ],
  [
    /^Sequence item without - indicator/,
    'a line between two columns of a list; begin each item with "- ", and its other lines in the column of the text after the dash',
  ],
  [
    /^A block sequence may not be used as an implicit map key/,
    'a list begins among fields; begin each item of the list with "- ", the first one too',
  ],
  [/^Implicit (?:map )?keys need/, noColon],
  [
    /^Plain value cannot start/,
    'a text cannot begin with a reserved character such as @, %, ` or a comma; put it in quotes',
  ],
  [/^Unexpected \S+ at node end/, 'something follows the end of a value; put the whole text in quotes'],
  [/^Unexpected block-seq-ind/, 'a list begins on the line of its field; write each - on a line of its own below it'],
  [/^Block collections are not allowed/, 'a comma is missing inside { } or [ ], or a text with a colon needs quotes'],
  [/^Unexpected flow-(?:map|seq)-end/, 'a } or ] that nothing opens; a text that begins with it needs quotes'],
]

function isIndentedByTab(text: string, offset: number): boolean {
  return /^ *\t/.test(lineAt(text, offset))
}

/** The beginning of the line that has this offset. */
function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return text.slice(start, start + 200).split('\n', 1)[0] ?? ''
}

/** What other messages say of the text ends before they quote it. */
function beforeQuotation(line: string): string {
  return /^(?:Unknown directive|Unsupported YAML version|Unexpected [^:]*|[^:"]*(?=: "))/.exec(line)?.[0] ?? line
}

/** What is not closed goes on to where the parser gave up; the last such thing to open is what is meant. */
function openingOf(document: Document.Parsed, end: number): number | undefined {
  let opening: number | undefined
  visit(document, {
    Node(_, node) {
      const isOpen = isCollection(node) ? node.flow === true : isScalar(node) && node.type?.startsWith('QUOTE') === true
      const { range } = node
      if (isOpen && range && range[1] >= end) opening = Math.max(opening ?? 0, range[0])
    },
  })
  return opening
}

/** The offset of an `envelope` without a bar whose XML reaches the mistake; XML has colons, and lines in any column. */
function openEnvelope(text: string, mistake: number): number | undefined {
  const ended = `${text}\n`
  const end = ended.indexOf('\n', mistake)
  const field = [...ended.slice(0, end).matchAll(/^( *)envelope:(?:[ \t]+[<{].*)?[ \t]*\r?$/gm)].at(-1)
  if (field === undefined) return undefined
  const [key, indent = ''] = field
  const below = field.index + key.length + 1
  const lines = ended.slice(below, Math.max(end, ended.indexOf('\n', below))).split('\n')
  const isOfText = (line: string): boolean => line.startsWith(`${indent} `) || /^\s*(?:[<{]|$)/.test(line)
  return lines.every(isOfText) && lines.some((line) => /^\s*[<{]/.test(line)) ? field.index + indent.length : undefined
}

/** `field:value` is one text to YAML, and then a line without a value. */
export function gluedCure(text: string, offset: number): string {
  return /^\s*(?:- +)*[\w-]+:[^\s/]/.test(lineAt(text, offset)) ? '; a colon needs a space after it' : ''
}
