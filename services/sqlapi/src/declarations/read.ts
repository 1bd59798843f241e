/**
 * What a file declares in its leading comments: file text in, `Declarations` and the transaction marker out. Total: a
 * line that cannot be read, or that contradicts another one or the SQL, does not count and is a problem. Pure; runs at
 * boot, once for each file.
 */
import { nearest } from '@services/config-file/nearest'
import type { DeclarationProblem, Declarations, DeclaredParameter, JsonValue, Method } from '../model.ts'
import { readElements } from '../json/read.ts'
import { type Position, positionCounter } from '../sql/position.ts'
import { type CommentLine, readCommentBlock } from './comment-block.ts'
import { listed, type Mistake, mistake, shown } from './mistake.ts'
import type { EnumLine, ParamLine } from './param-line.ts'
import { keyOf, valueTypes } from './value-types.ts'
import { type Draft, type Placed, words } from './words.ts'

export interface Declared {
  /** The file has the marker `-- @transactional`. */
  readonly transactional: boolean
  /** Undefined where the file declares nothing else, and has no problem. */
  readonly declarations: Declarations | undefined
}

export interface DeclaringFile {
  readonly text: string
  readonly method: Method
  /** The parameters of the SQL in their order; undefined where they are not known. */
  readonly parameters: readonly string[] | undefined
}

type Found = Mistake & { readonly start: number }

export function readDeclarations({ text, method, parameters }: DeclaringFile): Declared {
  if (!text.includes('@') && !text.includes('declaration')) return { transactional: false, declarations: undefined }
  const { lines, behind, yaml, end } = readCommentBlock(text)
  const draft = newDraft(method)
  const found = [...lines.flatMap((line) => readLine(line, draft)), ...behind.flatMap(findBehind)]
  if (!draft.transactional) found.push(...findMarkers(text, end, found))
  found.push(...findMisplaced(text, end, draft.transactional, found))
  const params = joinParams(draft, parameters, found)
  const { transactional, replica, summary, tags, deprecated, timeoutSeconds, cache } = draft
  const description = draft.description.length === 0 ? undefined : draft.description.join('\n')
  const results = inPlace(text, draft.results, (key, said) => ({ key, description: said }))
  const allow = inPlace(text, draft.allow, (code, reason) => ({ code, reason }))
  const isEmpty = [params, results, allow, tags, found].every(({ length }) => length === 0)
  const all = [summary, description, deprecated, timeoutSeconds, cache, yaml]
  if (isEmpty && !replica && all.every((value) => value === undefined))
    return { transactional, declarations: undefined }
  const positionOf = positionCounter(text)
  const problems = found
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, message, cure }): DeclarationProblem => {
      const { line, column } = positionOf(start)
      return { line, column, message, cure }
    })
  const declarations: Declarations = {
    summary,
    description,
    tags,
    deprecated,
    params,
    results,
    timeoutSeconds,
    cache,
    replica,
    allow,
    yaml,
    problems,
  }
  return { transactional, declarations }
}

/** With where each is. */
function inPlace<T extends object>(
  text: string,
  lines: ReadonlyMap<string, Placed<string>>,
  toValue: (name: string, said: string) => T,
): (T & Position)[] {
  const positionOf = positionCounter(text)
  return Array.from(lines, ([name, { line, start }]) => Object.assign(toValue(name, line), positionOf(start)))
}

function newDraft(method: Method): Draft {
  return {
    method,
    transactional: false,
    replica: false,
    summary: undefined,
    description: [],
    tags: [],
    deprecated: undefined,
    params: [],
    enums: [],
    results: new Map(),
    timeoutSeconds: undefined,
    cache: undefined,
    allow: new Map(),
  }
}

const wordLine = /^(\s*)@(\S*)(\s*)(.*?)\s*$/s

function readLine({ text, start }: CommentLine, draft: Draft): Found[] {
  const [, before = '', word, space = '', rest = ''] = wordLine.exec(text) ?? []
  if (word === undefined) return []
  const at = start + before.length
  if (word === '') return findSpace(rest, at)
  if (!Object.hasOwn(words, word)) return [{ ...unknownWord(word), start: at }]
  const behind = at + 1 + word.length + space.length
  const wrong = words[word]?.read(rest, draft, behind)
  return wrong === undefined ? [] : [{ ...wrong, start: behind + wrong.at }]
}

