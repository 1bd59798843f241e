/**
 * The two lines about a parameter: what is behind `@param` and `@enum` -> plain values, or the first mistake.
 * Whether the SQL has the parameter, and whether its default and its values have its type, is judged once all lines are
 * read (read.ts).
 */
import { nearest } from '@services/config-file/nearest'
import { skipBlank, skipValue } from '../json/scan.ts'
import type { DeclaredParameter, JsonValue, ValueTypeName } from '../model.ts'
import { firstWord, type Mistake, mistake, shown } from './mistake.ts'
import { readWhole, valueTypes } from './value-types.ts'

/** A parameter as far as its line declares it. */
export type ParamLine = Omit<DeclaredParameter, 'enum'>

export interface EnumLine {
  readonly name: string
  readonly values: readonly string[]
}

const name = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Of `NAME [TYPE] [default VALUE] [-- TEXT]`. */
export function readParam(text: string): ParamLine | Mistake {
  const [parameter, rest] = firstWord(text)
  const wrongName = nameMistake(parameter, '@param from date default null -- First day')
  if (wrongName !== undefined) return wrongName
  const at = (part: string): number => text.length - part.length
  const none = { name: parameter, type: undefined, list: false, default: undefined, description: undefined }
  if (rest === '' || rest.startsWith('--')) return { ...none, description: readText(rest) }

  const [first, behindFirst] = firstWord(rest)
  const type = first === 'default' ? undefined : readType(first, at(rest))
  if (type !== undefined && 'message' in type) return type
  const typed = { ...none, ...type }
  const tail = type === undefined ? rest : behindFirst
  if (tail === '' || tail.startsWith('--')) return { ...typed, description: readText(tail) }

  const [keyword, value] = firstWord(tail)
  if (keyword !== 'default') return keywordMistake(keyword, at(tail))
  const end = endOfJson(value)
  const behindValue = end === undefined ? '' : value.slice(end).trimStart()
  if (end === undefined || (behindValue !== '' && !behindValue.startsWith('--')))
    return defaultMistake(value, at(value), typed)
  const [fallback] = readWhole(value.slice(0, end)) as [JsonValue]
  return { ...typed, default: fallback, description: readText(behindValue) }
}

function readType(word: string, at: number): Pick<ParamLine, 'type' | 'list'> | Mistake {
  const list = word.endsWith('[]')
  const type = list ? word.slice(0, -'[]'.length) : word
  if (Object.hasOwn(valueTypes, type)) return { type: type as ValueTypeName, list }
  const keyword = otherKeywords.get(word.toLowerCase())
  if (keyword !== undefined) return mistake(at, `${shown(word)} is not a type`, keyword)
  const meant = otherNames.get(type.toLowerCase()) ?? nearest(type, Object.keys(valueTypes))
  const known = `the types are ${Object.keys(valueTypes).join(', ')}, each with [] for a list`
  return mistake(at, `unknown type ${shown(word)}`, meant === undefined ? known : `did you mean ${meant}?`)
}

/** What other languages call the types. */
const otherNames: ReadonlyMap<string, ValueTypeName> = new Map(
  Object.entries({
    text: 'string',
    varchar: 'string',
    char: 'string',
    str: 'string',
    int: 'integer',
    int4: 'integer',
    int8: 'integer',
    bigint: 'integer',
    smallint: 'integer',
    long: 'integer',
    float: 'number',
    float8: 'number',
    double: 'number',
    real: 'number',
    decimal: 'number',
    numeric: 'number',
    bool: 'boolean',
    datetime: 'timestamp',
    timestamptz: 'timestamp',
    'date-time': 'timestamp',
    object: 'json',
    jsonb: 'json',
    guid: 'uuid',
  } as const),
)

function keywordMistake(word: string, at: number): Mistake {
  const cure = otherKeywords.get(word.toLowerCase()) ?? 'default VALUE or -- TEXT may stand there'
  return mistake(at, `found ${shown(word)} behind the type`, cure)
}

const mustBeGiven = 'remove it: a parameter without a default has to be given'
const mayBeLeftOut = 'write default null, and the parameter may be left out'
const noSign = 'write default instead of the sign'

