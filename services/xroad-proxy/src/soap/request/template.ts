/**
 * The envelope of a DSL file -> a template that is checked at once and compiled when it is first needed: thousands of
 * them are loaded, few are called in an hour. Rendering takes the caller's values in one pass and gives an envelope
 * without characters that XML forbids. Its helpers are in template-helpers.ts; nobody else uses Handlebars.
 *
 * Does not judge whether the envelope is well-formed XML. The work of one rendering is bounded by the length of the
 * template and of the values, by the rounds of all loops together and by the length of the envelope; a long one is done
 * in steps.
 */
import Handlebars from 'handlebars/dist/handlebars.js'
import type { Generated, RenderOptions, Template, TemplateValues } from '../../model.ts'
import { finish, type Steps } from '../../steps.ts'
import { findAttached, mayAttach } from './template-attachments.ts'
import { toFailure, toSyntaxError } from './template-errors.ts'
import { checkLength, linesOf, pause, Rendering } from './rendering.ts'
import {
  allHelpers,
  createHandlebars,
  type Helpers,
  helpers,
  knownHelpers,
  openHelpers,
  toRuntimeOptions,
} from './template-helpers.ts'
import { isFilledIn, type Nearest, reviewNames, type TemplateWarning } from './template-names.ts'
import { hasOnlyKnownNames, isPlain } from './template-scan.ts'
import { refuseUnsendable, toContext } from './template-values.ts'

const { handlebars, helpersIn } = createHandlebars()

export interface ParsedTemplate {
  readonly template: Template
  readonly warnings: readonly TemplateWarning[]
}

/** The known names; without them the names of the template are not checked. */
export interface KnownNames {
  readonly params: readonly string[]
  readonly nearest: Nearest
}

/**
 * Throws `TemplateSyntaxError`. A warning names what no call can do or fill: a helper, a param, a value of the service.
 */
export function parseTemplate(source: string, known?: KnownNames): ParsedTemplate {
  const isUsual = isPlain(source)
  const calls = isUsual ? [] : check(source, known?.nearest)
  const isReviewed = known === undefined || (isUsual && hasOnlyKnownNames(source, knownIn(known.params)))
  const warnings = isReviewed
    ? calls
    : [...calls, ...reviewNames(handlebars.parse(source), { ...known, helpers: allHelpers })]
  // Kept out when something is unknown: one wrong call must not spoil the branches that do without it.
  const knownHelpersOnly = calls.length === 0
  const attached = mayAttach(source) ? findAttached(handlebars.parse(source)) : undefined
  let made: { compiled: HandlebarsTemplateDelegate; called: Helpers; lines: readonly number[] } | undefined
  // Only with attachments a helper tells which param it means.
  const options = { knownHelpers, knownHelpersOnly, trackIds: attached !== undefined }
  function* renderInSteps(
    values: TemplateValues,
    generated: Generated,
    { attachments, onGrowth }: RenderOptions = {},
  ): Steps<string> {
    try {
      made ??= { compiled: handlebars.compile(source, options), called: helpersIn(source), lines: linesOf(source) }
      const { compiled, called, lines } = made
      const context = toContext(values, generated)
      const rendering = new Rendering(lines)
      const runtime = toRuntimeOptions(context, rendering, { attachments, helpers: called })
      let envelope = attempt(compiled, context, runtime)
      while (envelope === undefined) {
        yield onGrowth?.(rendering.made)
        rendering.restart()
        envelope = attempt(compiled, context, runtime)
      }
      checkLength(envelope.length)
      refuseUnsendable(envelope, values)
      return envelope
    } catch (error) {
      throw toFailure(error)
    }
  }
  const render: Template['render'] = (values, generated, attachments) =>
    finish(renderInSteps(values, generated, { attachments }))
  return { template: { namesClient: clientName.test(source), attached, render, renderInSteps }, warnings }
}

/** Undefined for a rendering that pauses. */
function attempt(
  compiled: HandlebarsTemplateDelegate,
  context: object,
  runtime: Handlebars.RuntimeOptions,
): string | undefined {
  try {
    return compiled(context, runtime)
  } catch (error) {
    if (error === pause) return undefined
    throw error
  }
}

/** Names that can be told right without the parser: most templates have no others, and the parser is slow. */
function knownIn(params: readonly string[]): (name: string, isRaw: boolean) => boolean {
  return (name, isRaw) => isFilledIn(name, isRaw) || (params.includes(name) && !allHelpers.has(name))
}

/**
 * `generate.client` in any tag but a comment, and the ways to reach it without these words. One time too many does no
 * harm: a template that has it in a branch that is never taken counts as well.
 */
const clientName = /\{\{(?!!)[^}]{0,1000}\bgenerate\b(?:\.\[?client\b|[^}.]{0,1000}\}\})/

/** The full check: what the parser and the compiler refuse is an error. Nothing of their work is kept. */
function check(source: string, nearest?: Nearest): readonly TemplateWarning[] {
  try {
    const program = handlebars.parse(source)
    handlebars.precompile(program)
    const review = new Review(nearest)
    review.accept(program)
    return review.hasInlinePartials ? review.calls : [...review.calls, ...review.partials]
  } catch (error) {
    throw toSyntaxError(error, source)
  }
}

type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression

/**
 * Collects calls of what does not exist. A template may define partials for itself, before or after it includes them.
 */
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
    const name: unknown = (call.path as Partial<hbs.AST.PathExpression>).original
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
