/**
 * The envelope of a DSL file -> a template that is checked at once and compiled when it is first needed: thousands of
 * them are loaded, few are called in an hour. Rendering takes the caller's values in one pass and gives an envelope
 * without characters that XML forbids. The only user of Handlebars.
 *
 * Does not judge whether the envelope is well-formed XML. The work of one rendering is bounded by the length of the
 * template and of the values, by the rounds of all loops together and by the length of the envelope.
 */
import Handlebars from 'handlebars'
import type { Generated, Template, TemplateValues } from '../../model.ts'
import { isNil, isPresent, listValues } from './presence.ts'
import { RenderError, toFailure, toSyntaxError } from './template-errors.ts'
import { isFilledIn, type Nearest, reviewNames, type TemplateWarning } from './template-names.ts'
import { hasOnlyKnownNames, isPlain } from './template-scan.ts'
import { refuseUnsendable, toContext } from './template-values.ts'

/** Rounds of all `each` of one rendering: loops over one list inside another one multiply. */
const maxRounds = 1_000_000
const maxEnvelopeCharacters = 64 * 1024 * 1024

const handlebars = createHandlebars()

export interface ParsedTemplate {
  readonly template: Template
  readonly warnings: readonly TemplateWarning[]
}

/** The known names; without them the names of the template are not checked. */
export interface KnownNames {
  readonly params: readonly string[]
  readonly nearest: Nearest
}

/** Throws `TemplateSyntaxError`. A warning names what no call can do or fill: a helper, a param, a value of the service. */
export function parseTemplate(source: string, known?: KnownNames): ParsedTemplate {
  const isUsual = isPlain(source)
  const calls = isUsual ? [] : check(source, known?.nearest)
  const isReviewed = known === undefined || (isUsual && hasOnlyKnownNames(source, knownIn(known.params)))
  const warnings = isReviewed
    ? calls
    : [...calls, ...reviewNames(handlebars.parse(source), { ...known, helpers: allHelpers })]
  // Kept out when something is unknown: one wrong call must not spoil the branches that do without it.
  const knownHelpersOnly = calls.length === 0
  let compiled: HandlebarsTemplateDelegate | undefined
  const render = (values: TemplateValues, generated: Generated): string => {
    try {
      compiled ??= handlebars.compile(source, { knownHelpers, knownHelpersOnly })
      const context = toContext(values, generated)
      const envelope = compiled(context, toRuntimeOptions(context))
      checkLength(envelope.length)
      refuseUnsendable(envelope, values)
      return envelope
    } catch (error) {
      throw toFailure(error)
    }
  }
  return { template: { namesClient: clientName.test(source), render }, warnings }
}

/** Names that can be told right without the parser: most templates have no others, and the parser is slow. */
function knownIn(params: readonly string[]): (name: string, isRaw: boolean) => boolean {
  return (name, isRaw) => isFilledIn(name, isRaw) || (params.includes(name) && !allHelpers.has(name))
}

/**
 * `generate.client` in any tag but a comment, and the ways to reach it without these words. One time too many is no harm: a
 * template that has it in a branch that is never taken counts as well.
 */
const clientName = /\{\{(?!!)[^}]{0,1000}\bgenerate\b(?:\.\[?client\b|[^}.]{0,1000}\}\})/

const knownHelpers = { xml_attr: true, xml_element: true, if_present: true, is_nil: true, each_value: true, log: false }

function createHandlebars(): typeof Handlebars {
  const environment = Handlebars.create()
  const each = environment.helpers['each'] as (list: unknown, options: unknown) => string
  // It would print values of the caller to the console.
  environment.unregisterHelper('log')
  environment.registerHelper('xml_attr', toAttribute)
  environment.registerHelper('xml_element', toElement)
  environment.registerHelper('if_present', function choose(this: unknown, ...args: unknown[]) {
    // The last argument is Handlebars' own.
    const { fn, inverse } = args.pop() as Handlebars.HelperOptions
    return isPresent(args) ? fn(this) : inverse(this)
  })
  environment.registerHelper('is_nil', isNil)
  environment.registerHelper('each_value', (value: unknown, { fn, data }: Handlebars.HelperOptions) => {
    const values = listValues(value)
    takeRounds(values, data as LoopData | undefined)
    const round = metered(fn)
    return values.map((value) => round(value)).join('')
  })
  environment.registerHelper('each', function countedEach(this: unknown, list: unknown, options: unknown) {
    const { data, fn } = (options ?? {}) as { data?: LoopData; fn?: Handlebars.TemplateDelegate }
    takeRounds(list, data)
    return each.call(this, list, fn === undefined ? options : { ...(options as object), fn: metered(fn) })
  })
  return environment
}