/** `@ param` is most likely a slip; `@` and anything else is a text. */
function findSpace(rest: string, start: number): Found[] {
  const [word = ''] = rest.split(/\s/, 1)
  if (!Object.hasOwn(words, word)) return []
  return [{ ...mistake(0, `white space between @ and ${word}`, `write @${word}`), start }]
}

function unknownWord(word: string): Mistake {
  const names = Object.keys(words)
  const meant = nearest(word, names)
  const known = `the known words are ${names.map((name) => `@${name}`).join(', ')}; a remark may not begin with @`
  return mistake(0, `unknown word ${shown(`@${word}`)}`, meant === undefined ? known : `did you mean @${meant}?`)
}

/** A word that somebody meant to count, behind a comment that keeps it from counting. */
function findBehind({ text, start }: CommentLine): Found[] {
  const [, before = '', word = ''] = wordLine.exec(text) ?? []
  if (!Object.hasOwn(words, word)) return []
  const message = `@${word} is after a block comment, which ends the leading comments`
  return [{ ...mistake(0, message, 'move it above the block comment'), start: start + before.length }]
}

/** In a comment of any kind: who writes it relies on a transaction that there is not. */
const marker = /(?:--|\/\*|^[ \t]*\*)[-* \t]*@transactional(?=\s|\*\/|$)/gm

/** Those behind the leading comments that nothing has been found at. */
function findMarkers(text: string, from: number, found: readonly Found[]): Found[] {
  return [...text.slice(from).matchAll(marker)].flatMap(({ 0: part, index }) => {
    const start = from + index + part.indexOf('@')
    if (found.some((each) => each.start === start)) return []
    const message = '@transactional does not count here, so the file is no transaction'
    return [{ ...mistake(0, message, 'write -- @transactional above everything else'), start }]
  })
}

/** In comments that begin a line. What looks like an assignment or a list is SQL of another tool: `-- @id = 5`. */
const misplaced = /^[ \t]*(?:--+|\/\*+)[ \t]*@([a-z]+)(?![\w-]|[ \t]*[:=,;])/gim
/** Words that change how a request is answered, or which findings it has. */
const counting = ['param', 'enum', 'timeout', 'cache', 'replica', 'allow']
/** The body of a routine has comments of its own. */
const routine = /\$\w*\$|\bcreate\b[^;]*\b(?:function|procedure|trigger)\b/i

/** Those after the leading comments that nothing has been found at, misspelt ones too. */
function findMisplaced(text: string, from: number, isMarked: boolean, found: readonly Found[]): Found[] {
  const rest = text.slice(from)
  if (!rest.includes('@') || routine.test(rest)) return []
  const known = isMarked ? counting : ['transactional', ...counting]
  return [...rest.matchAll(misplaced)].flatMap(({ 0: part, 1: word = '', index }) => {
    const start = from + index + part.indexOf('@')
    if (found.some((each) => each.start === start)) return []
    if (known.includes(word)) {
      return [{ ...mistake(0, `@${word} does not count here`, `write -- @${word} ${aboveAll} in the file`), start }]
    }
    const meant = Object.hasOwn(words, word) ? undefined : nearest(word, known)
    if (meant === undefined || Math.abs(meant.length - word.length) > 2) return []
    const cure = `did you mean @${meant}? write -- @${meant} ${aboveAll}`
    return [{ ...mistake(0, `unknown word @${word}, and it does not count here`, cure), start }]
  })
}

const aboveAll = 'above everything else'

