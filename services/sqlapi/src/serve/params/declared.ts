/**
 * What the client sent to a file that declares its parameters -> parameter sets: defaults for what is missing, declared
 * types checked, texts of a query string turned into values of these types. Files without declarations never come here.
 */
import { keyOf, valueTypes } from '../../declarations/value-types.ts'
import { Failure } from '../../errors.ts'
import { readElements } from '../../json/read.ts'
import type { DeclaredParameter, JsonText, JsonValue, ParameterSet } from '../../model.ts'
import { readQuery, requireParameters } from './params.ts'

/** What a request is for. */
export interface Wanted {
  readonly params: readonly DeclaredParameter[]
  /** The parameters of the SQL, in its order. */
  readonly names: readonly string[]
}

/** The set of a query string. A declared list has the values of all its keys. */
export function readDeclaredQuery(query: string, { params, names }: Wanted): ParameterSet {
  const lists = new Map(params.filter(({ list }) => list).map(({ name }): [string, string[]] => [name, []]))
  const texts = readQuery(query, lists)
  const set = new Map<string, JsonValue>(texts)
  const sent = params.filter((param) => keepSent(param, set, lists.get(param.name)))
  addDefaults(params, set)
  requireParameters(names, [set], false)
  for (const param of sent) {
    const { name, list } = param
    const elements = lists.get(name) ?? [texts.get(name) as string]
    const values = elements.map((text, index) => readText(text, param, list ? `${name}[${index}]` : name))
    set.set(name, list ? toList(values) : (values[0] as JsonValue))
  }
  return set
}

/** How a body holds its sets. */
export interface BodyForm {
  readonly batch: boolean
  /** Its format has no other values, so texts are read as those of a query string. */
  readonly areTexts: boolean
}

/** The sets of a body. */
export function toDeclaredSets(
  sets: readonly ParameterSet[],
  { params, names }: Wanted,
  { batch, areTexts }: BodyForm,
): readonly ParameterSet[] {
  const complete = sets.map((set) => (lacksDefault(params, set) ? addDefaults(params, new Map(set)) : set))
  requireParameters(names, complete, batch)
  return complete.map((set, index) => fitSet(set, params, { place: batch ? `, in queries[${index}]` : '', areTexts }))
}

/** Whether a key of the query string counts. An empty value counts where it is a value of the type. */
function keepSent({ name, type }: DeclaredParameter, set: Map<string, JsonValue>, list: string[] | undefined): boolean {
  if (!set.has(name)) return false
  if (type === undefined || type === 'string') return true
  const filled = (list ?? [set.get(name)]).filter((text) => text !== '')
  list?.splice(0, list.length, ...(filled as string[]))
  if (filled.length === 0) set.delete(name)
  return filled.length > 0
}

function lacksDefault(params: readonly DeclaredParameter[], set: ParameterSet): boolean {
  return params.some(({ name, default: fallback }) => fallback !== undefined && !set.has(name))
}

function addDefaults(params: readonly DeclaredParameter[], set: Map<string, JsonValue>): ParameterSet {
  for (const { name, default: fallback } of params) {
    if (fallback !== undefined && !set.has(name)) set.set(name, fallback)
  }
  return set
}

function readText(text: string, param: DeclaredParameter, shown: string, place = ''): JsonValue {
  const { type } = param
  return judged(type === undefined ? text : valueTypes[type].read(text), param, shown, place)
}

interface SetForm extends Pick<BodyForm, 'areTexts'> {
  /** Where the set is, as the end of a message. */
  readonly place: string
}

/** The set itself where nothing of it changes. */
function fitSet(set: ParameterSet, params: readonly DeclaredParameter[], form: SetForm): ParameterSet {
  let fitting: Map<string, JsonValue> | undefined
  for (const param of params) {
    const value = set.get(param.name)
    if (value === undefined || value === null) continue
    const fit = fitValue(value, param, form)
    if (fit !== value) (fitting ??= new Map(set)).set(param.name, fit)
  }
  return fitting ?? set
}

function fitValue(value: JsonValue, param: DeclaredParameter, { place, areTexts }: SetForm): JsonValue {
  const { name, list } = param
  // A default has been judged when it was read.
  if (value === param.default) return value
  if (areTexts && typeof value === 'string') {
    const read = readText(value, param, name, place)
    return list ? toList([read]) : read
  }
  if (!list) return fitOne(value, param, name, place)
  if (!isArray(value)) throw noList(param, place)
  for (const [index, element] of readElements(value.text).entries()) {
    if (element !== null) fitOne(element, param, `${name}[${index}]`, place)
  }
  return value
}

function fitOne(value: JsonValue, param: DeclaredParameter, shown: string, place: string): JsonValue {
  const { type } = param
  return judged(type === undefined ? value : valueTypes[type].fit(value), param, shown, place)
}

/** What the type has made of a value, undefined where it is none of its values. */
function judged(value: JsonValue | undefined, param: DeclaredParameter, shown: string, place: string): JsonValue {
  if (value === undefined) throw wrongType(param, shown, place)
  requireListed(value, param, shown, place)
  return value
}

function isArray(value: JsonValue): value is JsonText {
  return typeof value === 'object' && value !== null && 'text' in value && value.kind === 'array'
}

function toList(values: readonly JsonValue[]): JsonText {
  return { kind: 'array', text: `[${values.map(toJson).join(',')}]` }
}

function toJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return 'digits' in value ? value.digits : value.text
}

/** How many values of an enumeration a message names. */
const maxShown = 20

function requireListed(value: JsonValue, param: DeclaredParameter, shown: string, place: string): void {
  const { enum: values, type } = param
  if (values === undefined || value === null) return
  const key = keyOf(value, type)
  if (key !== undefined && values.includes(key)) return
  const rest = values.length > maxShown ? ` .. (${values.length} values)` : ''
  const known = values.slice(0, maxShown).map((each) => (each === '' ? '""' : each))
  throw new Failure('parameter_value', `Parameter '${shown}' has to be one of ${known.join(', ')}${rest}${place}`)
}

/** No message has the value. */
function wrongType({ type }: DeclaredParameter, shown: string, place: string): Failure {
  const { one, example } = valueTypes[type as NonNullable<typeof type>]
  return new Failure('parameter_type', `Parameter '${shown}' has to be ${one}, such as ${example}${place}`)
}

function noList({ name, type }: DeclaredParameter, place: string): Failure {
  const { many, example, read } = valueTypes[type as NonNullable<typeof type>]
  const list = `a list of ${many}, such as [${toJson(read(example) as JsonValue)}]`
  return new Failure('parameter_type', `Parameter '${name}' has to be ${list}${place}`)
}