/** The full check: what the parser and the compiler refuse is an error. Nothing of their work is kept. */
function check(source: string, nearest?: Nearest): readonly TemplateWarning[] {
  try {
    const program = handlebars.parse(source)
    handlebars.precompile(program)
    const review = new Review(nearest)
    review.accept(program)
    return review.hasInlinePartials ? review.calls : [...review.calls, ...review.partials]
  } catch (error) {
    throw toSyntaxError(error)
  }
}

/** Helper -> how many values it takes. */
const helpers: ReadonlyMap<unknown, number> = new Map([
  ['if', 1],
  ['unless', 1],
  ['each', 1],
  ['with', 1],
  ['lookup', 2],
  ['xml_attr', 1],
  ['is_nil', 1],
  ['each_value', 1],
])
/** The same for a helper that takes any number of values. */
const openHelpers: ReadonlySet<unknown> = new Set(['if_present', 'xml_element'])
const allHelpers: ReadonlySet<unknown> = new Set([...helpers.keys(), ...openHelpers])

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression

/** Collects calls of what does not exist. A template may define partials for itself, before or after it includes them. */
class Review extends Handlebars.Visitor {
  readonly calls: TemplateWarning[] = []
  readonly partials: TemplateWarning[] = []
  readonly #nearest: Nearest | undefined
  hasInlinePartials = false

  constructor(nearest: Nearest | undefined) {
    super()
    this.#nearest = nearest
  }

  override MustacheStatement(mustache: hbs.AST.MustacheStatement): void {
    this.reviewCall(mustache)
    super.MustacheStatement(mustache)
  }

  override BlockStatement(block: hbs.AST.BlockStatement): void {
    this.reviewCall(block)
    super.BlockStatement(block)
  }

  override SubExpression(call: hbs.AST.SubExpression): void {
    this.reviewCall(call)
    super.SubExpression(call)
  }

  override DecoratorBlock(decorator: hbs.AST.DecoratorBlock): void {
    this.hasInlinePartials = true
    super.DecoratorBlock(decorator)
  }

  override PartialStatement(partial: hbs.AST.PartialStatement): void {
    this.partials.push(tell(partial, 'there are no partials to include'))
    super.PartialStatement(partial)
  }

  private reviewCall(call: Call): void {
    const name: unknown = Object.hasOwn(call.path, 'original') ? (call.path as hbs.AST.PathExpression).original : ''
    if (openHelpers.has(name)) return
    const values = helpers.get(name)
    if (values === undefined) {
      const isCall = Handlebars.AST.helpers.helperExpression(call)
      if (isCall) this.calls.push(tell(call, `there is no helper '${String(name)}'${this.remedyFor(String(name))}`))
    } else if (call.params.length !== values) {
      this.calls.push(tell(call, `the helper '${String(name)}' takes ${values} value${values === 1 ? '' : 's'}`))
    }
  }

  private remedyFor(name: string): string {
    const meant = this.#nearest?.(name, [...allHelpers].map(String))
    return meant === undefined ? '' : `; did you mean ${meant}?`
  }
}

function tell(node: hbs.AST.Node, message: string): TemplateWarning {
  return { lines: [node.loc.start.line], message }
}

/** What a template reaches as `@root`, and what is left of the rounds. */
interface LoopData {
  readonly root: object
  readonly rounds: { left: number }
}

function takeRounds(list: unknown, data: LoopData | undefined): void {
  if (data === undefined || typeof list !== 'object' || list === null) return
  data.rounds.left -= Array.isArray(list) ? list.length : Object.keys(list).length
  if (data.rounds.left < 0) throw new RenderError(`the loops of the template take more than ${maxRounds} rounds`)
}

/** A long value in each round of a loop would take seconds and gigabytes before anybody looks at the envelope's length. */
function metered(round: Handlebars.TemplateDelegate): Handlebars.TemplateDelegate {
  let length = 0
  return (context: unknown, options) => {
    const text = round(context, options)
    length += text.length
    checkLength(length)
    return text
  }
}

function checkLength(length: number): void {
  if (length <= maxEnvelopeCharacters) return
  throw new RenderError(`the envelope is longer than ${maxEnvelopeCharacters} characters`)
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

/** Text in an element of this name: nothing where the value was left out, nil where it is null and there is a name for that. */
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
function toRuntimeOptions(context: object): Handlebars.RuntimeOptions {
  const data: LoopData = { root: context, rounds: { left: maxRounds } }
  return { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false, data }
}
