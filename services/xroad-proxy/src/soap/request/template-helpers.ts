/**
 * The helpers of templates, and the environment of Handlebars that has them. Loops and attachments are pieces of a
 * rendering, which rendering.ts bounds and interrupts. What the helpers do with values is in presence.ts and
 * attachments.ts.
 */
import Handlebars from 'handlebars/dist/handlebars.js'
import type { Attaching } from '../../model.ts'
import { type NumberKind, toDigits } from '../check/decimals.ts'
import { attachmentHelpers, isFile } from './attachments.ts'
import { isNil, isPresent, listValues } from './presence.ts'
import type { Rendering } from './rendering.ts'
import { RenderError } from './template-errors.ts'
import { unwrap } from './template-values.ts'

/** Helper -> how many values it takes. */
export const helpers: ReadonlyMap<unknown, number> = new Map([
  ['if', 1],
  ['unless', 1],
  ['each', 1],
  ['with', 1],
  ['lookup', 2],
  ['xml_attr', 1],
  ['xml_decimal', 1],
  ['xml_integer', 1],
  ['is_nil', 1],
  ['each_value', 1],
  ['swa_ref', 1],
  ['xop_include', 1],
  ['mime_part', 1],
])
/** The same for a helper that takes any number of values. */
export const openHelpers: ReadonlySet<unknown> = new Set(['if_present', 'xml_element'])
export const allHelpers: ReadonlySet<unknown> = new Set([...helpers.keys(), ...openHelpers])

/** For the compiler of templates. */
export const knownHelpers = {
  xml_attr: true,
  xml_decimal: true,
  xml_integer: true,
  xml_element: true,
  if_present: true,
  is_nil: true,
  each_value: true,
  swa_ref: true,
  xop_include: true,
  mime_part: true,
  log: false,
}

/** Handlebars itself calls these by name. */
const needed: ReadonlySet<string> = new Set(['helperMissing', 'blockHelperMissing', 'each', 'if'])

export type Helpers = Readonly<Record<string, Handlebars.HelperDelegate>>

/** Handlebars wraps each helper anew for each rendering, so `helpersIn` gives those that a template may call. */
export function createHandlebars(): {
  readonly handlebars: typeof Handlebars
  readonly helpersIn: (source: string) => Helpers
} {
  const handlebars = withHelpers()
  const others = Object.entries(handlebars.helpers as Helpers).filter(([name]) => !needed.has(name))
  for (const [name] of others) handlebars.unregisterHelper(name)
  const helpersIn = (source: string): Helpers => Object.fromEntries(others.filter(([name]) => source.includes(name)))
  return { handlebars, helpersIn }
}

function withHelpers(): typeof Handlebars {
  const environment = Handlebars.create()
  const each = environment.helpers['each'] as (list: unknown, options: unknown) => string
  // It would print values of the caller to the console.
  environment.unregisterHelper('log')
  environment.registerHelper('xml_attr', toAttribute)
  environment.registerHelper('xml_element', toElement)
  for (const kind of ['decimal', 'integer'] as const) {
    environment.registerHelper(`xml_${kind}`, (...args: unknown[]) => toNumber(kind, args))
  }
  environment.registerHelper('if_present', function choose(this: unknown, ...args: unknown[]) {
    // The last argument is Handlebars' own.
    const { fn, inverse } = args.pop() as Handlebars.HelperOptions
    return isPresent(args) ? fn(this) : inverse(this)
  })
  environment.registerHelper('is_nil', isNil)
  environment.registerHelper('each_value', (value: unknown, { fn, data, ids, loc }: TrackedOptions) => {
    const values = listValues(value)
    return data.rendering.loop(values.length, () => {
      const round = data.rendering.toRound(fn, loc)
      if (ids === undefined) return values.map((value) => round(value)).join('')
      const path = pathOf({ data, ids })
      const pathTo = (index: number): string => (Array.isArray(value) ? `${path}.${index}` : path)
      return values.map((value, index) => round(value, { data: { ...data, contextPath: pathTo(index) } })).join('')
    })
  })
  for (const name of attachmentHelpers) {
    environment.registerHelper(name, (...args: unknown[]) => {
      // The last argument is Handlebars' own.
      const { hash, data, ids } = args.at(-1) as TrackedOptions
      if (args.length !== 2) throw new RenderError(`the helper '${name}' takes exactly one value`)
      const { type, part } = hash
      const wish = { path: pathOf({ data, ids }), type, part }
      const attach = (): string => data.attachments?.attach(name, unwrap(args[0]), wish) ?? ''
      return new Handlebars.SafeString(data.rendering.once(attach, lengthOf(unwrap(args[0]))))
    })
  }
  environment.registerHelper('each', function countedEach(this: unknown, list: unknown, options: unknown) {
    const { data, fn, loc } = (options ?? {}) as Partial<TrackedOptions>
    if (data === undefined || fn === undefined || typeof list !== 'object' || list === null) {
      return each.call(this, list, options)
    }
    const { rendering } = data
    const rounds = Array.isArray(list) ? list.length : Object.keys(list).length
    const counted = { ...(options as object), fn: rendering.toRound(fn, loc) }
    return rendering.loop(rounds, () => each.call(this, list, counted))
  })
  return environment
}

