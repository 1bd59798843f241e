/**
 * What files are declared with: a section of fields, each with its type, its default, what it means (`describe`) and
 * what would be right. A declaration is a schema of zod; check.ts holds data against it and json-schema.ts shows it to
 * editors.
 */
import * as z from 'zod'
import { found, type Showing } from './words/problem.ts'

type Issue = z.core.$ZodRawIssue

/** A declared field, and what the program gets of it. */
export type Field = z.ZodType
export type ValueOf<Declared extends Field> = z.output<Declared>

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name
type CamelKeys<Fields> = { readonly [Name in keyof Fields as CamelCase<Name & string>]: Fields[Name] }

type Group<Shape extends z.core.$ZodLooseShape> = z.ZodObject<Shape, z.core.$strict>
export type Section<Shape extends z.core.$ZodLooseShape> = z.ZodPipe<
  Group<Shape>,
  z.ZodTransform<CamelKeys<z.output<Group<Shape>>>, z.output<Group<Shape>>>
>

/** A group of fields: spelled in snake_case in the file, in camelCase here. Frozen. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape): Section<Shape> {
  const { error } = expectedParts(`the fields ${Object.keys(shape).join(', ')}`)
  const cure = '; an address is not taken here, write these fields below it'
  const isAddress = ({ input }: Issue): boolean => typeof input === 'string' && /^\w+:\/\/\S/.test(input)
  return z
    .strictObject(shape, { error: (issue) => `${error(issue)}${isAddress(issue) ? cure : ''}` })
    .transform(toCamelKeys)
}

function toCamelKeys<Fields extends object>(fields: Fields): CamelKeys<Fields> {
  const renamed = Object.entries(fields).map(([name, value]: [string, unknown]) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.freeze(Object.fromEntries(renamed)) as CamelKeys<Fields>
}

export interface TextOptions extends Showing {
  /** Not only white space. */
  readonly filled?: boolean
}

/** Text of any characters and any number of lines. */
export function anyText(meaning: string, { filled = false, ...showing }: TextOptions = {}): z.ZodString {
  const rule = expected(meaning, showing)
  return filled ? z.string(rule).regex(/\S/, rule) : z.string(rule)
}

/** Control characters would break header lines and log lines, lone surrogates and the like XML and URLs. */
const unfit = /[\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/u

/** Text of one line. */
export function text(meaning: string, { filled = false, ...showing }: TextOptions = {}): z.ZodString {
  const rule = expected(meaning, showing)
  const line = z
    .string(rule)
    .refine((given) => !unfit.test(given), { error: `found control characters, expected ${meaning}`, abort: true })
  return filled ? line.regex(/\S/, rule) : line
}

/** Texts that may not look like a number, boolean or null, unless they are in quotes; whatever the kind of file. */
export const verbatim = z.registry<object>()

export function strictText(meaning: string): z.ZodString {
  return text(meaning).register(verbatim, {})
}

/** The name of an environment variable. What is there instead is never shown: it may be the password itself. */
export function variableName(): z.ZodString {
  return anyText('the name of an environment variable', { secret: true })
}

/**
 * `problemOf` says what is wrong with a text, if anything is; without a meaning it says what would be right as well.
 */
export function checked<Declared extends z.ZodType<string>>(
  field: Declared,
  problemOf: (given: string) => string | undefined,
  meaning?: string,
): Declared {
  const right = meaning === undefined ? '' : `, expected ${meaning}`
  return field.refine((given) => problemOf(given) === undefined, {
    error: ({ input }) => `${problemOf(String(input))}${right}`,
  })
}

/** Whatever is written there, or nothing. Its reader takes it from the data of the file, with its literals. */
export function anything(): z.ZodOptional<z.ZodUnknown> {
  return z.unknown().optional()
}

export function oneOf<Value extends string>(values: readonly Value[]): z.ZodEnum<{ [Key in Value]: Key }> {
  return z.enum(values, expected(values.join(' or '), { shown: true }))
}

export function flag(): z.ZodBoolean {
  return z.boolean(expected('true or false', { shown: true }))
}

export function wholeNumber(least: number, most: number): z.ZodInt {
  const rule = expected(`a whole number from ${least} to ${most}`, { shown: true })
  return z.int(rule).min(least, rule).max(most, rule)
}

type List<Item extends z.ZodType> = z.ZodPipe<
  z.ZodArray<Item>,
  z.ZodTransform<readonly z.output<Item>[], z.output<Item>[]>
>

/** Frozen. */
export function list<Item extends z.ZodType>(item: Item, meaning: string): List<Item> {
  const { error } = expectedParts(meaning)
  const isText = ({ input }: Issue): boolean => typeof input === 'string' && input.trim() !== ''
  // Groups and lists have transforms.
  const cure = item instanceof z.ZodPipe ? '' : '; write each on its own line with "- " before it, or [a, b]'
  return z
    .array(item, { error: (issue) => `${error(issue)}${isText(issue) ? cure : ''}` })
    .transform((items): readonly z.output<Item>[] => Object.freeze(items))
}

type Names<Value> = Readonly<Record<string, Value>>
type NamesField<Value extends z.ZodType> = z.ZodPipe<
  z.ZodRecord<z.ZodString, Value>,
  z.ZodTransform<Names<z.output<Value>>, Record<string, z.output<Value>>>
>

/** Any names with a value each. Frozen. */
export function names<Value extends z.ZodType>(value: Value, meaning: string): NamesField<Value> {
  return z
    .record(z.string(), value, expectedParts(meaning))
    .transform((map): Names<z.output<Value>> => Object.freeze(map))
}

/** A text, or a group of fields in its place. */
export function textOr<Group extends z.ZodType>(
  line: z.ZodString,
  group: Group,
  meaning: string,
): z.ZodUnion<readonly [z.ZodString, Group]> {
  return z.union([line, group], expected(meaning))
}

/** Any names with a group of fields each; `problemOf` says what is wrong with a name, if anything is. Frozen. */
export function sections<Group extends z.ZodType>(
  group: Group,
  problemOf: (name: string) => string | undefined,
  meaning: string,
): z.ZodPipe<
  z.ZodRecord<z.ZodString, Group>,
  z.ZodTransform<Readonly<Record<string, z.output<Group>>>, Record<string, z.output<Group>>>
> {
  return z
    .record(z.string(), group, expectedParts(meaning))
    .superRefine((map, context) => {
      for (const name of Object.keys(map)) {
        const message = problemOf(name)
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message })
      }
    })
    .transform((map): Readonly<Record<string, z.output<Group>>> => Object.freeze(map))
}

/** For a rule of zod: what was found, and what would be right. */
export function expected(meaning: string, showing: Showing = {}): { error: (issue: Issue) => string } {
  return { error: ({ input }) => `${found(input, showing)}, expected ${meaning}` }
}

/** The same for what has parts: a list, or a group of fields. */
function expectedParts(meaning: string): ReturnType<typeof expected> {
  return expected(meaning, { isOfParts: true })
}