/** What says elsewhere whether a parameter has to be given -> what to write here. */
const otherKeywords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    required: mustBeGiven,
    mandatory: mustBeGiven,
    optional: mayBeLeftOut,
    nullable: mayBeLeftOut,
    null: mayBeLeftOut,
    '=': noSign,
    ':=': noSign,
  }),
)

function defaultMistake(value: string, at: number, { list }: Pick<ParamLine, 'list'>): Mistake {
  const [given = ''] = value.split(/\s+--/, 1)
  if (given === '' || given.startsWith('--'))
    return mistake(at, 'default has no value', 'write JSON, such as null or "open"')
  if (list)
    return mistake(at, `the default ${shown(given)} is not JSON`, 'write a list in JSON, such as [1, 2] or ["open"]')
  const bare = /^'(.*)'$/s.exec(given)?.[1] ?? given
  const cure = /^[^"{[\d-]*$/.test(bare)
    ? `a text needs double quotes: default ${JSON.stringify(bare)}`
    : 'write JSON, such as null, 10 or "open"'
  return mistake(at, `the default ${shown(given)} is not JSON`, cure)
}

/** Of `NAME a, b, c`. A value with a comma or white space around it is in double quotes, as JSON has them. */
export function readEnum(text: string): EnumLine | Mistake {
  const [parameter, rest] = firstWord(text)
  const wrongName = nameMistake(parameter, '@enum status open, closed')
  if (wrongName !== undefined) return wrongName
  const wrongForm = formMistake(rest, text.length - rest.length)
  if (wrongForm !== undefined) return wrongForm
  const values: string[] = []
  for (let left = rest; ;) {
    const at = text.length - left.length
    const quoted = left.startsWith('"')
    const end = quoted ? endOfJson(left) : indexOr(left, ',')
    if (end === undefined)
      return mistake(at, 'a text in double quotes is never closed', 'close it, or write it without')
    const item = quoted ? (JSON.parse(left.slice(0, end)) as string) : left.slice(0, end).trim()
    const behind = left.slice(end).trimStart()
    if (item === '' && !quoted)
      return mistake(at, 'a value is missing', '@enum status open, closed; "" is the empty text')
    if (values.includes(item)) return mistake(at, `the value ${shown(item)} occurs twice`, 'remove one')
    values.push(item)
    if (behind === '') return { name: parameter, values }
    if (!behind.startsWith(',')) {
      return mistake(text.length - behind.length, `found ${shown(behind)} behind a value`, 'part the values by commas')
    }
    left = behind.slice(1).trimStart()
  }
}

/** Lists as other languages write them: brackets and quotes would be part of the values. */
function formMistake(list: string, at: number): Mistake | undefined {
  const [, inside] = /^[[({](.*)[\])}]$/s.exec(list) ?? []
  if (inside !== undefined) return mistake(at, 'the values are in brackets', `write them without: ${inside.trim()}`)
  if (/^'[^',]*'(?:\s*,\s*'[^',]*')*$/.test(list)) {
    const bare = list.replaceAll("'", '')
    return mistake(at, 'the values are in single quotes', `write them without, or in double quotes: ${bare}`)
  }
  if (/^[^",]*[|;\s][^",]*$/.test(list)) {
    const apart = list.split(/\s*[|;]\s*|\s+/).join(', ')
    return mistake(at, `${shown(list)} is one value`, `write ${apart}, or in double quotes if it is one`)
  }
  return undefined
}

function nameMistake(word: string, example: string): Mistake | undefined {
  if (word === '') return mistake(0, 'the name of a parameter is missing', `write ${example}`)
  if (name.test(word)) return undefined
  const bare = word.replace(/^:/, '')
  const cure = name.test(bare) ? `write the name without the colon: ${bare}` : `write ${example}`
  return mistake(0, `${shown(word)} is not the name of a parameter`, cure)
}

/** Of `-- TEXT`. */
function readText(text: string): string | undefined {
  return text.replace(/^--+\s*/, '') || undefined
}

/** The offset behind the JSON value that the text begins with. */
function endOfJson(text: string): number | undefined {
  try {
    return skipValue(text, skipBlank(text, 0), 100)
  } catch {
    return undefined
  }
}

function indexOr(text: string, part: string): number {
  const at = text.indexOf(part)
  return at === -1 ? text.length : at
}