/** As Handlebars hands them over. */
interface TrackedOptions {
  readonly fn: Handlebars.TemplateDelegate
  readonly hash: Readonly<Record<string, unknown>>
  readonly data: LoopData
  /** Paths of the values as the template writes them, only where the template attaches something. */
  readonly ids?: readonly string[] | undefined
  /** The block in the template. */
  readonly loc?: hbs.AST.SourceLocation | undefined
}

/** Where the first value of a helper comes from: `files.1`. */
function pathOf({ data, ids }: Pick<TrackedOptions, 'data' | 'ids'>): string {
  return [data.contextPath, ids?.[0]].filter(Boolean).join('.')
}

/** What a template reaches as `@root`, and the rendering that it is a part of. */
interface LoopData {
  readonly root: object
  readonly rendering: Rendering
  readonly attachments: Attaching | undefined
  /** The path to `this`, where paths are known. */
  readonly contextPath?: string
}

/** Of a value that is attached. */
function lengthOf(value: unknown): number {
  if (isFile(value)) return value.bytes.length
  return typeof value === 'string' ? value.length : 0
}

const attributeEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A parser makes plain spaces of these in an attribute.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

function toAttribute(...args: unknown[]): Handlebars.SafeString {
  // The last argument is Handlebars' own.
  if (args.length !== 2) throw new RenderError("the helper 'xml_attr' takes exactly one value")
  const value = (args[0] ?? '') as string | number | boolean
  const text = typeof value === 'string' ? value : `${value}`
  return new Handlebars.SafeString(text.replaceAll(/[&<>"'\t\n\r]/g, (found) => attributeEscapes[found] ?? found))
}

/** A value that is neither a text nor a number stays as it is. */
function toNumber(kind: NumberKind, args: readonly unknown[]): unknown {
  // The last argument is Handlebars' own.
  if (args.length !== 2) throw new RenderError(`the helper 'xml_${kind}' takes exactly one value`)
  const [value] = args
  return typeof value === 'string' || typeof value === 'number' ? toDigits(String(value), kind) : value
}

/**
 * Text in an element of this name: nothing where the value was left out, nil where it is null and there is a name for
 * that.
 */
function toElement(...args: unknown[]): Handlebars.SafeString {
  // The last argument is Handlebars' own.
  args.pop()
  const [name, value, nil] = args as [name: string, value: unknown, nil?: string]
  if (args.length < 2 || args.length > 3)
    throw new RenderError("the helper 'xml_element' takes a name, a value and a name of nil")
  if (value === undefined || (value === null && nil === undefined)) return new Handlebars.SafeString('')
  if (value === null) return new Handlebars.SafeString(`<${name} ${nil}="true"/>`)
  const text = typeof value === 'string' ? value : `${value as number}`
  return new Handlebars.SafeString(`<${name}>${Handlebars.escapeExpression(text)}</${name}>`)
}

/** Own properties only, and said aloud, because Handlebars would write a notice on the console otherwise. */
export function toRuntimeOptions(
  root: object,
  rendering: Rendering,
  { attachments, helpers }: { readonly attachments: Attaching | undefined; readonly helpers: Helpers },
): Handlebars.RuntimeOptions {
  const data: LoopData = { root, rendering, attachments }
  return { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false, data, helpers }
}
