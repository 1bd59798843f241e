/**
 * Data of a file and the declaration of its kind -> a frozen value or the list of problems, besides the keys that
 * nobody knows. Where a field is in the file is for config-file.ts to say.
 */
import * as z from 'zod'
import { type Field, type ValueOf, verbatim } from './fields.ts'
import { Literal } from './yaml/data.ts'
import { holdsSecretField, passwordCure, type PasswordField } from './words/secrets.ts'
import { remedyFor, tellUnknown } from './words/unknown-field.ts'
import type { Path, Problem } from './words/problem.ts'

/** A kind of file: its fields, and what is made of what they do not say. */
export interface FileKind<Declared extends Field = Field> {
  /** As editors show it: `sqlapi.yaml`. */
  readonly title: string
  readonly fields: Declared
  /** Keys that nobody knows keep the file from being loaded, or have no effect. */
  readonly unknownFields: 'refused' | 'ignored'
  /** `field:` with nothing behind it is an error, or equal to a missing field where there is a default. */
  readonly emptyFields: 'refused' | 'left out'
  /** `4.0` or `true` where a text is wanted is an error, or the text as it is written. */
  readonly bareTexts: 'refused' | 'taken'
  /** Where the variables of passwords are named; left out for files that have nothing to do with any. */
  readonly password?: PasswordField
  /** Keys that people know from other programs, and what to write in their place; `datasources.host` only there. */
  readonly usual?: Readonly<Record<string, string>>
}

export interface Parsed<Value> {
  /** Undefined where there are problems. */
  readonly value: Value | undefined
  readonly problems: readonly Problem[]
  /** Keys without effect, and texts that wait for a variable, in the words of a warning. */
  readonly unknown: readonly Problem[]
}

/** `data` as `readYaml` gives it, or plain numbers and booleans instead of literals. */
export function parse<Declared extends Field>(kind: FileKind<Declared>, data: unknown): Parsed<ValueOf<Declared>> {
  const notes: Notes = { kind, problems: [], unknown: [] }
  const parsed = kind.fields.safeParse(settle(data, kind.fields, [], notes), { reportInput: true })
  const issues = parsed.success ? [] : parsed.error.issues
  const problems = [...issues.map(({ path, message }) => ({ path, message })), ...notes.problems]
  return { value: problems.length > 0 ? undefined : parsed.data, problems, unknown: notes.unknown }
}

/** What is met on the way down. */
interface Notes {
  readonly kind: FileKind
  readonly problems: Problem[]
  readonly unknown: Problem[]
}

/** The data with each literal as its field wants it, without what is left empty and what nobody knows. */
function settle(data: unknown, field: z.core.$ZodType, at: Path, notes: Notes): unknown {
  const rule = chosen(innermost(field), data)
  if (data instanceof Literal) return takesText(rule, notes.kind) ? data.text : data.value
  if (Array.isArray(data)) {
    const items: readonly unknown[] = data
    const item = rule instanceof z.ZodArray ? rule.element : z.unknown()
    return items.map((value, index) => settle(value, item, [...at, index], notes))
  }
  if (typeof data === 'string') return settleText(data, at, notes)
  if (typeof data !== 'object' || data === null) return data
  if (rule instanceof z.ZodObject) return settleFields(data, rule.shape, at, notes)
  const inner = entryOf(rule) ?? z.unknown()
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, settle(value, inner, [...at, key], notes)]),
  )
}

/** The one of two kinds of value that the data is meant to be. */
function chosen(rule: z.core.$ZodType, data: unknown): z.core.$ZodType {
  if (!(rule instanceof z.ZodUnion)) return rule
  const isGroup = typeof data === 'object' && data !== null && !(data instanceof Literal)
  const options = rule.options.map(innermost)
  return options.find((option) => option instanceof z.ZodObject === isGroup) ?? rule
}

function takesText(rule: z.core.$ZodType, { bareTexts }: FileKind): boolean {
  const isText = rule instanceof z.ZodString || rule instanceof z.ZodEnum
  return isText && bareTexts === 'taken' && !verbatim.has(rule)
}