/** The lines about parameters, those about one name together, in the order of the SQL. */
function joinParams(draft: Draft, parameters: readonly string[] | undefined, found: Found[]): DeclaredParameter[] {
  const enums = firstOfEach('enum', draft.enums, parameters, found)
  const params = firstOfEach('param', draft.params, parameters, found)
  const joined = new Map<string, DeclaredParameter>()
  for (const [name, { line, start }] of params) {
    const values = enumOf(enums.get(name), line)
    if (values !== undefined && 'message' in values) {
      found.push(values)
      enums.delete(name)
    }
    const param = withDefault(line, values !== undefined && 'message' in values ? undefined : values)
    if ('message' in param) found.push({ ...param, start })
    else joined.set(name, param)
  }
  for (const [name, { line }] of enums) {
    if (!joined.has(name)) joined.set(name, { ...anyValue, name, enum: line.values })
  }
  return (parameters ?? [...joined.keys()]).flatMap((name) => joined.get(name) ?? [])
}

const anyValue = { type: undefined, list: false, default: undefined, description: undefined }

/** By name; without those that the SQL does not have. */
function firstOfEach<T extends { readonly name: string }>(
  word: string,
  lines: readonly Placed<T>[],
  parameters: readonly string[] | undefined,
  found: Found[],
): Map<string, Placed<T>> {
  const firsts = new Map<string, Placed<T>>()
  for (const placed of lines) {
    const { name } = placed.line
    const wrong = firsts.has(name) ? secondLine(name, word) : nameMistake(name, parameters)
    if (wrong === undefined) firsts.set(name, placed)
    else found.push({ ...wrong, start: placed.start })
  }
  return firsts
}

function secondLine(name: string, word: string): Mistake {
  return mistake(0, `the parameter ${name} has a line with @${word} already`, 'the first one counts; remove the other')
}

function nameMistake(name: string, parameters: readonly string[] | undefined): Mistake | undefined {
  if (parameters === undefined || parameters.includes(name)) return undefined
  const meant = nearest(name, parameters)
  const known = parameters.length === 0 ? 'it has no parameters' : `its parameters are ${listed(parameters)}`
  return mistake(0, `the SQL has no parameter :${name}`, meant === undefined ? known : `did you mean ${meant}?`)
}

/** The values as they are compared, unless one of them cannot be a value of the parameter. */
function enumOf(
  placed: Placed<EnumLine> | undefined,
  { name, type }: ParamLine,
): readonly string[] | Found | undefined {
  if (placed === undefined || type === undefined) return placed?.line.values
  const { line, start } = placed
  if (type === 'json')
    return { ...mistake(0, `the parameter ${name} is JSON, which is not compared`, 'remove the line'), start }
  const { read, one, example } = valueTypes[type]
  const values = line.values.map(read)
  const wrong = values.indexOf(undefined)
  if (wrong === -1) return values.map((value) => keyOf(value as JsonValue, type) as string)
  const message = `the value ${shown(line.values[wrong] as string)} is not ${one}`
  return { ...mistake(0, message, `write ${one} such as ${example}`), start }
}

function withDefault(line: ParamLine, wanted: readonly string[] | undefined): DeclaredParameter | Mistake {
  const { name, type, list, default: fallback } = line
  const param = { ...line, enum: wanted }
  if (fallback === undefined || fallback === null) return param
  const fitting = fit(fallback, line)
  if (fitting === undefined) {
    const { one, many } = valueTypes[type as NonNullable<typeof type>]
    const right = list ? `a list of ${many}` : one
    return mistake(0, `the default of ${name} is not ${right}`, `write ${right} in JSON, or null`)
  }
  const elements = list ? elementsOf(fallback) : [fallback]
  const isKnown = (value: JsonValue): boolean => value === null || wanted?.includes(keyOf(value, type) ?? '') !== false
  if (elements.every(isKnown)) return { ...param, default: fitting }
  return mistake(0, `the default of ${name} is not one of its values`, `its values are ${listed(wanted ?? [])}`)
}

function fit(value: JsonValue, { type, list }: ParamLine): JsonValue | undefined {
  if (type === undefined) return value
  const rule = valueTypes[type]
  if (!list) return rule.fit(value)
  if (typeof value !== 'object' || value === null || !('text' in value) || value.kind !== 'array') return undefined
  return elementsOf(value).every((element) => element === null || rule.fit(element) !== undefined) ? value : undefined
}

function elementsOf(value: JsonValue): JsonValue[] {
  return typeof value === 'object' && value !== null && 'text' in value ? readElements(value.text) : []
}