/** As other programs put a variable into a text. Texts of several lines are templates of something else. */
const foreignVariable = /^[^\n]*\$\{[A-Za-z_][\w.-]*(?::[^}\n]*)?\}[^\n]*$/
const unreplaced =
  'a variable in ${..} is not replaced: the text goes on as it is; write the value, or the name alone where a field takes one'

/** YAML goes on with a text in the next line, and such a line may be `password:x`, which nobody would notice. */
function settleText(data: string, at: Path, { kind: { password }, problems, unknown }: Notes): string {
  if (data.includes('${') && foreignVariable.test(data)) unknown.push({ path: at, message: unreplaced })
  if (password !== undefined && holdsSecretField(data, password.name)) {
    const message = `goes on with a field for a password that has no space behind its colon; ${passwordCure(password)}`
    problems.push({ path: at, message })
  }
  return data
}

function settleFields(data: object, shape: z.core.$ZodShape, at: Path, notes: Notes): object {
  const settled: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(data) as [string, unknown][]) {
    const path = [...at, key]
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (field === undefined) noteUnknown(path, data, shape, notes)
    else if (!isLeftOut(value, field, notes.kind)) settled[key] = settle(value, field, path, notes)
  }
  return settled
}

/** Reports a required field without a value as left empty. */
function isLeftOut(value: unknown, field: z.core.$ZodType, { emptyFields }: FileKind): boolean {
  return value === null && emptyFields === 'left out' && !isRequired(field)
}

function isRequired(field: z.core.$ZodType): boolean {
  return field._zod.optin === undefined
}

function noteUnknown(path: Path, data: object, shape: z.core.$ZodShape, { kind, problems, unknown }: Notes): void {
  const key = String(path.at(-1))
  const known = Object.keys(shape)
  const absent = known.filter((name) => ((data as Record<string, unknown>)[name] ?? null) === null)
  const missing = Object.entries(shape).flatMap(([name, field]) =>
    absent.includes(name) && isRequired(field) ? [name] : [],
  )
  const { password, usual = {} } = kind
  const place = placeOf(key, kind.fields)
  const name = path.filter((step) => typeof step === 'string').join('.')
  const neighbourhood = {
    known,
    absent,
    missing,
    usual: [name, key].filter((each) => Object.hasOwn(usual, each)).map((each) => usual[each])[0],
    place,
    password,
  }
  if (kind.unknownFields === 'ignored') unknown.push({ path, message: tellUnknown(key, neighbourhood) })
  else problems.push({ path, message: `unknown field; ${remedyFor(key, neighbourhood)}` })
}

/** A line that is indented too far, or not far enough. Two levels are all there are. */
function placeOf(key: string, top: z.core.$ZodType): string | undefined {
  const shape = shapeOf(top)
  if (Object.hasOwn(shape, key)) return 'at the top of the file, not indented'
  const holder = Object.entries(shape).find(([, field]) => Object.hasOwn(shapeOf(itemOf(field) ?? field), key))
  return holder && `below ${holder[0]}`
}

/** The fields of a section; none of anything else. */
export function shapeOf(field: z.core.$ZodType): z.core.$ZodShape {
  const rule = innermost(field)
  return rule instanceof z.ZodObject ? rule.shape : {}
}

/** What each item of a list is; undefined for what is not a list. */
export function itemOf(field: z.core.$ZodType): z.core.$ZodType | undefined {
  const rule = innermost(field)
  return rule instanceof z.ZodArray ? rule.element : undefined
}

/** What is below each name; undefined where names are those of fields. */
export function entryOf(field: z.core.$ZodType): z.core.$ZodType | undefined {
  const rule = innermost(field)
  return rule instanceof z.ZodRecord ? rule.valueType : undefined
}

/** Whether a field has a value even where the file says nothing of it. */
export function hasDefault(field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success
}

/** The rule for what is written in the file, below defaults and conversions. */
function innermost(field: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: source } = field._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType }
  const inner = innerType ?? source
  return inner === undefined ? field : innermost(inner)
}
